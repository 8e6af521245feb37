"""The reviewed golden pages: reads them, shows an extraction, and writes the files anew.

`python -m tests.unit.extractor.golden_pages` overwrites the expected files; review the difference.
"""

from pathlib import Path

from scops.extractor.extraction import Extraction, extract
from tests.unit.extractor.pages import fetched

FOLDER = Path(__file__).parent / "golden"
PAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.html")))


def extract_golden(name: str) -> Extraction:
    """Extracts a golden page."""
    body = (FOLDER / f"{name}.html").read_bytes()
    return extract(body, fetched(url=f"https://www.postgresql.org/docs/15/{name}.html"))


def expected_golden(name: str) -> str:
    """Returns the reviewed extraction of a golden page."""
    return (FOLDER / f"{name}.txt").read_text()


def show(extraction: Extraction) -> str:
    """Returns an extraction as people review it: what it says of the page, blocks, links."""
    document = extraction.document
    lines = [
        f"kind: {extraction.kind.value}",
        f"title: {document.title}",
        f"language: {document.language}",
        f"flags: {', '.join(document.flags)}",
        *(f"stated: {entry.kind.value} {entry.time} {entry.source}" for entry in document.stated),
    ]
    for block in document.blocks:
        level = f" {block.level}" if block.level else ""
        path = " > ".join(block.section_path)
        lines.append(f"\n[{block.kind.value}{level}] {block.start}-{block.end} ({path})")
        lines.append(extraction.text[block.start : block.end])
    lines.append("")
    lines += [f"link: {link.url} ({link.anchor_text})" for link in extraction.links.links]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for page_name in PAGES:
        (FOLDER / f"{page_name}.txt").write_text(show(extract_golden(page_name)))
