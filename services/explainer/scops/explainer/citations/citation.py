"""Citations: a quote pinned to a version, with all that finds it again."""

from bisect import bisect_right
from collections.abc import Sequence
from urllib.parse import quote as percent_encode

from scops.common.contract.errors import PermanentError
from scops.common.contract.ids import sha256_hex
from scops.common.contract.messages.content import Block
from scops.common.contract.messages.explanation import Citation
from scops.common.contract.messages.retrieval import Evidence
from scops.explainer.ports import VersionText
from scops.explainer.quotes.spans import Quote

CONTEXT_CHARACTERS = 32
FRAGMENT_WORDS = 5


def cite(number: int, quote: Quote, evidence: Evidence, version: VersionText) -> Citation:
    """Returns the citation of a quote.

    Raises:
        PermanentError: the text at the offsets is not the quote (invariant 5).
    """
    if version.text[quote.start : quote.end] != quote.text:
        raise PermanentError(
            f"The quote at {quote.start} is not the text of version {evidence.version_id}; "
            "report this as a bug.",
            reason="CITATION_MISMATCH",
        )
    block = block_of(version.blocks, quote.start)
    page = block.page if block else 0
    return Citation(
        number=number,
        canonical_url=evidence.canonical_url,
        page_id=evidence.page_id,
        version_id=evidence.version_id,
        title=evidence.title,
        section_path=quote.section_path,
        start=quote.start,
        end=quote.end,
        quote=quote.text,
        quote_digest=sha256_hex(quote.text.encode()),
        prefix=version.text[max(quote.start - CONTEXT_CHARACTERS, 0) : quote.start],
        suffix=version.text[quote.end : quote.end + CONTEXT_CHARACTERS],
        text_digest=evidence.text_digest,
        clocks=evidence.clocks,
        chunk_id=evidence.chunk_id,
        fragment_url=fragment_url(evidence.canonical_url, quote.text, page=page),
        superseded=evidence.superseded,
        page_number=page,
        access_context=evidence.access_context,
        captured_by=evidence.captured_by,
        read_by_ocr=bool(block and block.read_by_ocr),
    )


def block_of(blocks: Sequence[Block], position: int) -> Block | None:
    """Returns the block that holds a place of a text; None before the first."""
    after = bisect_right(blocks, position, key=lambda block: block.start)
    return blocks[after - 1] if after else None


def fragment_url(url: str, quote: str, *, page: int = 0) -> str:
    """Returns the URL with a text fragment: the quote, or its first and last words.

    Viewers of PDF go to the page by `page=`, and those that know text fragments to the quote. A
    route stays before the directive, which browsers take away before scripts read it.

    One term of the directive matches inside one block of the page only, so a quote of several
    lines is given by its ends.

    Source: WICG, URL Fragment Text Directives. A dash, comma or ampersand has a meaning there
    and is percent-encoded.
    """
    address, _, route = url.partition("#")
    place = f"page={page}" if page else route
    spoken = quote.split()
    if len(spoken) <= 2 * FRAGMENT_WORDS and "\n" not in quote:
        return f"{address}#{place}:~:text={_encode(spoken)}"
    first = quote.split("\n", 1)[0].split()[:FRAGMENT_WORDS]
    last = quote.rsplit("\n", 1)[-1].split()[-FRAGMENT_WORDS:]
    return f"{address}#{place}:~:text={_encode(first)},{_encode(last)}"


def _encode(spoken: list[str]) -> str:
    return percent_encode(" ".join(spoken), safe="").replace("-", "%2D")
