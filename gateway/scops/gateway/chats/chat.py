"""Chats and their turns, as they are stored."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from scops.common.contract.messages.explanation import AnswerResponse

ChatId = NewType("ChatId", str)
# Of one owner, and of one chat: a question beyond them is refused before it is asked.
CHATS_MAX = 1000
TURNS_MAX = 200
TITLE_CHARACTERS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Questions and answers that belong together.

    Attributes:
        title: empty before the first question, unless its owner gave one.
        scopes: as the last question named them.
        asked_time: when something was last asked; when it was created before that.
        share_hash: of what its link has; empty where there is no link.
    """

    chat_id: ChatId
    organisation_id: str
    owner: str
    title: str
    turn_count: int = 0
    scopes: tuple[str, ...] = ()
    created_time: datetime
    asked_time: datetime
    share_hash: bytes = b""

    @property
    def shared(self) -> bool:
        """Whether others of the organisation may read it by its link."""
        return bool(self.share_hash)

    def opens_by(self, share: str) -> bool:
        """Returns whether a text is what its link has."""
        return self.shared and hmac.compare_digest(self.share_hash, share_hash(share))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """A question and its answer.

    Attributes:
        number: from 1.
        scopes: names as they were asked, `*` too.
        answer: as `stored_answer` makes it.
        withheld_statements: left out for a reader.
    """

    chat_id: ChatId
    number: int
    query: str
    scopes: tuple[str, ...]
    as_of_time: datetime | None
    asked_time: datetime
    answer: AnswerResponse
    withheld_statements: int = 0


def share_hash(share: str) -> bytes:
    """Returns what is kept of a link's secret, which is random and needs no slow hash."""
    return hashlib.sha256(share.encode()).digest()
