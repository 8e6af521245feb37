"""Graph evidence: mentions by rules, the walk, and the second search inside the scope."""

import pytest

from scops.common.messages.retrieval import RetrieveResponse
from scops.retriever.graph import bridges, graph_paths, graph_scores
from scops.retriever.mentions import expansions, mentions, named_in
from tests.fakes.clock import START
from tests.fakes.indexed_pages import page_of
from tests.fakes.retrieving import Retrieving


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set max_connections in postgresql.conf.", {"max_connections", "postgresql conf"}),
        ("Call readFile or XmlParser.", {"readfile", "xmlparser"}),
        ("It returned E4021 and HTTP.", {"e4021", "http"}),
        ("We met Ada Lovelace’s friends of Charles Babbage.", {"ada lovelace", "charles babbage"}),
        ("Owls are birds. They live long.", set()),
        ("the capital is Oslo", {"oslo"}),
        ("🦉 鳥は飛ぶ", set()),
    ],
)
def test_names_and_identifiers_are_mentions(text: str, expected: set[str]) -> None:
    """What begins a sentence is no name for that."""
    assert expected == mentions(text)


def test_acronym_is_known_by_what_it_stands_for() -> None:
    """Where the text says it; other letters in brackets mean nothing."""
    text = "A Foreign Data Wrapper (FDW) reads. Every FDW is loaded. See Some Other Thing (XY)."

    assert {"fdw": "foreign data wrapper"} == expansions(text)
    assert "foreign data wrapper" in mentions(text)
    assert "fdw" not in mentions(text)


def test_question_names_a_mention_in_any_letters() -> None:
    """Whole words count, parts of words do not."""
    keys = frozenset({"ada lovelace", "ada", "love"})

    assert {"ada lovelace", "ada"} == named_in("who was ada lovelace's teacher", keys)


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


async def _hops(world: Retrieving, recipe: str) -> RetrieveResponse:
    await world.show("a", "The river inn was built by Ada Ott.")
    for number in range(30):
        await world.show(f"noise/{number}", f"The river inn built number {number} was built.")
    await world.show("b", "As we know, Ada Ott lives at Lund.")
    foreign = page_of("https://elsewhere.example.org/b", "As we know, Ada Ott lives at Oslo.")
    await world.pages.show(foreign, at=START)
    return await world.ask("who built the river inn, where is Ada Ott", recipe=recipe, limit=100)


async def test_second_search_finds_what_the_first_leads_to_inside_the_scope() -> None:
    """A passage of another scope is no step, and the parts still add up."""
    world = await Retrieving.create(candidates=10, candidates_max=10)
    found = await _hops(world, "graph")

    texts = [passage.text for passage in found.evidence]
    assert "As we know, Ada Ott lives at Lund." in texts
    assert not any("Oslo" in text for text in texts)
    for passage in found.evidence:
        graph = next(part for part in passage.parts if part.name == "graph")
        assert graph.present
        assert 0.0 <= graph.raw <= 1.0
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))


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
