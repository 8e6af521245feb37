"""Odd scopes, questions and stores: fewer passages with the reason, or a clear error."""

import asyncio
from dataclasses import replace

import pytest

from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.messages.retrieval import PreferredScope
from scops.common.contract.messages.types import RuleKind
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever.candidates import search
from tests.fakes.clock import START
from tests.fakes.worlds.indexed_pages import page_of
from tests.fakes.worlds.retriever import HOST, Retrieving, scope_of, url_of

RECIPES = ("default", "hybrid", "temporal", "fresh", "graph", "owlerlite")


@pytest.mark.parametrize("recipe", RECIPES)
async def test_scope_without_a_page_is_empty_and_says_so(world: Retrieving, recipe: str) -> None:
    """Its neighbours do not help out."""
    await world.show("a", "The fee of Ada Ott is 10 euros.")
    empty = scope_of("empty.example.org", scope_id="empty")
    world.book.apply(empty)
    response = await world.ask("the fee of Ada Ott in 2020", empty, recipe=recipe)

    assert () == response.evidence
    assert "Nothing is indexed in these scopes" in response.shortfall_reason


@pytest.mark.parametrize("recipe", RECIPES)
async def test_scope_of_one_page_holds_that_page(world: Retrieving, recipe: str) -> None:
    """A page rule lets in one page, whatever lies under it."""
    await world.show("a", "The fee of Ada Ott is 10 euros.")
    await world.show("a/b", "The fee of Ada Ott is 8 euros.")
    one = scope_of(url_of("a"), scope_id="one", kind=RuleKind.PAGE)
    world.book.apply(one)
    response = await world.ask("the fee of Ada Ott in 2020", one, recipe=recipe)

    assert ["The fee of Ada Ott is 10 euros."] == [found.text for found in response.evidence]
    assert "Only 1 of 10 passages" in response.shortfall_reason


async def test_question_of_two_thousand_words_is_refused_clearly(world: Retrieving) -> None:
    """The error says how long it is and how long it may be."""
    with pytest.raises(InvalidInput, match=r"has \d+ characters; at most 8000") as refused:
        await world.ask("question " * 2000)

    assert "QUERY_TOO_LONG" == refused.value.reason


async def test_question_of_two_thousand_short_words_is_answered(world: Retrieving) -> None:
    """As long as it fits, its first words are searched for."""
    await world.show("a", "Ann Ott led the club.")

    assert ["Ann Ott led the club."] == await world.texts("who " * 1998)


class _HalfStore:
    """A store of which one side is lost: no vectors, or no words."""

    def __init__(self, world: Retrieving, *, side: str) -> None:
        self._world = world
        self._side = side

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        hits = await self._world.pages.store.search(query)
        if self._side == "words":
            return [replace(hit, bm25=None) for hit in hits]
        return [replace(hit, similarity=0.0) for hit in hits if hit.bm25 is not None]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("side", ["words", "vectors"])
async def test_store_that_has_lost_a_side_answers_from_the_other(
    world: Retrieving, side: str, recipe: str
) -> None:
    """What it finds ranks, and stays in the scope."""
    await world.show("a", "The fee of Ada Ott is 10 euros.")
    foreign = page_of("https://elsewhere.example.org/b", "The fee of Ada Ott is 8 euros.")
    await world.pages.show(foreign, at=START)
    half = world.with_ports(store=_HalfStore(world, side=side))

    assert ["The fee of Ada Ott is 10 euros."] == await half.texts(
        "the fee of Ada Ott", recipe=recipe
    )


class _TiringStore:
    """A store that answers once and then no more."""

    def __init__(self, world: Retrieving) -> None:
        self._world = world
        self._asked = 0

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        self._asked += 1
        if self._asked > 1:
            raise StoreUnavailable("The index did not answer.", reason="INDEX_UNAVAILABLE")
        return await self._world.pages.store.search(query)


@pytest.mark.parametrize("recipe", RECIPES)
async def test_store_that_tires_after_something_was_found_tells_so(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first search found is returned, inside the scope, and the reason with it."""
    monkeypatch.setattr(search, "RESCORED_FACTOR", 1)
    world = await Retrieving.create(candidates=10)
    for number in range(60):
        await world.show(f"blog/{number}", f"The fee of Ada Ott is {number} euros, fee fee fee.")
    await world.show("api/fees/1", "The fee of Ada Ott is 61 euros, fee fee fee.")
    mixed = scope_of(f"{HOST}/blog/1*", scope_id="mixed", kind=RuleKind.GLOB)
    world.book.apply(mixed)
    tiring = world.with_ports(store=_TiringStore(world))
    response = await tiring.ask("the fee of Ada Ott", mixed, recipe=recipe, limit=20)

    assert 0 < len(response.evidence) < 20
    assert all("/blog/1" in passage.canonical_url for passage in response.evidence)
    assert "did not answer every search" in response.shortfall_reason
    assert any("did not answer every search" in note for note in response.notes)


async def test_preference_is_lost_before_the_answer_is() -> None:
    """The search of the preferred scopes alone fails: the others' hits are ranked, and told."""
    world = await Retrieving.create()
    await world.show("a", "The fee of Ada Ott is 10 euros.")
    docs = scope_of(HOST)
    response = await world.with_ports(store=_TiringStore(world)).ask(
        "fee", docs, limit=1, preferred=(PreferredScope(scope_id=docs.scope_id),)
    )

    assert 1 == len(response.evidence)
    assert "" == response.shortfall_reason
    assert any("did not answer every search" in note for note in response.notes)


class _SlowStore:
    """A store that never answers."""

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        await asyncio.sleep(3600)
        raise AssertionError("nobody waits so long")


async def test_slow_store_is_left_in_time(world: Retrieving) -> None:
    """The error says what was waited for; nothing is made up."""
    slow = world.with_ports(store=_SlowStore(), time_limit=lambda seconds: asyncio.timeout(0))
    with pytest.raises(StoreUnavailable, match="within 5 s") as refused:
        await slow.ask("fee")

    assert "INDEX_SLOW" == refused.value.reason


async def test_store_that_tires_before_anything_was_found_is_an_error() -> None:
    """Half of a search is no answer: the caller is told to ask again."""
    world = await Retrieving.create(candidates=10)
    for number in range(60):
        await world.show(f"blog/{number}", f"The fee is {number} euros, fee fee fee.")
    api = scope_of(f"{HOST}/**/api/*", scope_id="api", kind=RuleKind.GLOB)
    world.book.apply(api)
    with pytest.raises(StoreUnavailable):
        await world.with_ports(store=_TiringStore(world)).ask("fee", api, limit=1)
