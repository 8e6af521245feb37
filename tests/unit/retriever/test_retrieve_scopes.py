"""`Retrieve` keeps to the scopes asked for: rules, access, and how far a filter is searched."""

from dataclasses import replace

import pytest

from scops.common.contract.errors import NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.retrieval import Awaited
from scops.common.contract.messages.types import BodyRef, RuleKind
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import ScopeClause, ScopeFilter
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever.candidates import scope_rules, search
from tests.fakes.clock import START
from tests.fakes.worlds.indexed_pages import page_of
from tests.fakes.worlds.retriever import HOST, Retrieving, scope_of, url_of

DOCS = scope_of(HOST)


async def test_pages_outside_the_scope_stay_out(world: Retrieving) -> None:
    """A prefix and an excluding rule decide."""
    await world.show("guide/a", "The fee is 10 euros.")
    await world.show("guide/old/b", "The fee is 9 euros.")
    await world.show("blog/c", "The fee is 8 euros.")
    scope = scope_of(f"{HOST}/guide", scope_id="guide", exclude=[f"{HOST}/guide/old"])
    world.book.apply(scope)

    assert ["The fee is 10 euros."] == await world.texts("fee", scope)


async def test_several_scopes_are_a_union_and_name_their_rules(world: Retrieving) -> None:
    """Each passage lists every scope asked for that holds it."""
    await world.show("guide/a", "The fee is 10 euros.")
    await world.show("blog/b", "The fee is 8 euros.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    world.book.apply(guide)
    response = await world.ask("fee", guide, DOCS)

    held = {p.text: [match.scope_id for match in p.scopes] for p in response.evidence}
    assert {"The fee is 10 euros.": ["guide", "docs"], "The fee is 8 euros.": ["docs"]} == held
    rules = {match.rule.pattern for p in response.evidence for match in p.scopes}
    assert {f"{HOST}/guide", HOST} == rules


async def test_scopes_listed_with_a_passage_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page in a thousand scopes must not fill the reply with them."""
    monkeypatch.setattr(scope_rules, "SCOPE_MATCHES_MAX", 2)
    world = await Retrieving.create()
    await world.show("a", "The fee is 10 euros.")
    scopes = [scope_of(HOST, scope_id=f"s{number}") for number in range(4)]
    for scope in scopes:
        world.book.apply(scope)
    response = await world.ask("fee", *scopes)

    assert ["s0", "s1"] == [match.scope_id for match in response.evidence[0].scopes]


async def test_page_of_another_access_context_stays_out(world: Retrieving) -> None:
    """What a credential fetched belongs to no scope that lacks it."""
    page = page_of(url_of("secret"), "The fee is 10 euros.")
    await world.pages.show(page, at=START, access_context="credential-1")

    assert [] == await world.texts("fee")


async def test_glob_that_its_prefix_cannot_narrow_is_searched_further() -> None:
    """The search widens while hits that the rule drops stand in front of those it keeps."""
    world = await Retrieving.create(candidates=10)
    for number in range(60):
        await world.show(f"blog/{number}", f"The fee is {number} euros, fee fee fee.")
    await world.show("de/api/fees", "Prices are listed elsewhere.")
    scope = scope_of(f"{HOST}/**/api/*", scope_id="api", kind=RuleKind.GLOB)
    world.book.apply(scope)

    assert ["Prices are listed elsewhere."] == await world.texts("fee", scope, limit=1)


async def test_search_that_stops_at_its_bound_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scope that cannot be searched to its end must not look empty."""
    monkeypatch.setattr(search, "CANDIDATES_MAX", 20)
    world = await Retrieving.create(candidates=10)
    for number in range(60):
        await world.show(f"blog/{number}", f"The fee is {number} euros, fee fee fee.")
    await world.show("de/api/fees", "Prices are listed elsewhere.")
    scope = scope_of(f"{HOST}/**/api/*", scope_id="api", kind=RuleKind.GLOB)
    world.book.apply(scope)
    response = await world.ask("fee", scope, limit=1)

    assert () == response.evidence
    assert "few lie inside" in response.shortfall_reason


async def test_deleted_scope_finds_nothing_and_says_why(world: Retrieving) -> None:
    """A deleted scope is no error: it may have been deleted a moment ago."""
    await world.show("a", "The fee is 10 euros.")
    world.book.apply(replace(DOCS, revision=2, deleted=True))
    response = await world.ask("fee")

    assert () == response.evidence
    assert "The scopes asked for have been deleted." == response.shortfall_reason


async def test_scope_that_has_not_arrived_is_told_before_anything_is_waited_for(
    world: Retrieving,
) -> None:
    """The caller asks again; nobody waits for pages in vain."""
    page_id = world.pages.page_id(url_of("a"))
    awaited = (Awaited(page_id=page_id, observed_time=START),)
    with pytest.raises(NotYetKnown):
        await world.ask("fee", replace(DOCS, revision=9), awaited=awaited)

    assert START == world.clock.now()


class _RuleRemovedMeanwhile:
    """Manifests during whose reading the scope changes."""

    def __init__(self, world: Retrieving) -> None:
        self._world = world

    async def get(self, ref: BodyRef) -> Manifest:
        self._world.book.apply(scope_of(f"{HOST}/other", revision=2))
        return await self._world.ports.manifests.get(ref)


async def test_rule_removed_during_the_question_lets_nothing_out(world: Retrieving) -> None:
    """The newest rules judge what leaves, after everything was waited for."""
    await world.show("a", "The fee is 10 euros.")
    racing = world.with_ports(manifests=_RuleRemovedMeanwhile(world))

    assert [] == await racing.texts("fee")


class _LeakyStore:
    """A store whose filter lets everything in, and that repeats its hits."""

    def __init__(self, world: Retrieving) -> None:
        self._world = world

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        everything = ScopeClause(
            ScopeId("all"),
            include=frozenset({HOST, "elsewhere.example.org"}),
            exclude=frozenset(),
            access_contexts=frozenset({PUBLIC, "credential-1"}),
        )
        scope_filter = ScopeFilter((everything,))
        hits = await self._world.pages.store.search(replace(query, scope_filter=scope_filter))
        return [*hits, *reversed(hits)]


async def test_mistake_in_the_filter_leaks_nothing(world: Retrieving) -> None:
    """The rules and the access context are judged again, and each chunk leaves once."""
    await world.show("a", "The fee is 10 euros.")
    secret = page_of(url_of("secret"), "The fee is 1 euro.")
    await world.pages.show(secret, at=START, access_context="credential-1")
    foreign = page_of("https://elsewhere.example.org/b", "The fee is 8 euros.")
    await world.pages.show(foreign, at=START)
    leaky = world.with_ports(store=_LeakyStore(world))

    assert ["The fee is 10 euros."] == await leaky.texts("fee")


async def test_a_thousand_scopes_are_asked_at_once(world: Retrieving) -> None:
    """The union of many narrow scopes is searched, and nothing beside it."""
    await world.show("p7/a", "The fee is 10 euros.")
    await world.show("other/b", "The fee is 8 euros.")
    scopes = [scope_of(f"{HOST}/p{n}", scope_id=f"s{n}") for n in range(1000)]
    for scope in scopes:
        world.book.apply(scope)

    assert ["The fee is 10 euros."] == await world.texts("fee", *scopes)
