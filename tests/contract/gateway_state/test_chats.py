"""Chats, with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import MetaData, func, select

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    Citation,
    Highlight,
    Statement,
)
from scops.common.contract.messages.types import Clocks
from scops.common.db.database import Database
from scops.gateway.adapters.sql.chats import SqlChats
from scops.gateway.adapters.sql.tables import chat_page, chat_turn, metadata
from scops.gateway.chats.chat import Chat, ChatId, ChatTurn
from scops.gateway.chats.store import ChatFilter

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlChats, SqlChats, Database]
ANN = ChatFilter(organisation_id="main", owner="user:ann")


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlChats(first), SqlChats(second), first


def chat(chat_id: str = "a", **values: Any) -> Chat:
    given = {
        "organisation_id": "main",
        "owner": "user:ann",
        "title": "",
        "created_time": AT,
        "asked_time": AT,
        **values,
    }
    return Chat(chat_id=ChatId(chat_id), **given)


def answer(*pages: str, observed: datetime = AT - DAY, bundle: bytes = b"all") -> AnswerResponse:
    """An answer with a statement a page."""
    return AnswerResponse(
        answered=True,
        statements=tuple(
            Statement(
                text=f"says {page}",
                citation_numbers=(number,),
                highlight=Highlight(start=5, end=7, probability=0.5),
            )
            for number, page in enumerate(pages, start=1)
        ),
        citations=tuple(
            Citation(
                number=number,
                canonical_url=f"https://docs.example.org/{page}",
                page_id=PageId(page),
                version_id=VersionId("v1"),
                title=page,
                quote=f"says {page}",
                quote_digest="d",
                clocks=Clocks(observed_time=observed),
            )
            for number, page in enumerate(pages, start=1)
        ),
        bundle=bundle,
    )


def turn(chat_id: str = "a", **values: Any) -> ChatTurn:
    given = {
        "number": 0,
        "query": "How much?",
        "scopes": ("scopes/docs",),
        "as_of_time": None,
        "asked_time": AT,
        "answer": answer("p1"),
        **values,
    }
    return ChatTurn(chat_id=ChatId(chat_id), **given)


async def appended(store: SqlChats, one: ChatTurn, *, most: int = 9) -> int:
    return await store.append(one, title=one.query, most=most)


async def test_a_turn_is_read_as_it_was_added(stores: Stores) -> None:
    """By the other replica; a listing has no bundle, a turn by itself has."""
    first, second, _ = stores
    await first.create(chat(), most=9)
    asked = turn(as_of_time=AT - DAY, asked_time=AT + DAY)
    number = await appended(first, asked)
    (listed,) = await second.turns(ChatId("a"), after=0, limit=9)
    alone = await second.turn(ChatId("a"), 1)
    found = await second.get(ChatId("a"))

    assert 1 == number
    assert replace(asked, number=1) == alone
    assert replace(asked, number=1, answer=replace(asked.answer, bundle=b"")) == listed
    assert found is not None
    assert ("How much?", 1, ("scopes/docs",), AT + DAY) == (
        found.title,
        found.turn_count,
        found.scopes,
        found.asked_time,
    )


async def test_turns_that_come_at_once_have_numbers_of_their_own(stores: Stores) -> None:
    """By both replicas, and no more of them than may be."""
    first, second, _ = stores
    await first.create(chat(), most=9)
    numbers = await asyncio.gather(
        *(appended(store, turn(), most=5) for store in (first, second) for _ in range(4))
    )

    assert [0, 0, 0, 1, 2, 3, 4, 5] == sorted(numbers)
    assert [4, 5] == [one.number for one in await first.last_turns(ChatId("a"), limit=2)]
    assert [3, 4] == [one.number for one in await first.turns(ChatId("a"), after=2, limit=2)]


async def test_a_chat_that_is_gone_takes_no_turn(stores: Stores) -> None:
    """It goes with its turns and pages."""
    first, second, database = stores
    await first.create(chat(), most=9)
    await appended(first, turn())
    await second.delete(ChatId("a"))

    assert 0 == await appended(first, turn())
    assert None is await first.get(ChatId("a"))
    assert (0, 0) == await _rows(database)


async def test_an_owner_has_no_more_chats_than_may_be(stores: Stores) -> None:
    """Another owner's count apart."""
    first, *_ = stores
    taken = [await first.create(chat(str(number)), most=2) for number in range(3)]

    assert [True, True, False] == taken
    assert await first.create(chat("b", owner="user:bob"), most=2)


async def test_chats_are_listed_by_their_last_question(stores: Stores) -> None:
    """One owner's, page by page, of the same instant each once."""
    first, second, _ = stores
    for name in ("a", "b", "c"):
        await first.create(chat(name), most=9)
    await first.create(chat("d", owner="user:bob"), most=9)
    await appended(second, turn("b", asked_time=AT + DAY))
    begun = await first.newest(ANN, limit=2)
    rest = await first.newest(replace(ANN, before=begun[-1].chat_id), limit=2)

    assert ["b", "c", "a"] == [one.chat_id for one in (*begun, *rest)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("STRASSE", ["a"]),
        ("straße", ["a"]),
        ("how much", ["b"]),
        ("100%", ["c"]),
        ("10_%", []),
        ("", ["c", "b", "a"]),
    ],
)
async def test_chats_are_found_by_titles_and_questions(
    stores: Stores, text: str, found: list[str]
) -> None:
    """Whatever the case; no sign of LIKE means more than itself."""
    first, *_ = stores
    for name, title in (("a", "Die Straße"), ("b", "Prices"), ("c", "Is it 100% free?")):
        await first.create(chat(name, title=title), most=9)
    await appended(first, turn("b"))

    assert sorted(found) == sorted(
        one.chat_id for one in await first.newest(replace(ANN, text=text), limit=9)
    )


async def test_titles_and_links_are_changed(stores: Stores) -> None:
    """A title that was given stays when something is asked."""
    first, second, _ = stores
    await first.create(chat(), most=9)
    await first.rename(ChatId("a"), "Prices")
    await first.share(ChatId("a"), b"h")
    await appended(second, turn())
    found = await second.get(ChatId("a"))
    await first.share(ChatId("a"), b"")

    assert found is not None
    assert ("Prices", b"h") == (found.title, found.share_hash)
    ended = await second.get(ChatId("a"))
    assert ended is not None
    assert not ended.shared


async def test_a_purge_takes_words_out_of_every_turn(stores: Stores) -> None:
    """Of the pages meant, seen before the instant, of one organisation; done again, of none."""
    first, second, _ = stores
    await first.create(chat(), most=9)
    await first.create(chat("b", organisation_id="other"), most=9)
    await appended(first, turn(answer=answer("p1", "p2")))
    await appended(first, turn(answer=answer("p1", observed=AT + DAY)))
    await appended(first, turn("b"))
    counts = [await second.purge("main", [PageId("p1")], before=AT) for _ in range(2)]
    purged = await first.turn(ChatId("a"), 1)
    newer = await first.turn(ChatId("a"), 2)
    other = await first.turn(ChatId("b"), 1)

    assert [1, 0] == counts
    assert purged is not None
    assert ["", "says p2"] == [one.text for one in purged.answer.statements]
    assert [False, True] == [one.highlight is not None for one in purged.answer.statements]
    assert [("", "d"), ("says p2", "d")] == [
        (one.quote, one.quote_digest) for one in purged.answer.citations
    ]
    assert b"" == purged.answer.bundle
    assert newer is not None
    assert other is not None
    assert answer("p1", observed=AT + DAY) == newer.answer
    assert answer("p1") == other.answer


async def test_chats_in_which_nothing_was_asked_for_long_are_forgotten(stores: Stores) -> None:
    """Some at a time, the oldest first, with all that is theirs."""
    first, second, database = stores
    for days in range(3):
        await first.create(chat(str(days), asked_time=AT - days * DAY), most=9)
        await appended(first, turn(str(days), asked_time=AT - days * DAY))
    counts = [await second.forget(asked_before=AT, limit=1) for _ in range(3)]

    assert [1, 1, 0] == counts
    assert ["0"] == [one.chat_id for one in await first.newest(ANN, limit=9)]
    assert (1, 1) == await _rows(database)


async def _rows(database: Database) -> tuple[int, int]:
    """Returns how many turns there are, and how many pages of turns."""
    async with database.reading() as connection:
        turns = (await connection.execute(select(func.count()).select_from(chat_turn))).scalar_one()
        pages = (await connection.execute(select(func.count()).select_from(chat_page))).scalar_one()
    return int(turns), int(pages)
