"""The extractors that are compared, each called as its own documentation shows."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import justext
import trafilatura
from readability import Document
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree
from trafilatura.external import jt_stoplist_init
from trafilatura.utils import decode_file

from benchmarks.extraction.sets import Page
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef, StatedKind
from scops.extractor.extraction import Extraction, extract

OURS = "ours"
# Later than every page of the data sets.
OBSERVED = datetime(2026, 3, 1, tzinfo=UTC)
NO_URL = "https://page.example/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What one extractor made of one page."""

    text: str
    seconds: float
    published: str = ""
    offsets_exact: bool = True


def run(page: Page) -> dict[str, Output]:
    """Lets each extractor work on a page; processor time of this process counts.

    Whoever comes first finds the page in no cache: the order moves on from page to page.
    """
    names = list(EXTRACTORS)
    first = len(page.body) % len(names)
    found = {name: _timed(name, page) for name in (*names[first:], *names[:first])}
    return {name: found[name] for name in names}


def _timed(name: str, page: Page) -> Output:
    extractor = EXTRACTORS[name]
    _warm(name)
    started = time.process_time()
    try:
        found = extractor(page.url, page.body)
    # What breaks an extractor counts as nothing found, as trafilatura's evaluation has it.
    except Exception:  # noqa: BLE001
        found = None
    seconds = time.process_time() - started
    if isinstance(found, Extraction):
        return _own_output(found, seconds)
    return Output(text=found or "", seconds=seconds)


@cache
def _warm(name: str) -> None:
    """Pays for imports and tables before the first page is timed."""
    words = b"<html><body><p>The tawny owl hunts at night and listens.</p></body></html>"
    EXTRACTORS[name](NO_URL, words)


def _own_output(found: Extraction, seconds: float) -> Output:
    published = [entry for entry in found.document.stated if entry.kind is StatedKind.PUBLISHED]
    return Output(
        text=found.text,
        seconds=seconds,
        published=published[0].day if published else "",
        offsets_exact=_tiles(found),
    )


def _tiles(found: Extraction) -> bool:
    """Whether the blocks lie in order and hold all of the text but the line breaks between."""
    end = 0
    for block in found.document.blocks:
        between = found.text[end : block.start]
        if between.strip("\n") or not end <= block.start < block.end:
            return False
        end = block.end
    return end == len(found.text)


def _ours(url: str, body: bytes) -> Extraction:
    address = url if url.startswith(("http://", "https://")) else NO_URL
    fetched = PageFetched(
        canonical_url=address, observed_time=OBSERVED, body=BodyRef(media_type="text/html")
    )
    return extract(body, fetched, keep_noindex=True)


def _trafilatura(*, favor_recall: bool) -> Callable[[str, bytes], str | None]:
    def call(_: str, body: bytes) -> str | None:
        found = trafilatura.extract(
            body,
            include_comments=False,
            include_tables=True,
            include_formatting=False,
            favor_recall=favor_recall,
        )
        return str(found) if found else None

    return call


def _readability(_: str, body: bytes) -> str:
    summary: str = Document(decode_file(body)).summary()
    # It gives HTML; tags would count as words.
    return extract_plain_text(summary, alt_texts=False, list_bullets=False)


def _resiliparse(_: str, body: bytes) -> str:
    tree = HTMLTree.parse(bytes_to_str(body, detect_encoding(body) or "utf-8"))
    return extract_plain_text(tree, main_content=True)


def _justext(_: str, body: bytes) -> str:
    paragraphs = justext.justext(
        body,
        _stop_words(),
        50,
        200,
        0.1,
        0.2,
        0.2,
        200,
        True,  # As trafilatura's evaluation.
    )
    return " ".join(entry.text for entry in paragraphs if not entry.is_boilerplate)


@cache
def _stop_words() -> Any:
    return jt_stoplist_init()


EXTRACTORS: dict[str, Callable[[str, bytes], Extraction | str | None]] = {
    OURS: _ours,
    "trafilatura": _trafilatura(favor_recall=False),
    "trafilatura_favor_recall": _trafilatura(favor_recall=True),
    "readability_lxml": _readability,
    "resiliparse": _resiliparse,
    "justext": _justext,
}
