"""Checks of what a query or a listing asks for, and which field an error is about."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import Turn

# In an error's metadata: the field of the request, for `google.rpc.BadRequest`.
FIELD = "field"
# Of a request and of a response, through every door; the default of gRPC itself.
MESSAGE_BYTES_MAX = 4 * 1024 * 1024
# Of one version in an export, packed.
CONTENT_BYTES_MAX = 2 * 1024 * 1024
# Of a captured page: base64 makes four bytes of three, and a message holds them.
CAPTURE_BYTES_MAX = 3_000_000
# A query is a question and not a document.
QUERY_WORDS_MAX = 2000
QUERY_CHARACTERS_MAX = 8000
# The turns of a conversation and an evidence bundle fit a message of the bus, of 512 KiB.
HISTORY_CHARACTERS_MAX = 40_000
BUNDLE_BYTES_MAX = 448 * 1024
# As many as the explainer resolves at once.
CITATIONS_MAX = 50
PAGE_SIZE_DEFAULT = 10
PAGE_SIZE_MAX = 100


@contextmanager
def about_field(path: str) -> Iterator[None]:
    """Adds the path of a request's field to an InvalidInput that passes; an inner one wins."""
    try:
        yield
    except InvalidInput as error:
        error.metadata.setdefault(FIELD, path)
        raise


def checked_query(query: str) -> str:
    """Returns a query without surrounding space.

    Raises:
        InvalidInput: it is empty or too long.
    """
    text = query.strip()
    if not text:
        raise InvalidInput(
            "The query is empty. Ask a question or give some words to look for.",
            reason="QUERY_EMPTY",
            field="query",
        )
    words = len(text.split())
    if words > QUERY_WORDS_MAX or len(text) > QUERY_CHARACTERS_MAX:
        raise InvalidInput(
            f"The query has {words} words and {len(text)} characters; at most "
            f"{QUERY_WORDS_MAX} words and {QUERY_CHARACTERS_MAX} characters "
            "are searched for. Shorten it to the question itself.",
            reason="QUERY_TOO_LONG",
            field="query",
            words_max=str(QUERY_WORDS_MAX),
            characters_max=str(QUERY_CHARACTERS_MAX),
        )
    return text


def checked_page_size(page_size: int) -> int:
    """Returns how many results to give: 0 takes the default, too many are lowered (AIP-158).

    Raises:
        InvalidInput: it is negative.
    """
    if page_size < 0:
        raise InvalidInput(
            f"The page_size {page_size} is negative. Give 1 to {PAGE_SIZE_MAX}, or 0 "
            f"for {PAGE_SIZE_DEFAULT}.",
            reason="PAGE_SIZE_NEGATIVE",
            field="page_size",
        )
    return min(page_size or PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)


def checked_as_of(as_of: datetime | None, now: datetime) -> datetime | None:
    """Returns the instant a query asks about; nobody knows the future, so it counts as now."""
    return None if as_of is None or as_of >= now else as_of


def check_history(history: Sequence[Turn]) -> None:
    """Checks the turns of a conversation.

    Raises:
        InvalidInput: they are too long together.
    """
    characters = sum(len(turn.text) for turn in history)
    if characters > HISTORY_CHARACTERS_MAX:
        raise InvalidInput(
            f"The history has {characters} characters; at most "
            f"{HISTORY_CHARACTERS_MAX} are read. Send the last turns only.",
            reason="HISTORY_TOO_LONG",
            field="history",
        )


def checked_bundle(bundle: bytes) -> bytes:
    """Returns an evidence bundle.

    Raises:
        InvalidInput: it is longer than any that Answer returns.
    """
    if len(bundle) > BUNDLE_BYTES_MAX:
        raise InvalidInput(
            f"The evidence bundle has {len(bundle)} bytes; none that Answer returns has more "
            f"than {BUNDLE_BYTES_MAX}. Send it back as it came.",
            reason="BUNDLE_TOO_LONG",
            field="evidence_bundle",
        )
    return bundle
