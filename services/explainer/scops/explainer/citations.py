"""Citations: a quote pinned to a version, with all that finds it again."""

from urllib.parse import quote as percent_encode

from scops.common.errors import PermanentError
from scops.common.ids import sha256_hex
from scops.common.messages.explanation import Citation
from scops.common.messages.retrieval import Evidence
from scops.explainer.ports import VersionText
from scops.explainer.quotes import Quote

CONTEXT_CHARACTERS = 32
FRAGMENT_WORDS = 5


def citation(number: int, quote: Quote, evidence: Evidence, version: VersionText) -> Citation:
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
        fragment_url=fragment_url(evidence.canonical_url, quote.text),
        superseded=evidence.superseded,
    )


def fragment_url(url: str, quote: str) -> str:
    """Returns the URL with a text fragment: the quote, or its first and last words.

    One term of the directive matches inside one block of the page only, so a quote of several
    lines is given by its ends.

    Source: WICG, URL Fragment Text Directives. A dash, comma or ampersand has a meaning there
    and is percent-encoded.
    """
    spoken = quote.split()
    if len(spoken) <= 2 * FRAGMENT_WORDS and "\n" not in quote:
        return f"{url}#:~:text={_encode(spoken)}"
    first = quote.split("\n", 1)[0].split()[:FRAGMENT_WORDS]
    last = quote.rsplit("\n", 1)[-1].split()[-FRAGMENT_WORDS:]
    return f"{url}#:~:text={_encode(first)},{_encode(last)}"


def _encode(spoken: list[str]) -> str:
    return percent_encode(" ".join(spoken), safe="").replace("-", "%2D")
