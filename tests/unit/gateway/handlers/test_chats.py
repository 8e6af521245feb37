"""Chats: what is kept of an answer, who reads it, and what becomes of it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from scops.common.access.principal import Principal
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted, QuotaReached
from scops.common.contract.ids import ChunkId, PageId, PurgeId, ScopeId, VersionId
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    Speaker,
    Statement,
    Turn,
)
from scops.common.contract.messages.purge import PagesPurged
from scops.common.contract.messages.retrieval import Evidence
from scops.common.contract.messages.types import Clocks, Grant, OrderKey, ScopeRole
from scops.common.query.ports import ANSWER
from scops.gateway.chats.chat import Chat, ChatTurn
from scops.gateway.handlers import search, sharing
from scops.gateway.handlers.chats import keeping, reading
from scops.gateway.handlers.chats.purging import forget_chats, handle_pages_purged
from scops.gateway.handlers.purges import purge_pages
from scops.gateway.purges.purge import CHATS
from scops.gateway.requests.names import turn_of
from tests.fakes.worlds.change import cause
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

SEEN = datetime(2026, 3, 1, tzinfo=UTC)
ANN, BOB = "user:ann", "user:bob"
QUERY = "How much does it cost?"


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    """A gateway with the scope `docs` of Ann."""
    async with gateway_world() as opened:
        await opened.create_scope(owner=ANN)
        yield opened


def told(*pages: str) -> AnswerResponse:
    """An answer with a statement a page."""
    numbered = list(enumerate(pages, start=1))
    return AnswerResponse(
        answered=True,
        statements=tuple(Statement(text=f"says {p}", citation_numbers=(n,)) for n, p in numbered),
        citations=tuple(
            Citation(
                number=number,
                page_id=PageId(page),
                version_id=VersionId("v1"),
                canonical_url=f"{DOCS}{page}",
                quote=f"says {page}",
                clocks=Clocks(observed_time=SEEN),
            )
            for number, page in numbered
        ),
        evidence=tuple(
            Evidence(
                chunk_id=ChunkId(f"c-{page}"),
                page_id=PageId(page),
                canonical_url=f"{DOCS}{page}",
                text=f"It says {page} and more.",
                clocks=Clocks(observed_time=SEEN),
                order_key=OrderKey(observed_from=SEEN),
            )
            for page in pages
        ),
        bundle=b"all of it",
    )


async def begun(world: GatewayWorld, caller: str = ANN, title: str = "") -> Chat:
    return await keeping.create_chat(world.ports, world.call(caller), title=title)


async def asked(
    world: GatewayWorld, chat: Chat, *pages: str, caller: str = ANN, **question: Any
) -> list[AnswerRequest]:
    """Asks in a chat; returns what the explainer was asked."""
    requests = world.says(ANSWER, told(*pages))
    await search.answer(
        world.ports,
        world.call(caller),
        question=AnswerRequest(query=QUERY, **question),
        scopes=("*",),
        chat_id=chat.chat_id,
    )
    return requests


async def read(
    world: GatewayWorld, chat: Chat, caller: str = ANN, share: str = ""
) -> tuple[ChatTurn, ...]:
    turns, _ = await reading.list_turns(
        world.ports,
        world.call(caller),
        chat_id=chat.chat_id,
        share=share,
        page_size=25,
        page_token="",
    )
    return turns


async def test_an_answer_is_kept_where_its_question_said(world: GatewayWorld) -> None:
    """With its evidence, and without the texts of passages; the bundle comes by itself."""
    chat = await begun(world)
    world.says(ANSWER, told("a"))
    kept = await search.answer(
        world.ports,
        world.call(ANN),
        question=AnswerRequest(query=QUERY),
        scopes=("*",),
        chat_id=chat.chat_id,
    )
    (turn,) = await read(world, chat)
    alone = await reading.get_turn(world.ports, world.call(ANN), **turn_of(kept.turn), share="")

    assert told("a") == kept.answer
    assert (QUERY, ("*",), told("a").citations) == (turn.query, turn.scopes, turn.answer.citations)
    assert [("c-a", "")] == [(one.chunk_id, one.text) for one in turn.answer.evidence]
    assert (b"", b"all of it") == (turn.answer.bundle, alone.answer.bundle)
    assert QUERY == (await reading.get_chat(
        world.ports, world.call(ANN), chat_id=chat.chat_id, share=""
    )).title  # fmt: skip


async def test_a_question_without_an_answer_is_kept_too(world: GatewayWorld) -> None:
    """Somebody who sees no scope is told so, and finds it in the chat."""
    chat = await begun(world, BOB)
    await asked(world, chat, caller=BOB)
    (turn,) = await read(world, chat, BOB)

    assert not turn.answer.answered
    assert turn.answer.shortfall_reason


async def test_what_was_said_in_a_chat_is_its_history(world: GatewayWorld) -> None:
    """A history that is sent wins."""
    chat = await begun(world)
    await asked(world, chat, "a", "b")
    second = await asked(world, chat, "a")
    own = (Turn(speaker=Speaker.USER, text="something else"),)
    third = await asked(world, chat, "a", history=own)

    assert (
        Turn(speaker=Speaker.USER, text=QUERY),
        Turn(speaker=Speaker.ASSISTANT, text="says a says b"),
    ) == second[-1].history
    assert own == third[-1].history


async def test_a_chat_is_its_owners(world: GatewayWorld) -> None:
    """Others find nothing, in whichever way they ask."""
    chat = await begun(world)
    await asked(world, chat, "a")
    call, chat_id = world.call(BOB), chat.chat_id
    ways = [
        reading.get_chat(world.ports, call, chat_id=chat_id, share=""),
        read(world, chat, BOB),
        reading.get_turn(world.ports, call, chat_id=chat_id, number=1, share=""),
        keeping.rename_chat(world.ports, call, chat_id=chat_id, title="mine"),
        keeping.share_chat(world.ports, call, chat_id=chat_id, stop=False),
        keeping.delete_chat(world.ports, call, chat_id=chat_id),
        asked(world, chat, "a", caller=BOB),
    ]
    for way in ways:
        with pytest.raises(NotFound) as caught:
            await way
        assert "CHAT_NOT_FOUND" == caught.value.reason
    listed, _ = await keeping.list_chats(world.ports, call, text="", page_size=0, page_token="")

    assert () == listed


async def test_a_link_shows_what_its_reader_may_see(world: GatewayWorld) -> None:
    """It opens the chat for others of the installation, and no page that is hidden from them."""
    chat = await begun(world)
    await asked(world, chat, "a")
    _, share = await keeping.share_chat(
        world.ports, world.call(ANN), chat_id=chat.chat_id, stop=False
    )
    (hidden,) = await read(world, chat, BOB, share)
    await sharing.share_scope(
        world.ports,
        world.call(ANN),
        scope_id=ScopeId("docs"),
        grant=Grant(subject=BOB, role=ScopeRole.VIEWER),
        etag="",
    )
    (shown,) = await read(world, chat, BOB, share)

    assert (QUERY, 1, (), b"") == (
        hidden.query,
        hidden.withheld_statements,
        hidden.answer.citations,
        hidden.answer.bundle,
    )
    assert not hidden.answer.answered
    assert ["says a"] == [one.text for one in shown.answer.statements]
    assert 0 == shown.withheld_statements


@pytest.mark.parametrize("stop", [True, False])
async def test_a_link_ends_when_its_owner_says_so(world: GatewayWorld, *, stop: bool) -> None:
    """Or makes another one; a wrong one opens nothing."""
    chat = await begun(world)
    _, share = await keeping.share_chat(
        world.ports, world.call(ANN), chat_id=chat.chat_id, stop=False
    )
    assert () == await read(world, chat, BOB, share)
    changed, other = await keeping.share_chat(
        world.ports, world.call(ANN), chat_id=chat.chat_id, stop=stop
    )
    for wrong in (share, "", "guessed"):
        with pytest.raises(NotFound):
            await read(world, chat, BOB, wrong)

    assert (not stop, not stop) == (changed.shared, bool(other))


async def test_purged_words_leave_a_chat(world: GatewayWorld) -> None:
    """From the mark on they are not shown, and once the pages are known they are gone."""
    chat = await begun(world)
    await asked(world, chat, "a", "b")
    purge = (await purge_pages(
        world.ports,
        world.call(),
        page_ids=(PageId("a"),),
        url_prefixes=(),
        scope_id=None,
        before_time=None,
        reason="",
        dry_run=False,
        request_id="",
    )).purge  # fmt: skip
    assert purge is not None
    (marked,) = await read(world, chat)
    event = PagesPurged(
        purge_id=purge.purge_id,
        attempt=1,
        batch=1,
        page_ids=(PageId("a"),),
        before_time=world.clock.now(),
    )
    await handle_pages_purged(event, cause(), world.ports)
    stored = await world.ports.chats.turn(chat.chat_id, 1)
    noted = await world.ports.purges.get(PurgeId(purge.purge_id))

    assert ["says b"] == [one.text for one in marked.answer.statements]
    assert 1 == marked.withheld_statements
    assert stored is not None
    assert ["", "says b"] == [one.text for one in stored.answer.statements]
    assert ["", "says b"] == [one.quote for one in stored.answer.citations]
    assert b"" == stored.answer.bundle
    (shown,) = await read(world, chat)
    assert ["says b"] == [one.text for one in shown.answer.statements]
    assert noted is not None
    (mine,) = [one for one in noted.progress if one.owner == CHATS]
    assert [("chat_turns", 1)] == [(one.kind, one.count) for one in mine.counts]


async def test_an_answer_that_a_purge_overtook_is_kept_without_its_words(
    world: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is marked while its answer is stored is looked for once more."""
    chat = await begun(world)
    append = world.ports.chats.append

    async def overtaken(turn: ChatTurn, *, title: str, most: int) -> int:
        await purge_pages(
            world.ports,
            world.call(),
            page_ids=(PageId("a"),),
            url_prefixes=(),
            scope_id=None,
            before_time=None,
            reason="",
            dry_run=False,
            request_id="",
        )
        return await append(turn, title=title, most=most)

    monkeypatch.setattr(world.ports.chats, "append", overtaken)
    await asked(world, chat, "a")
    stored = await world.ports.chats.turn(chat.chat_id, 1)

    assert stored is not None
    assert [""] == [one.quote for one in stored.answer.citations]


async def test_a_full_chat_is_told_before_anything_is_asked(
    world: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is searched for, or spent, for an answer that has no place."""
    monkeypatch.setattr(keeping, "TURNS_MAX", 1)
    monkeypatch.setattr(keeping, "CHATS_MAX", 1)
    chat = await begun(world)
    await asked(world, chat, "a")
    requests = world.says(ANSWER, told("a"))
    with pytest.raises(QuotaReached) as caught:
        await asked(world, chat, "a")
    with pytest.raises(QuotaReached) as refused:
        await begun(world)

    assert [] == requests
    assert ("CHAT_FULL", "CHATS_FULL") == (caught.value.reason, refused.value.reason)


@pytest.mark.parametrize(
    ("title", "reason"), [("  ", "TITLE_EMPTY"), ("t" * 201, "TITLE_TOO_LONG")]
)
async def test_a_title_has_words(world: GatewayWorld, title: str, reason: str) -> None:
    """Of a bound."""
    chat = await begun(world)
    with pytest.raises(InvalidInput) as caught:
        await keeping.rename_chat(world.ports, world.call(ANN), chat_id=chat.chat_id, title=title)

    assert reason == caught.value.reason


async def test_a_key_for_some_scopes_keeps_no_chats(world: GatewayWorld) -> None:
    """What its bearer asked by other credentials is none of its business."""
    chat = await begun(world)
    bounded = Principal(
        principal_id=ANN, organisation_id="main", limited_to=frozenset({ScopeId("docs")})
    )
    with pytest.raises(NotPermitted):
        await search.answer(
            world.ports,
            replace(world.call(ANN), principal=bounded),
            question=AnswerRequest(query=QUERY),
            scopes=("*",),
            chat_id=chat.chat_id,
        )


async def test_chats_go_after_their_time(world: GatewayWorld) -> None:
    """Counted from the last question."""
    old = await begun(world)
    world.clock.advance(86_400 * 10)
    new = await begun(world)
    assert not await forget_chats(world.ports, days=5)

    assert None is await world.ports.chats.get(old.chat_id)
    assert new == await world.ports.chats.get(new.chat_id)
