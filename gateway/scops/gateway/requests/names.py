"""Resource names of the API (AIP-122): a collection and an id, such as `scopes/{scope}`."""

import re
from typing import Any, Generic, TypeVar, cast

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId, PageId, PurgeId, ScopeId
from scops.gateway.chats.chat import ChatId
from scops.gateway.research.research import ResearchId

SCOPE_ID = re.compile(r"[a-z][a-z0-9-]{0,62}")
TURN_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
OPAQUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
Id = TypeVar("Id", bound=str)


class ResourceNames(Generic[Id]):
    """The names of one collection: its own, a slash and an id."""

    def __init__(self, collection: str, form: re.Pattern[str]) -> None:
        self._collection = collection
        self._form = form

    def name(self, identifier: Id) -> str:
        """Returns the name of an id, or nothing for no id."""
        return f"{self._collection}/{identifier}" if identifier else ""

    def id_of(self, name: str, field: str = "name") -> Id:
        """Returns the id in a name.

        Args:
            field: of the request, for the error.

        Raises:
            InvalidInput: the name has another form.
        """
        head, _, tail = name.partition("/")
        if head != self._collection or not self._form.fullmatch(tail):
            raise InvalidInput(
                f"The name {name[:80]!r} cannot be used: it must be {self._collection}/ and an id.",
                reason="MALFORMED_NAME",
                field=field,
            )
        return cast(Id, tail)

    def optional_id_of(self, name: str, field: str = "name") -> Id | None:
        """Returns the id in a name, or None for no name.

        Raises:
            InvalidInput: the name has another form.
        """
        return self.id_of(name, field) if name else None


SCOPES = ResourceNames[ScopeId]("scopes", SCOPE_ID)
PAGES = ResourceNames[PageId]("pages", OPAQUE_ID)
JOBS = ResourceNames[JobId]("jobs", OPAQUE_ID)
PURGES = ResourceNames[PurgeId]("purges", OPAQUE_ID)
KEYS = ResourceNames[str]("keys", OPAQUE_ID)
WATCHES = ResourceNames[str]("watches", OPAQUE_ID)
scope_name, scope_of = SCOPES.name, SCOPES.id_of
page_name, page_of = PAGES.name, PAGES.id_of
job_name, job_of = JOBS.name, JOBS.id_of
purge_name, purge_of = PURGES.name, PURGES.id_of
key_name, key_of = KEYS.name, KEYS.id_of
watch_name, watch_of = WATCHES.name, WATCHES.id_of
CHATS = ResourceNames[ChatId]("chats", OPAQUE_ID)
RESEARCHES = ResourceNames[ResearchId]("researches", OPAQUE_ID)
LETTERS = ResourceNames[str]("deadLetters", OPAQUE_ID)
letter_name, letter_of = LETTERS.name, LETTERS.id_of
chat_name, chat_of = CHATS.name, CHATS.id_of
research_name, research_of = RESEARCHES.name, RESEARCHES.id_of
TURNS = "/turns/"


def turn_name(chat_id: ChatId, number: int) -> str:
    """Returns the name of a turn of a chat."""
    return f"{chat_name(chat_id)}{TURNS}{number}"


def turn_of(name: str) -> dict[str, Any]:
    """Returns the `chat_id` and the `number` in the name of a turn.

    Raises:
        InvalidInput: the name has another form.
    """
    chat, _, number = name.partition(TURNS)
    if not TURN_NUMBER.fullmatch(number):
        raise InvalidInput(
            f"The name {name[:80]!r} cannot be used: it must be chats/, an id, /turns/ and a "
            "number.",
            reason="MALFORMED_NAME",
            field="name",
        )
    return {"chat_id": chat_of(chat), "number": int(number)}


def checked_scope_id(text: str) -> ScopeId:
    """Returns a scope id that a caller chose.

    Raises:
        InvalidInput: it is not 1 to 63 characters of a-z, 0-9 and -, beginning with a letter.
    """
    if not SCOPE_ID.fullmatch(text):
        raise InvalidInput(
            f"The scope id {text[:80]!r} cannot be used: it must be 1 to 63 characters of a-z, "
            "0-9 and -, and begin with a letter, such as team-docs.",
            reason="MALFORMED_SCOPE_ID",
            field="scope_id",
        )
    return ScopeId(text)
