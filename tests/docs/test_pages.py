"""A reader finds every page from an index, and every link leads somewhere."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
ANCHOR_OUT = re.compile(r"[^\w\- ]")
OUTSIDE = ("http://", "https://", "mailto:")
BENCHMARKS_BYTES_MAX = 15 * 1024
TRACKED = subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
    check=True,
    cwd=ROOT,
    capture_output=True,
    text=True,
).stdout.split("\0")
# Pages that stand in for sites, licences of others: what they link to is not ours.
PAGES = sorted(path for path in TRACKED if path and not path.startswith("tests/"))


def links(page: Path) -> Iterator[str]:
    """Yields the relative targets that a page links to, code left out."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if not target.startswith(OUTSIDE):
            yield target


def anchors(page: Path) -> set[str]:
    """Returns the fragments that headings of a page give, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {ANCHOR_OUT.sub("", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", PAGES)
def test_every_relative_link_resolves(name: str) -> None:
    """A moved file or a renamed heading takes its links along."""
    page = ROOT / name
    broken = []
    for target in links(page):
        path, _, fragment = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        is_lost = fragment and found.suffix == ".md" and fragment not in anchors(found)
        if not found.exists() or is_lost:
            broken.append(target)

    assert broken == []


def test_the_index_lists_every_document() -> None:
    """A document that nobody finds is not one."""
    index = {(DOCS / target.partition("#")[0]).resolve() for target in links(DOCS / "README.md")}
    pages = {*DOCS.glob("*.md"), *DOCS.glob("reference/*.md"), DOCS / "adr" / "README.md"}

    assert pages - {DOCS / "README.md"} - index == set()


def test_the_index_of_decisions_lists_each_once_by_its_title() -> None:
    """Theme by theme, each under the number and title that its page has."""
    folder = DOCS / "adr"
    index = re.findall(r"^- \[(.+)\]\((.+)\)$", (folder / "README.md").read_text(), re.MULTILINE)
    expected = [
        (page.read_text().partition("\n")[0].removeprefix("# "), page.name)
        for page in sorted(folder.glob("0*.md"))
    ]

    assert expected == sorted(index, key=lambda entry: entry[1])


def test_decisions_have_numbers_of_their_own() -> None:
    """A decision is cited by its number."""
    pages = sorted((DOCS / "adr").glob("0*.md"))
    numbers = [int(page.name[:4]) for page in pages]
    titles = [int(page.read_text().removeprefix("# ").partition(".")[0]) for page in pages]

    assert (list(range(1, len(pages) + 1)), titles) == (numbers, numbers)


def test_the_benchmarks_are_a_page_of_tables() -> None:
    """What holds now; how a figure came about is a line of a decision."""
    assert (DOCS / "benchmarks.md").stat().st_size <= BENCHMARKS_BYTES_MAX
