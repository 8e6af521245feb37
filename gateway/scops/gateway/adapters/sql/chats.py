"""Chats in SQL."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, and_, delete, exists, func, insert, or_, select, tuple_, update

from scops.common.contract.ids import PageId
from scops.common.db import Database
from scops.common.db.connection import Connection
from scops.gateway.adapters.sql.tables import chat as chat_table
from scops.gateway.adapters.sql.tables import chat_page, chat_turn
from scops.gateway.chats.chat import Chat, ChatId, ChatTurn
from scops.gateway.chats.store import ChatFilter
from scops.gateway.chats.stored_answer import packed, pages_of, unpacked, without_words

ESCAPE = "\\"
# Turns whose words are taken out in one transaction.
PURGED_AT_ONCE = 50
# In a statement: SQLite and PostgreSQL take as many arguments, and more.
PAGES_AT_ONCE = 500
COLUMNS_OF_LISTED = tuple(one for one in chat_turn.c if one.name != "bundle")


class SqlChats:
    """A `ChatStore` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, chat: Chat, *, most: int) -> bool:
        owned = select(func.count()).select_from(chat_table).where(_owned(chat))
        async with self._database.transaction() as connection:
            if (await connection.execute(owned)).scalar_one() >= most:
                return False
            await connection.execute(insert(chat_table), _row_of(chat))
        return True

    async def get(self, chat_id: ChatId) -> Chat | None:
        statement = select(chat_table).where(chat_table.c.chat_id == chat_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(statement)).first()
        return None if row is None else _chat_of(row)

    async def newest(self, wanted: ChatFilter, *, limit: int) -> tuple[Chat, ...]:
        order = (chat_table.c.asked_at.desc(), chat_table.c.chat_id.desc())
        statement = select(chat_table).where(*_listed(wanted)).order_by(*order).limit(limit)
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return tuple(_chat_of(row) for row in rows)

    async def rename(self, chat_id: ChatId, title: str) -> None:
        await self._change(chat_id, title=title, folded_title=title.casefold())

    async def share(self, chat_id: ChatId, share_hash: bytes) -> None:
        await self._change(chat_id, share_hash=share_hash)

    async def _change(self, chat_id: ChatId, **values: Any) -> None:
        statement = update(chat_table).where(chat_table.c.chat_id == chat_id).values(**values)
        async with self._database.transaction() as connection:
            await connection.execute(statement)

    async def delete(self, chat_id: ChatId) -> None:
        async with self._database.transaction() as connection:
            await _delete(connection, [chat_id])

    async def append(self, turn: ChatTurn, *, title: str, most: int) -> int:
        words, bundle = await asyncio.to_thread(packed, turn.answer)
        mine = chat_table.c.chat_id == turn.chat_id
        # Held until the turn stands: of two that come at once each has a number of its own.
        held = select(chat_table).where(mine).with_for_update()
        async with self._database.transaction() as connection:
            row = (await connection.execute(held)).first()
            if row is None or row.turns >= most:
                return 0
            number = int(row.turns) + 1
            await connection.execute(
                insert(chat_turn),
                {
                    "chat_id": turn.chat_id,
                    "number": number,
                    "query": turn.query,
                    "folded_query": turn.query.casefold(),
                    "scopes": list(turn.scopes),
                    "as_of": turn.as_of_time,
                    "asked_at": turn.asked_time,
                    "answer": words,
                    "bundle": bundle,
                },
            )
            pages = [
                {
                    "organisation_id": row.organisation_id,
                    "page_id": page_id,
                    "chat_id": turn.chat_id,
                    "number": number,
                }
                for page_id in sorted(pages_of(turn.answer))
            ]
            if pages:
                await connection.execute(insert(chat_page), pages)
            named = row.title or title
            values = {
                "turns": number,
                "scopes": list(turn.scopes),
                "asked_at": turn.asked_time,
                "title": named,
                "folded_title": named.casefold(),
            }
            await connection.execute(update(chat_table).where(mine).values(**values))
        return number

    async def turns(self, chat_id: ChatId, *, after: int, limit: int) -> tuple[ChatTurn, ...]:
        statement = (
            select(*COLUMNS_OF_LISTED)
            .where(chat_turn.c.chat_id == chat_id, chat_turn.c.number > after)
            .order_by(chat_turn.c.number)
            .limit(limit)
        )
        return await self._turns(statement)

    async def last_turns(self, chat_id: ChatId, *, limit: int) -> tuple[ChatTurn, ...]:
        statement = (
            select(*COLUMNS_OF_LISTED)
            .where(chat_turn.c.chat_id == chat_id)
            .order_by(chat_turn.c.number.desc())
            .limit(limit)
        )
        return (await self._turns(statement))[::-1]

    async def turn(self, chat_id: ChatId, number: int) -> ChatTurn | None:
        statement = select(chat_turn).where(
            chat_turn.c.chat_id == chat_id, chat_turn.c.number == number
        )
        found = await self._turns(statement)
        return found[0] if found else None

    async def _turns(self, statement: Any) -> tuple[ChatTurn, ...]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return await asyncio.to_thread(lambda: tuple(_turn_of(row) for row in rows))

    async def purge(
        self, organisation_id: str, page_ids: Sequence[PageId], *, before: datetime
    ) -> int:
        wanted = list(dict.fromkeys(page_ids))
        count = 0
        for start in range(0, len(wanted), PAGES_AT_ONCE):
            part = wanted[start : start + PAGES_AT_ONCE]
            found = (
                select(chat_page.c.chat_id, chat_page.c.number)
                .where(
                    chat_page.c.organisation_id == organisation_id, chat_page.c.page_id.in_(part)
                )
                .distinct()
                .order_by(chat_page.c.chat_id, chat_page.c.number)
            )
            async with self._database.reading() as connection:
                turns = [(row.chat_id, row.number) for row in await connection.execute(found)]
            for at in range(0, len(turns), PURGED_AT_ONCE):
                count += await self._purge_turns(turns[at : at + PURGED_AT_ONCE], part, before)
        return count

    async def _purge_turns(
        self, turns: Sequence[tuple[str, int]], page_ids: Sequence[PageId], before: datetime
    ) -> int:
        count = 0
        async with self._database.transaction() as connection:
            for chat_id, number in turns:
                mine = and_(chat_turn.c.chat_id == chat_id, chat_turn.c.number == number)
                held = select(chat_turn).where(mine).with_for_update()
                row = (await connection.execute(held)).first()
                if row is None:
                    continue
                answer = await asyncio.to_thread(unpacked, row.answer, row.bundle)
                left = without_words(answer, page_ids, before=before)
                if left == answer:
                    continue
                words, bundle = await asyncio.to_thread(packed, left)
                changed = update(chat_turn).where(mine).values(answer=words, bundle=bundle)
                await connection.execute(changed)
                count += 1
        return count

    async def forget(self, *, asked_before: datetime, limit: int) -> int:
        found = (
            select(chat_table.c.chat_id)
            .where(chat_table.c.asked_at < asked_before)
            .order_by(chat_table.c.asked_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        async with self._database.transaction() as connection:
            chat_ids = [ChatId(row.chat_id) for row in await connection.execute(found)]
            await _delete(connection, chat_ids)
        return len(chat_ids)


async def _delete(connection: Connection, chat_ids: Sequence[ChatId]) -> None:
    for table in (chat_page, chat_turn, chat_table):
        await connection.execute(delete(table).where(table.c.chat_id.in_(chat_ids)))


def _owned(by: Chat | ChatFilter) -> Any:
    return and_(chat_table.c.organisation_id == by.organisation_id, chat_table.c.owner == by.owner)


def _listed(wanted: ChatFilter) -> list[Any]:
    held = [_owned(wanted)]
    if wanted.before:
        before = chat_table.c.chat_id == wanted.before
        asked = select(chat_table.c.asked_at).where(before).scalar_subquery()
        # One comparison of both, which an index in this order answers.
        own = tuple_(chat_table.c.asked_at, chat_table.c.chat_id)
        held.append(own < tuple_(asked, wanted.before))
    if wanted.text:
        likeness = f"%{_literal(wanted.text.casefold())}%"
        of_chat = chat_turn.c.chat_id == chat_table.c.chat_id
        asked_it = exists().where(of_chat, chat_turn.c.folded_query.like(likeness, escape=ESCAPE))
        held.append(or_(chat_table.c.folded_title.like(likeness, escape=ESCAPE), asked_it))
    return held


def _literal(text: str) -> str:
    """Returns a text in which LIKE reads no sign as more than itself."""
    for sign in (ESCAPE, "%", "_"):
        text = text.replace(sign, ESCAPE + sign)
    return text


def _row_of(chat: Chat) -> dict[str, Any]:
    return {
        "chat_id": chat.chat_id,
        "organisation_id": chat.organisation_id,
        "owner": chat.owner,
        "title": chat.title,
        "folded_title": chat.title.casefold(),
        "turns": chat.turn_count,
        "scopes": list(chat.scopes),
        "share_hash": chat.share_hash,
        "created_at": chat.created_time,
        "asked_at": chat.asked_time,
    }


def _chat_of(row: Row[Any]) -> Chat:
    return Chat(
        chat_id=ChatId(row.chat_id),
        organisation_id=row.organisation_id,
        owner=row.owner,
        title=row.title,
        turn_count=row.turns,
        scopes=tuple(row.scopes),
        share_hash=bytes(row.share_hash),
        created_time=row.created_at,
        asked_time=row.asked_at,
    )


def _turn_of(row: Row[Any]) -> ChatTurn:
    return ChatTurn(
        chat_id=ChatId(row.chat_id),
        number=row.number,
        query=row.query,
        scopes=tuple(row.scopes),
        as_of_time=row.as_of,
        asked_time=row.asked_at,
        answer=unpacked(row.answer, getattr(row, "bundle", b"")),
    )
