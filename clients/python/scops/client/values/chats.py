"""Chats: questions with their answers, as they were."""

from dataclasses import dataclass, field
from datetime import datetime

from scops.client.values.answers import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Questions and answers that belong together.

    Attributes:
        name: `chats/{chat}`.
        title: as its owner wrote it, else the first question.
        ask_time: when something was last asked.
        shared: whether there is a link by which others may read it.
        scopes: what was asked last was asked in these.
    """

    name: str = ""
    owner: str = ""
    title: str = ""
    turn_count: int = 0
    create_time: datetime | None = None
    ask_time: datetime | None = None
    shared: bool = False
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """A question and its answer, as it was.

    Attributes:
        name: `chats/{chat}/turns/{turn}`.
        answer: without the texts of passages; with its bundle where the turn is read alone.
        withheld_statements: left out: of pages that you may not see now, or that were purged.
    """

    name: str = ""
    query: str = ""
    scopes: tuple[str, ...] = ()
    as_of_time: datetime | None = None
    ask_time: datetime | None = None
    answer: Answer = field(default_factory=Answer)
    withheld_statements: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedChat:
    """A chat and what its link has, which is kept nowhere; empty where the link was ended."""

    chat: Chat = Chat()
    share: str = ""
