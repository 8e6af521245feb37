"""Names of models in OpenAI's form: a model is a scope or a set of scopes, at an instant.

scops/tarn    scops/tarn+laws@2026-05-01    scops/*    scops/research    scops/research/tarn
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from scops.common.contract.errors import InvalidInput
from scops.gateway.requests.names import SCOPE_ID

PREFIX = "scops/"
ALL = "*"
AND, AT, IN = "+", "@", "/"
# Has pages fetched until a question is answered; a scope so called is `research+research`.
RESEARCH = "research"
SCOPES_MAX = 32
DATE_CHARACTERS = len("2026-05-01")


@dataclass(frozen=True, slots=True)
class ChatModel:
    """What a model's name asks.

    Attributes:
        scopes: names of scopes as Answer takes them; `*` alone is all that the caller sees.
        as_of: the instant that is asked about; None for now.
        is_research: whether pages are fetched: in the first of the scopes, or where a URL leads.
    """

    scopes: tuple[str, ...]
    as_of: datetime | None
    is_research: bool = False


def chat_model(name: str) -> ChatModel:
    """Returns what a model's name asks.

    Raises:
        InvalidInput: it has another form.
    """
    asked, at, instant = name.removeprefix(PREFIX).partition(AT)
    first, inside, named = asked.partition(IN)
    is_research = first == RESEARCH and not at and bool(named) == bool(inside)
    ids = (named if is_research else asked).split(AND)
    is_whole = [asked] == [ALL] or (is_research and not named)
    fits = is_whole or all(SCOPE_ID.fullmatch(one) for one in ids)
    if not name.startswith(PREFIX) or not fits or len(ids) > SCOPES_MAX:
        raise InvalidInput(
            f"The model {name[:80]!r} names no scopes, or too many: write scops/NAME, "
            "scops/NAME+OTHER or scops/*, and @2026-05-01 behind it for how things stood; or "
            "scops/research and scops/research/NAME, which look at pages as they are now. "
            "GET /v1/models lists them.",
            reason="MODEL_UNKNOWN",
            field="model",
        )
    if is_whole:
        return ChatModel(
            () if is_research else (ALL,), _instant(instant) if at else None, is_research
        )
    scopes = tuple(f"scopes/{one}" for one in dict.fromkeys(ids))
    return ChatModel(scopes, _instant(instant) if at else None, is_research)


def model_names(scopes: Sequence[str]) -> tuple[str, ...]:
    """Returns the models of scopes by their names, and first those that need none."""
    ids = [name.partition("/")[2] for name in scopes]
    asked = [AND.join((one, one)) if one == RESEARCH else one for one in ids]
    return tuple(f"{PREFIX}{one}" for one in (ALL, RESEARCH, *asked))


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
