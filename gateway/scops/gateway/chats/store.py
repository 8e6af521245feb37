"""Where chats are kept; every method is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import PageId
from scops.gateway.chats.chat import Chat, ChatId, ChatTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFilter:
    """The chats that are listed.

    Attributes:
        text: that the title or a question holds, whatever its case; empty for all.
        before: the chat after which the listing goes on; empty for its beginning.
    """

    organisation_id: str
    owner: str
    text: str = ""
    before: str = ""


class ChatStore(Protocol):
    """Chats with their turns."""

    async def create(self, chat: Chat, *, most: int) -> bool:
        """Inserts a chat; False, and nothing inserted, where its owner has as many as may be."""
        ...

    async def get(self, chat_id: ChatId) -> Chat | None:
        """Returns a chat."""
        ...

    async def newest(self, wanted: ChatFilter, *, limit: int) -> tuple[Chat, ...]:
        """Returns chats, those asked last first."""
        ...

    async def rename(self, chat_id: ChatId, title: str) -> None:
        """Gives a chat another title; one that is gone stays gone."""
        ...

    async def share(self, chat_id: ChatId, share_hash: bytes) -> None:
        """Sets what the link of a chat has; empty ends it."""
        ...

    async def delete(self, chat_id: ChatId) -> None:
        """Deletes a chat with its turns; one that is gone stays gone."""
        ...

    async def append(self, turn: ChatTurn, *, title: str, most: int) -> int:
        """Adds a turn at the end of its chat and returns its number; 0 where nothing was added.

        Nothing is where the chat is gone, or has as many turns as may be.

        Args:
            turn: its number counts for nothing.
            title: for a chat that has none yet.
        """
        ...

    async def turns(self, chat_id: ChatId, *, after: int, limit: int) -> tuple[ChatTurn, ...]:
        """Returns turns above a number, oldest first, without bundles."""
        ...

    async def last_turns(self, chat_id: ChatId, *, limit: int) -> tuple[ChatTurn, ...]:
        """Returns the newest turns, oldest first, without bundles."""
        ...

    async def turn(self, chat_id: ChatId, number: int) -> ChatTurn | None:
        """Returns a turn with its bundle, where that is kept."""
        ...

    async def purge(
        self, organisation_id: str, page_ids: Sequence[PageId], *, before: datetime
    ) -> int:
        """Takes what some pages said before an instant out of every turn; returns of how many.

        Done again it changes nothing, and counts nothing.
        """
        ...

    async def forget(self, *, asked_before: datetime, limit: int) -> int:
        """Deletes some of the chats in which nothing was asked since, and returns how many."""
        ...
