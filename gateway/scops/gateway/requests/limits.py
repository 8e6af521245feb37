"""Checks of what a query or a listing asks for."""

from collections.abc import Sequence
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import Turn
from scops.gateway.settings import GatewaySettings


def checked_query(query: str, settings: GatewaySettings) -> str:
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
    if words > settings.query_words_max or len(text) > settings.query_characters_max:
        raise InvalidInput(
            f"The query has {words} words and {len(text)} characters; at most "
            f"{settings.query_words_max} words and {settings.query_characters_max} characters "
            "are searched for. Shorten it to the question itself.",
            reason="QUERY_TOO_LONG",
            field="query",
            words_max=str(settings.query_words_max),
            characters_max=str(settings.query_characters_max),
        )
    return text


def checked_page_size(page_size: int, settings: GatewaySettings) -> int:
    """Returns how many results to give: 0 takes the default, too many are lowered (AIP-158).

    Raises:
        InvalidInput: it is negative.
    """
    if page_size < 0:
        raise InvalidInput(
            f"The page_size {page_size} is negative. Give 1 to {settings.page_size_max}, or 0 "
            f"for {settings.page_size_default}.",
            reason="PAGE_SIZE_NEGATIVE",
            field="page_size",
        )
    return min(page_size or settings.page_size_default, settings.page_size_max)


def checked_as_of(as_of: datetime | None, now: datetime) -> datetime | None:
    """Returns the instant a query asks about; nobody knows the future, so it counts as now."""
    return None if as_of is None or as_of >= now else as_of


def checked_history(history: Sequence[Turn], settings: GatewaySettings) -> tuple[Turn, ...]:
    """Returns the turns of a conversation.

    Raises:
        InvalidInput: they are too long together.
    """
    characters = sum(len(turn.text) for turn in history)
    if characters > settings.history_characters_max:
        raise InvalidInput(
            f"The history has {characters} characters; at most "
            f"{settings.history_characters_max} are read. Send the last turns only.",
            reason="HISTORY_TOO_LONG",
            field="history",
        )
    return tuple(history)


def checked_bundle(bundle: bytes, settings: GatewaySettings) -> bytes:
    """Returns an evidence bundle.

    Raises:
        InvalidInput: it is longer than any that Answer returns.
    """
    if len(bundle) > settings.bundle_bytes_max:
        raise InvalidInput(
            f"The evidence bundle has {len(bundle)} bytes; none that Answer returns has more "
            f"than {settings.bundle_bytes_max}. Send it back as it came.",
            reason="BUNDLE_TOO_LONG",
            field="evidence_bundle",
        )
    return bundle
