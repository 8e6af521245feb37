"""`Retrieve` on real rows, store and archive."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from scops.common.errors import BlobMissing, NotYetKnown, StoreUnavailable
from scops.common.ids import ScopeId
from scops.common.index.ports import StoreHit, StoreQuery
from scops.common.messages.change import Manifest
from scops.common.messages.retrieval import Awaited, PreferredScope, RetrieveResponse, Weights
from scops.common.messages.types import BodyRef, RuleKind, Scope
from scops.common.scope.filter import PUBLIC, ScopeClause, ScopeFilter
from tests.fakes.clock import START
from tests.fakes.indexed_pages import page_of
from tests.fakes.retrieving import HOST, Retrieving, scope_of, url_of

DAY = timedelta(days=1)
DOCS = scope_of(HOST)


async def test_best_passage_comes_first_with_its_offsets(world: Retrieving) -> None:
    """Evidence names the version, and its offsets are those of the text."""
    page = await world.show("a", "Owls eat mice at night.", "Trains leave at noon.")
    response = await world.ask("when do trains leave")

    first = response.evidence[0]
    assert "Trains leave at noon." == first.text == page.text[first.start : first.end]
    manifest = world.pages.manifests(page.url)[0]
    assert (manifest.version_id, manifest.text.digest) == (first.version_id, first.text_digest)
    assert not first.superseded


async def test_score_is_the_sum_of_the_parts_returned(world: Retrieving) -> None:
    """What is shown adds up."""
    await world.show("a", "Owls eat mice.", "Trains leave at noon.")
    response = await world.ask("owls")

    for passage in response.evidence:
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))


class _ReversedStore:
    """A store with another order of its hits."""

    def __init__(self, world: Retrieving) -> None:
        self._world = world

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        return (await self._world.pages.store.search(query))[::-1]


async def test_equal_scores_are_ordered_by_chunk(world: Retrieving) -> None:
    """Pages with the same words rank in a fixed order, whatever the store's is."""
    for path, mark in (("a", "+"), ("b", "<"), ("c", ">")):
        page = page_of(url_of(path), f"Owls eat mice {mark}", title="same")
        await world.pages.show(page, at=START)
    response = await world.with_ports(store=_ReversedStore(world)).ask("owls eat mice")

    chunks = [passage.chunk_id for passage in response.evidence]
    assert 3 == len(chunks)
    assert sorted(chunks) == chunks


async def test_edited_page_shows_only_its_new_version(world: Retrieving) -> None:
    """Old chunks stay in the store for a while and are never shown."""
    await world.show("a", "The fee is 10 euros.", "Owls are birds.")
    await world.show("a", "The fee is 12 euros.", "Owls are birds.", at=START + DAY)
    response = await world.ask("what is the fee")

    assert {"The fee is 12 euros.", "Owls are birds."} == {p.text for p in response.evidence}
    assert 1 == len({passage.version_id for passage in response.evidence})


async def test_chunk_without_a_head_is_not_shown(world: Retrieving) -> None:
    """Inserted chunks are harmless until a head lists them."""
    await world.show("a", "The fee is 10 euros.")
    await world.pages.forget_head(url_of("a"))

    assert [] == await world.texts("fee")


async def test_closed_page_is_not_found_now(world: Retrieving) -> None:
    """A page that is gone answers nothing today."""
    await world.show("a", "The fee is 10 euros.")
    await world.pages.close_page(url_of("a"), at=START + DAY)

    assert [] == await world.texts("fee")


@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (START - DAY, []),
        (START, ["The fee is 10 euros."]),
        (START + DAY - timedelta(microseconds=1), ["The fee is 10 euros."]),
        (START + DAY, ["The fee is 12 euros."]),
        (START + 3 * DAY, []),
    ],
)
async def test_as_of_answers_from_the_version_that_stood(
    world: Retrieving, at: datetime, expected: list[str], swept: bool
) -> None:
    """An instant finds the text of its day, from the live objects or from the history."""
    await world.show("a", "The fee is 10 euros.")
    await world.show("a", "The fee is 12 euros.", at=START + DAY)
    if swept:
        await world.pages.sweep()
    await world.pages.close_page(url_of("a"), at=START + 2 * DAY)

    assert expected == await world.texts("fee", as_of_time=at)


async def test_as_of_marks_what_has_been_superseded(world: Retrieving) -> None:
    """Only the version that still stands is not superseded, and only it has a verified time."""
    await world.show("a", "The fee is 10 euros.")
    await world.show("a", "The fee is 12 euros.", at=START + DAY)
    old = (await world.ask("fee", as_of_time=START)).evidence[0]
    new = (await world.ask("fee", as_of_time=START + DAY)).evidence[0]

    assert (True, None) == (old.superseded, old.clocks.verified_time)
    assert (False, START + DAY) == (new.superseded, new.clocks.verified_time)


async def test_chunk_that_came_back_is_returned_once(world: Retrieving) -> None:
    """A text that is live and in the history is one passage."""
    for day, fee in enumerate(("10", "12", "10")):
        await world.show("a", f"The fee is {fee} euros.", at=START + day * DAY)
        await world.pages.sweep()

    assert ["The fee is 10 euros."] == await world.texts("fee", as_of_time=START + 2 * DAY)


async def test_text_repeated_on_a_page_is_one_passage(world: Retrieving) -> None:
    """Equal chunks are told once, with how often they stand there besides."""
    await world.show("a", "Ask the help desk.", "Ask the help desk.")
    response = await world.ask("help desk")

    assert [1] == [passage.near_duplicates for passage in response.evidence]


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


async def test_scopes_listed_with_a_passage_are_bounded() -> None:
    """A page in a thousand scopes must not fill the reply with them."""
    world = await Retrieving.create(scope_matches_max=2)
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


async def test_search_that_stops_at_its_bound_says_so() -> None:
    """A scope that cannot be searched to its end must not look empty."""
    world = await Retrieving.create(candidates=10, candidates_max=20)
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

    def kept(self, ref: BodyRef) -> Manifest | None:
        """Returns nothing: every manifest is read."""
        return None

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


async def test_freshness_prefers_the_younger_text_when_asked(world: Retrieving) -> None:
    """delta > 0 weighs by age; by default age does not count."""
    await world.pages.show(page_of(url_of("old"), "Fees rise.", title="x"), at=START)
    await world.pages.show(page_of(url_of("new"), "Fees rise +", title="x"), at=START + 90 * DAY)
    world.clock.advance(90 * 86_400)
    response = await world.ask("fees", weights=Weights(delta=0.2))

    assert [url_of("new"), url_of("old")] == [p.canonical_url for p in response.evidence]
    fresh = [part.raw for p in response.evidence for part in p.parts if part.name == "fresh"]
    assert 1.0 == fresh[0] > fresh[1] > 0.5


async def _shortfall(world: Retrieving, **options: object) -> tuple[int, str]:
    response: RetrieveResponse = await world.ask("fee", **options)
    return len(response.evidence), response.shortfall_reason


async def test_full_reply_has_no_shortfall(world: Retrieving) -> None:
    """Nothing is missing when as many came as were asked."""
    await world.show("a", "The fee is 10 euros.", "Owls.")

    assert (1, "") == await _shortfall(world, limit=1)


async def test_fewer_passages_than_asked_are_explained(world: Retrieving) -> None:
    """The scope simply holds no more."""
    await world.show("a", "The fee is 10 euros.", "Owls.")

    assert (2, "Only 2 of 3 passages: these scopes hold no more.") == await _shortfall(
        world, limit=3
    )


async def test_empty_index_says_what_to_do(world: Retrieving) -> None:
    """Nothing crawled yet is told apart from nothing at that time."""
    count, reason = await _shortfall(world, as_of_time=START)

    assert 0 == count
    assert "as of that instant; crawl them first" in reason


async def test_reply_stays_below_its_bytes() -> None:
    """What does not fit in one reply is left out, and said so."""
    world = await Retrieving.create(evidence_bytes_max=4096)
    await world.show("a", *(f"The fee is {n} euros. " + "word " * 200 for n in range(5)))
    count, reason = await _shortfall(world, limit=5)

    assert 0 < count < 5
    assert "would not fit in one reply" in reason


class _Incomplete:
    """Manifests of which one is lost."""

    def __init__(self, world: Retrieving, lost: str) -> None:
        self._manifests = world.ports.manifests
        self._lost = lost

    def kept(self, ref: BodyRef) -> Manifest | None:
        """Returns nothing: every manifest is read."""
        return None

    async def get(self, ref: BodyRef) -> Manifest:
        manifest = await self._manifests.get(ref)
        if manifest.title == self._lost:
            raise BlobMissing("The archive lacks the manifest.")
        return manifest


async def test_lost_manifest_hides_its_page_only(world: Retrieving) -> None:
    """One unreadable page must not fail the question."""
    await world.show("a", "The fee is 10 euros.")
    await world.show("b", "The fee is 12 euros.")
    broken = world.with_ports(manifests=_Incomplete(world, "a"))

    assert ["The fee is 12 euros."] == await broken.texts("fee")


async def test_waits_until_an_awaited_page_was_verified(world: Retrieving) -> None:
    """The head is polled until it was seen at the instant or later."""
    await world.show("a", "The fee is 10 euros.")
    page_id = world.pages.page_id(url_of("a"))

    async def sleep(seconds: float) -> None:
        world.clock.advance(seconds)
        await world.pages.verify(url_of("a"), at=START + DAY)

    world.clock.sleep = sleep  # type: ignore[method-assign]
    awaited = (Awaited(page_id=page_id, observed_time=START + DAY),)
    response = await world.ask("fee", awaited=awaited)

    assert () == response.unverified_page_ids
    assert START + DAY == response.evidence[0].clocks.verified_time


async def test_awaited_pages_that_stay_out_are_named(world: Retrieving) -> None:
    """After the longest wait the answer goes without them and says so."""
    await world.show("a", "The fee is 10 euros.")
    page_ids = sorted(world.pages.page_id(url_of(path)) for path in ("a", "unknown"))
    awaited = tuple(Awaited(page_id=p, observed_time=START + DAY) for p in page_ids)
    response = await world.ask("fee", awaited=awaited)

    assert tuple(page_ids) == response.unverified_page_ids
    waited = (world.clock.now() - START).total_seconds()
    assert world.ports.settings.await_max_seconds == pytest.approx(waited, abs=0.1)


async def _preferring(world: Retrieving, *preferred: PreferredScope, **options: Any) -> list[str]:
    await world.show("guide/a", "The fee is 10 euros a year.")
    await world.show("blog/b", "The fee is 8 euros.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    blog = scope_of(f"{HOST}/blog", scope_id="blog")
    for scope in (guide, blog):
        world.book.apply(scope)
    response = await world.ask(
        "the fee is 8 euros", DOCS, guide, blog, preferred=preferred, **options
    )
    for passage in response.evidence:
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))
    return [passage.canonical_url for passage in response.evidence]


async def test_preferred_scope_comes_first_and_the_rest_follows(world: Retrieving) -> None:
    """A preference orders; it shuts nothing out."""
    guide = PreferredScope(scope_id=ScopeId("guide"))

    assert [url_of("guide/a"), url_of("blog/b")] == await _preferring(
        world, guide, weights=Weights(gamma=0.0)
    )


async def test_priority_orders_preferred_scopes(world: Retrieving) -> None:
    """The higher priority counts more."""
    guide = PreferredScope(scope_id=ScopeId("guide"), priority=1.0)
    blog = PreferredScope(scope_id=ScopeId("blog"), priority=0.001)

    assert [url_of("guide/a"), url_of("blog/b")] == await _preferring(
        world, guide, blog, weights=Weights(gamma=0.0)
    )


async def _scope_part(world: Retrieving, guide: Scope, url: str, *, recipe: str) -> float:
    preferred = (PreferredScope(scope_id=guide.scope_id),)
    response = await world.ask(
        "the fee is 8 euros", DOCS, guide, preferred=preferred, recipe=recipe
    )
    found = next(one for one in response.evidence if one.canonical_url == url)
    return next(part.raw for part in found.parts if part.name == "scope")


@pytest.mark.parametrize(("recipe", "falls"), [("default", True), ("owlerlite", False)])
async def test_scope_that_answers_gives_less_reason_to_leave_it(
    world: Retrieving, recipe: str, falls: bool
) -> None:
    """What answers inside a preferred scope lowers what is outside; OwlerLite's is constant."""
    await world.show("blog/b", "The fee is 8 euros.")
    await world.show("guide/a", "Opening hours are listed elsewhere.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    world.book.apply(guide)
    before = await _scope_part(world, guide, url_of("blog/b"), recipe=recipe)
    await world.show("guide/b", "The fee is 8 euros a year.")
    after = await _scope_part(world, guide, url_of("blog/b"), recipe=recipe)

    assert falls == (after < before)


async def test_preferred_page_does_not_starve_behind_what_resembles_more() -> None:
    """The preferred scopes are searched on their own as well."""
    world = await Retrieving.create(candidates=10, candidates_max=10)
    for number in range(30):
        await world.show(f"blog/{number}", f"The fee is {number} euros, fee fee fee.")
    await world.show("guide/a", "Prices are listed elsewhere.")
    guide = scope_of(f"{HOST}/guide", scope_id="guide")
    world.book.apply(guide)
    preferred = (PreferredScope(scope_id=ScopeId("guide")),)
    texts = await world.texts("fee", DOCS, guide, preferred=preferred, weights=Weights(gamma=0.0))

    assert "Prices are listed elsewhere." == texts[0]


async def test_question_with_a_time_ranks_the_text_of_that_time_first(world: Retrieving) -> None:
    """Two texts differ by their years alone."""
    await world.show("a", "From 2001 to 2004 Ann Ott led the club.")
    await world.show("b", "From 2005 to 2009 Bea Orr led the club.")
    response = await world.ask("Who led the club in 2007?")

    assert "From 2005 to 2009 Bea Orr led the club." == response.evidence[0].text
    parts = {part.name: part.weighted for part in response.evidence[0].parts}
    assert {"sentence", "time", "page", "length"} < parts.keys()
    assert response.evidence[0].score == pytest.approx(sum(parts.values()))
    assert ("Passages that speak of 2007-01-01 to 2007-12-31 rank higher.",) == response.notes


async def test_page_about_the_question_lifts_its_passages(world: Retrieving) -> None:
    """Two passages fit alike; one stands on a page that speaks of what is asked."""
    await world.show("a", "The Owl Club was founded in Graz.", "Ann Ott led it in 2007.")
    await world.show("b", "Trains leave at noon.", "Bea Orr led it in 2007.")
    response = await world.ask("Who led the Owl Club in 2007?", as_chunks=True)
    pages = {
        one.text: next(part.weighted for part in one.parts if part.name == "page")
        for one in response.evidence
    }

    assert 0.0 == pages["Ann Ott led it in 2007."] > pages["Bea Orr led it in 2007."]


async def test_times_that_exclude_each_other_are_said_so(world: Retrieving) -> None:
    """The question is answered without them, and nobody is left to wonder."""
    await world.show("a", "Ann Ott led the club.")
    response = await world.ask("Who led the club before 1990 after 2005?")

    assert 1 == len(response.evidence)
    assert "exclude each other" in response.notes[0]


@pytest.mark.parametrize(
    "query",
    [
        "🦉🦉",
        "谁在1990年领导俱乐部",
        "club " * 1500,
        "in the year 99999",
        '") OR *:* NEAR/2 -',
        "\x00club",
    ],
)
async def test_odd_question_gets_an_answer_from_its_scope(world: Retrieving, query: str) -> None:
    """No script, length or operator breaks a search or leads out of its scope."""
    await world.show("a", "Ann Ott led the club.")
    foreign = page_of("https://elsewhere.example.org/b", "Bea Orr led the club 🦉.")
    await world.pages.show(foreign, at=START)

    assert ["Ann Ott led the club."] == await world.texts(query)


async def test_a_thousand_scopes_are_asked_at_once(world: Retrieving) -> None:
    """The union of many narrow scopes is searched, and nothing beside it."""
    await world.show("p7/a", "The fee is 10 euros.")
    await world.show("other/b", "The fee is 8 euros.")
    scopes = [scope_of(f"{HOST}/p{n}", scope_id=f"s{n}") for n in range(1000)]
    for scope in scopes:
        world.book.apply(scope)

    assert ["The fee is 10 euros."] == await world.texts("fee", *scopes)


class _AwayStore:
    """A store that does not answer."""

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        raise StoreUnavailable("The index did not answer.", reason="INDEX_UNAVAILABLE")


async def test_store_that_does_not_answer_is_an_error_not_an_empty_reply(
    world: Retrieving,
) -> None:
    """Nobody must take silence for absence."""
    await world.show("a", "The fee is 10 euros.")
    with pytest.raises(StoreUnavailable):
        await world.with_ports(store=_AwayStore()).ask("fee")


async def test_best_of_both_sides_are_ranked() -> None:
    """Of the hits of both sides together, as many are looked at as are asked of each."""
    world = await Retrieving.create(candidates=10, candidates_max=10)
    for number in range(30):
        await world.show(f"blog/{number}", f"The owl of house {number} eats mice at night.")
    await world.show("code", "Error QX77 means that the owl has left.")
    response = await world.ask("what do owls eat QX77", limit=5)

    assert 10 == response.candidates
    assert "Error QX77 means that the owl has left." in [one.text for one in response.evidence]


async def test_question_with_a_time_looks_at_more() -> None:
    """Its ranking is not the store's, so the store's first are not enough."""
    world = await Retrieving.create(candidates=10, candidates_rescored=25)
    for number in range(30):
        await world.show(f"blog/{number}", f"In {1980 + number} the club had {number} members.")

    assert 10 == (await world.ask("how many members had the club")).candidates
    assert 25 == (await world.ask("how many members had the club in 1999")).candidates
