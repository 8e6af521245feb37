"""Reads what a model answered: whole statements only, whatever stands around or between them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scops.common.text.printable import printable

QUOTES_MAX = 5
STATEMENTS_MAX = 20
CHARACTERS_MAX = 1000


@dataclass(frozen=True, slots=True)
class ClaimedQuote:
    """A quote as a model claims it; nothing of it is known to be true.

    Attributes:
        place: of the passage it names, from 0; -1 where it names none.
        start: where it says the quote begins in the passage; -1 where it does not say.
    """

    place: int
    start: int
    quote: str


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A sentence of a model with its quotes."""

    text: str
    quotes: tuple[ClaimedQuote, ...]


def claims_of(reply: str) -> list[CitedClaim] | None:
    """Returns the claims of a reply, in order; None where it holds no answer in our form.

    A reply that breaks off keeps the statements before the break.
    """
    opening = reply.find('"statements"')
    opening = reply.find("[", opening) if opening >= 0 else -1
    if opening < 0:
        return None
    return [claim for item in _objects(reply, opening + 1) if (claim := _claim(item)) is not None]


def _objects(reply: str, position: int) -> Iterator[dict[str, Any]]:
    """Yields the objects of a list that may break off."""
    decoder = json.JSONDecoder()
    for _ in range(STATEMENTS_MAX):
        while position < len(reply) and (reply[position].isspace() or reply[position] == ","):
            position += 1
        if not reply.startswith("{", position):
            return
        try:
            item, position = decoder.raw_decode(reply, position)
        except (json.JSONDecodeError, RecursionError):
            return
        yield item


def _claim(item: dict[str, Any]) -> CitedClaim | None:
    text, quotes = item.get("text"), item.get("quotes")
    if not isinstance(text, str) or not text.strip() or len(text) > CHARACTERS_MAX:
        return None
    listed = quotes if isinstance(quotes, list) else []
    claimed = [quote for entry in listed[:QUOTES_MAX] if (quote := _quote(entry)) is not None]
    # A line break would set a sentence apart as if it were ours.
    # JSON may have escaped what the reply itself did not show.
    return CitedClaim(printable(" ".join(text.split())), tuple(claimed))


def _quote(entry: Any) -> ClaimedQuote | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("quote"), str):
        return None
    if not entry["quote"].strip() or len(entry["quote"]) > CHARACTERS_MAX:
        return None
    start = entry.get("start")
    return ClaimedQuote(
        place=_place(entry.get("id")),
        start=start if isinstance(start, int) and not isinstance(start, bool) else -1,
        quote=entry["quote"].strip(),
    )


def _place(name: Any) -> int:
    digits = str(name).removeprefix("p")
    return int(digits) - 1 if digits.isascii() and digits.isdigit() and len(digits) < 4 else -1
