"""Names of models in OpenAI's form: a model is a scope or a set of scopes, at an instant.

scops/tarn    scops/tarn+laws@2026-05-01    scops/*
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from scops.common.contract.errors import InvalidInput
from scops.gateway.requests.names import SCOPE_ID

PREFIX = "scops/"
ALL = "*"
AND, AT = "+", "@"
SCOPES_MAX = 32
DATE_CHARACTERS = len("2026-05-01")


@dataclass(frozen=True, slots=True)
class ChatModel:
    """What a model's name asks.

    Attributes:
        scopes: names of scopes as Answer takes them; `*` alone is all that the caller sees.
        as_of: the instant that is asked about; None for now.
    """

    scopes: tuple[str, ...]
    as_of: datetime | None


def chat_model(name: str) -> ChatModel:
    """Returns what a model's name asks.

    Raises:
        InvalidInput: it has another form.
    """
    asked, at, instant = name.removeprefix(PREFIX).partition(AT)
    ids = asked.split(AND)
    fits = [asked] == [ALL] or all(SCOPE_ID.fullmatch(one) for one in ids)
    if not name.startswith(PREFIX) or not fits or len(ids) > SCOPES_MAX:
        raise InvalidInput(
            f"The model {name[:80]!r} names no scopes, or too many: write scops/NAME, "
            "scops/NAME+OTHER or scops/*, and @2026-05-01 behind it for how things stood. "
            "GET /v1/models lists them.",
            reason="MODEL_UNKNOWN",
            field="model",
        )
    scopes = (ALL,) if asked == ALL else tuple(f"scopes/{one}" for one in ids)
    return ChatModel(scopes, _instant(instant) if at else None)


def model_names(scopes: Sequence[str]) -> tuple[str, ...]:
    """Returns the models of scopes by their names, and the one of all of them first."""
    return (f"{PREFIX}{ALL}", *(f"{PREFIX}{name.partition('/')[2]}" for name in scopes))


def _instant(written: str) -> datetime:
    """Returns an instant; a bare date is its end in UTC, and without an offset it is in UTC."""
    try:
        if len(written) == DATE_CHARACTERS:
            return datetime.combine(date.fromisoformat(written), time.max, UTC)
        instant = datetime.fromisoformat(written)
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"The instant {written[:40]!r} of the model cannot be read: write @2026-05-01, or "
            "@2026-05-01T12:00:00Z.",
            reason="MODEL_UNKNOWN",
            field="model",
        ) from error
