"""Graph evidence: the walk over stored mentions, and the second search inside the scope."""

import random
from dataclasses import dataclass, replace

import pytest

from scops.common.contract.messages.retrieval import RetrieveResponse
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever.candidates import search
from scops.retriever.graph.mention_graph import bridges, graph_paths, graph_scores
from scops.retriever.ports import PassageSearch
from tests.fakes.clock import START
from tests.fakes.worlds.indexed_pages import page_of
from tests.fakes.worlds.retriever import Retrieving, url_of

CHAIN = [
    frozenset({"ada", "analytical engine"}),
    frozenset({"analytical engine", "babbage"}),
    frozenset({"babbage", "london"}),
    frozenset({"oslo"}),
]


def test_evidence_falls_with_the_distance_from_what_is_named() -> None:
    """One step, two steps, three steps, and not at all; the best has 1."""
    scores = graph_scores([*CHAIN, frozenset({"ada"})], frozenset({"ada"}), [0.0] * 5)

    assert scores is not None
    assert 1.0 == max(scores)
    assert scores[0] > scores[1] > scores[2] > scores[3] >= 0.0


@pytest.mark.parametrize("seeds", [frozenset(), frozenset({"unheard of"})])
def test_without_a_seed_the_graph_says_nothing(seeds: frozenset[str]) -> None:
    """Absent is not zero."""
    assert graph_scores(CHAIN, seeds, [0.5] * 4) is None


def test_hub_leads_nowhere() -> None:
    """What most passages mention tells none of them from another."""
    mentioned = [frozenset({"the host", f"p{n}"}) for n in range(40)]

    assert graph_scores(mentioned, frozenset({"the host"}), [0.5] * 40) is None


def test_bridges_come_from_the_closest_passages() -> None:
    """What the question names already is no bridge."""
    assert "analytical engine" == bridges(CHAIN, frozenset({"ada"}), [1.0, 0.3, 0.0, 0.0], 2)[0]


@dataclass
class _Noting:
    """Passes searches on and notes them."""

    store: PassageSearch
    asked: list[StoreQuery]

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        self.asked.append(query)
        return await self.store.search(query)


@dataclass
class _Bare:
    """A store of before mentions were stored."""

    store: PassageSearch

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        assert query.mentioning is None, "nothing would be found"
        return [replace(hit, mentions=None) for hit in await self.store.search(query)]


async def _hops(world: Retrieving, recipe: str) -> RetrieveResponse:
    await world.show("a", "The river inn was built by Ada Ott.")
    for number in range(30):
        await world.show(f"noise/{number}", f"The river inn built number {number} was built.")
    await world.show("b", "As we know, Ada Ott lives at Lund.")
    foreign = page_of("https://elsewhere.example.org/b", "As we know, Ada Ott lives at Oslo.")
    await world.pages.show(foreign, at=START)
    return await world.ask("who built the river inn, where is Ada Ott", recipe=recipe, limit=100)


async def test_second_search_finds_what_the_first_leads_to_inside_the_scope(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A passage of another scope is no step, and the parts still add up."""
    monkeypatch.setattr(search, "CANDIDATES_MAX", 10)
    world = await Retrieving.create(candidates=10)
    found = await _hops(world, "graph")

    texts = [passage.text for passage in found.evidence]
    assert "As we know, Ada Ott lives at Lund." in texts
    assert not any("Oslo" in text for text in texts)
    for passage in found.evidence:
        graph = next(part for part in passage.parts if part.name == "graph")
        assert graph.present
        assert 0.0 <= graph.raw <= 1.0
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))


async def test_second_search_asks_for_stored_mentions(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search, of the question itself, among what mentions a bridge; both carry mentions."""
    asked: list[StoreQuery] = []
    monkeypatch.setattr(search, "CANDIDATES_MAX", 10)
    world = await Retrieving.create(candidates=10)
    await _hops(world.with_ports(store=_Noting(world.pages.store, asked)), "graph")
    first, second = asked

    assert (None, True) == (first.mentioning, first.with_mentions)
    assert second.mentioning is not None
    assert "ada ott" not in second.mentioning
    assert (first.text, first.scope_filter) == (second.text, second.scope_filter)


async def test_recipe_without_a_walk_asks_for_no_mentions(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be read and sent for nothing."""
    asked: list[StoreQuery] = []
    monkeypatch.setattr(search, "CANDIDATES_MAX", 10)
    world = await Retrieving.create(candidates=10)
    await _hops(world.with_ports(store=_Noting(world.pages.store, asked)), "default")

    assert [False] == [query.with_mentions for query in asked]


async def test_index_without_stored_mentions_is_read_at_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was indexed before they were stored is found all the same."""
    monkeypatch.setattr(search, "CANDIDATES_MAX", 10)
    world = await Retrieving.create(candidates=10)
    found = await _hops(world.with_ports(store=_Bare(world.pages.store)), "graph")

    assert "As we know, Ada Ott lives at Lund." in [one.text for one in found.evidence]
    assert not any("Oslo" in one.text for one in found.evidence)


@pytest.mark.parametrize("seed", range(12))
async def test_no_edge_leaves_the_scope(seed: int) -> None:
    """The graph over a scope is the same whatever lies outside of it."""
    chance = random.Random(seed)
    names = [f"Ada Ott{letter}" for letter in "abcdefgh"]
    alone, among = await Retrieving.create(), await Retrieving.create()
    for number in range(12):
        said, met = names[:2] if number == 0 else chance.sample(names, 2)
        text = f"As {said} said, {met} met number {number}."
        inside = number == 0 or chance.random() < 0.5
        if inside:
            await alone.show(str(number), text)
        url = url_of(str(number)) if inside else f"https://elsewhere.example.org/{number}"
        await among.pages.show(page_of(url, text, title=str(number)), at=START)
    query = f"whom did {names[0]} and {names[1]} meet"

    parts = await _graph_parts(alone, query)

    assert parts
    assert parts == pytest.approx(await _graph_parts(among, query))


async def _graph_parts(world: Retrieving, query: str) -> dict[str, float]:
    """Returns the graph evidence of each passage found; absent evidence is left out."""
    found = await world.ask(query, recipe="graph", limit=50)
    return {
        passage.text: part.raw
        for passage in found.evidence
        for part in passage.parts
        if part.name == "graph" and part.present
    }


async def test_title_word_in_capitals_is_no_seed(world: Retrieving) -> None:
    """More passages merely hold the word than mention it, so it is no entity."""
    await world.show("a", "As in Definition, owls eat mice.")
    for number in range(3):
        await world.show(str(number), f"The definition of owl number {number} is here.")
    found = await world.ask("definition of owl", recipe="graph")

    assert {False} == {p.present for e in found.evidence for p in e.parts if p.name == "graph"}


async def test_graph_part_is_absent_without_a_seed(world: Retrieving) -> None:
    """A question that names nothing gets no evidence, and none of it counts."""
    await world.show("a", "Owls eat mice.")
    found = await world.ask("what do owls eat", recipe="graph")

    assert [False] == [p.present for p in found.evidence[0].parts if p.name == "graph"]


def test_path_leads_from_what_is_named_to_the_passage() -> None:
    """A shortest way, mention by mention; nothing where no way leads."""
    mentioned = [*CHAIN, frozenset({"ada"}), frozenset({"london"}), frozenset({"oslo"})]
    paths = graph_paths(mentioned, frozenset({"ada"}))

    assert ("ada",) == paths[0]
    assert ("ada", "analytical engine") == paths[1]
    assert ("ada", "analytical engine", "babbage") == paths[2]
    assert ("ada", "analytical engine", "babbage", "london") == paths[5]
    assert () == paths[3] == paths[6]


async def test_passage_shows_the_path_that_led_to_it(world: Retrieving) -> None:
    """With the recipe that walks; the others have none."""
    await world.show("a", "As we know, Ada Ott lives at Lund.")
    await world.show("b", "As we know, Ada Ott is old.")
    query = "where is Ada Ott"
    walked = await world.ask(query, recipe="graph")
    plain = await world.ask(query, recipe="hybrid")

    assert [("ada ott",)] * 2 == [passage.graph_path for passage in walked.evidence]
    assert [()] * 2 == [passage.graph_path for passage in plain.evidence]
