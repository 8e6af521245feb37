"""The pages of a folder of HTML files: which ones, what they link to, and edits of their text.

Bodies stay bytes, in whatever encoding they are: what is put in is ASCII, and goes between tags.
"""

import posixpath
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape

SUFFIXES = (".html", ".htm", ".xhtml")
SNIFFED_BYTES = 1024
SEED = 7
PREFIX = "/pages/"
LEFT_OUT = "/left-out/"
RUN_CHARACTERS_MIN = 80
PATH_CHARACTERS = "/!$&'()*+,;=:@~"

_HTML = re.compile(rb"<(!doctype html|html)\b", re.IGNORECASE)
_HREF = re.compile(rb"""(\bhref\s*=\s*["'])([^"'#?]+)""", re.IGNORECASE)
_NO_TEXT = re.compile(
    rb"<!--.*?-->|<(head|script|style|nav|header|footer|pre|a|h[1-6])\b.*?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_RUN = re.compile(rb">([^<>]+)<")
_SENTENCE_END = re.compile(rb"[.!?]\s+(?=[A-Z])")
_BODY_END = re.compile(rb"</body\s*>", re.IGNORECASE)


def read_pages(folder: Path, *, limit: int) -> dict[str, bytes]:
    """Returns the bodies of at most `limit` pages by their paths on the site, in random order.

    The same folder gives the same order, and a smaller limit a beginning of it. Links to pages of
    the folder that are left out lead outside of `PREFIX`, so that crawls of different sizes do
    not differ by their dead links.

    Raises:
        SystemExit: the folder holds no HTML files.
    """
    files = _html_files(folder)
    if not files:
        raise SystemExit(f"benchmarks: no HTML files in {folder}; name a folder with --data")
    random.Random(SEED).shuffle(files)
    paths = {file: page_path(file.relative_to(folder)) for file in files}
    left_out = {paths[file] for file in files[limit:]}
    return {
        paths[file]: without_links(file.read_bytes(), paths[file], left_out)
        for file in files[:limit]
    }


def page_path(relative: Path) -> str:
    """Returns the URL path that a file is served under."""
    return PREFIX + _quoted(relative.as_posix())


def without_links(body: bytes, path: str, left_out: set[str]) -> bytes:
    """Returns a body whose links to `left_out` lead to the same names below `LEFT_OUT`."""

    def replace(match: re.Match[bytes]) -> bytes:
        target = match[2].strip().decode("ascii", "replace")
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        resolved = _quoted(unquote(resolved))
        if resolved not in left_out:
            return match[0]
        return match[1] + resolved.replace(PREFIX, LEFT_OUT, 1).encode()

    return _HREF.sub(replace, body) if left_out else body


def with_sentence(body: bytes, sentence: str) -> bytes | None:
    """Returns a body with one more sentence inside its longest run of text.

    Returns:
        None where no place in the main text is found that is sure to be one.
    """
    best, place = (False, RUN_CHARACTERS_MIN - 1), -1
    for start, run in _text_runs(body):
        end = _SENTENCE_END.search(run)
        rank = (end is not None, len(run.strip()))
        if rank[1] >= RUN_CHARACTERS_MIN and rank > best:
            # Languages that end sentences otherwise get it after the run.
            best, place = rank, start + (end.end() if end else len(run.rstrip()))
    if place < 0:
        return None
    new = sentence.encode("ascii")
    added = new + b" " if best[0] else b" " + new
    return body[:place] + added + body[place:]


def simple_page(title: str, content: str) -> bytes:
    """Returns a page with a heading and what follows it."""
    head = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
    return f"{head}{content}</body></html>".encode()


def sitemap(origin: str, pages: Mapping[str, object]) -> bytes:
    """Returns a sitemap of all pages."""
    urls = "".join(f"<url><loc>{escape(origin + path)}</loc></url>\n" for path in pages)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'{head}<urlset xmlns="{space}">\n{urls}</urlset>\n'.encode()


def _quoted(path: str) -> str:
    """Percent-encodes what browsers encode in a path, so that links and sitemap agree."""
    return quote(path, safe=PATH_CHARACTERS)


def _html_files(folder: Path) -> list[Path]:
    """Returns the HTML files by name or, where no name tells, by how they begin."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    named = [file for file in files if file.suffix.lower() in SUFFIXES]
    return named or [file for file in files if _begins_as_html(file)]


def _begins_as_html(file: Path) -> bool:
    with file.open("rb") as opened:
        return bool(_HTML.search(opened.read(SNIFFED_BYTES)))


def _text_runs(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields the place and the bytes of each run between two tags of the main text."""
    if b"\0" in body:  # UTF-16 or UTF-32, where ASCII would be something else.
        return
    masked = _NO_TEXT.sub(lambda match: b"<" + b" " * (len(match[0]) - 2) + b">", body)
    end = _BODY_END.search(masked)
    for match in _RUN.finditer(masked, 0, end.end() if end else len(masked)):
        yield match.start(1), match[1]
