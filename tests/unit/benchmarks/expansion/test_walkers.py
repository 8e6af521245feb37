"""Baselines that fetch pages of a linked site."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.expansion.links import LinkGraph
from benchmarks.expansion.questions import Question
from benchmarks.expansion.sites import ServedSite, read_site
from benchmarks.expansion.walkers import Walks, shortest_way
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.linked_site import written

BUDGET_PAGES = 8
GONE = "/notes/3.html"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedSite]:
    with ServedSite(read_site(written(tmp_path)), gone={GONE}).running() as site:
        yield site


def _walks(served: ServedSite, *, delay_seconds: float = 0.0) -> Walks:
    return Walks(
        served.start_url,
        served.site.graph.without(served.gone),
        HashingEmbedder(),
        budget_pages=BUDGET_PAGES,
        host_delay_seconds=delay_seconds,
    )


def _asked(text: str, *gold: str) -> Question:
    kind = "one" if gold else "gone"
    return Question(kind, "whether", text, tuple((path,) for path in gold), (), "development")


def _paths(served: ServedSite, pages: list[str]) -> list[str]:
    return [url.removeprefix(served.url) for url in pages]


async def test_breadth_first_takes_pages_level_by_level(served: ServedSite) -> None:
    """It stops with the gold page, and the site was asked for nothing else."""
    result = await _walks(served).bfs(_asked("?", "/guide/compaction.html"))

    assert "covered" == result.stopped
    assert [
        "/index.html",
        "/guide/storage.html",
        "/guide/backup.html",
        "/notes.html",
        "/guide/compaction.html",
    ] == _paths(served, result.pages)
    assert _paths(served, result.pages) == [one.path for one in served.asked]


async def test_walk_ends_with_its_budget(served: ServedSite) -> None:
    """A question without an answer costs all of it; a missing page counts."""
    result = await _walks(served).bfs(_asked("Is there a granary on the moon?"))

    assert ("budget", BUDGET_PAGES) == (result.stopped, len(set(result.pages)))


async def test_link_with_the_words_of_the_question_is_taken_first(served: ServedSite) -> None:
    """The words around a link count as its own do."""
    asked = _asked("copies of a silo, made while it is open", "/guide/backup.html")
    result = await _walks(served).anchor_cosine(asked)

    assert ["/index.html", "/guide/backup.html"] == _paths(served, result.pages)


async def test_oracle_takes_the_shortest_way_to_every_gold_page(served: ServedSite) -> None:
    """Two pages on two branches cost both branches, and the trunk once."""
    asked = _asked("?", "/guide/compaction.html", "/guide/restore.html")
    result = await _walks(served).oracle(asked)

    assert ("covered", 5) == (result.stopped, len(result.pages))
    assert {"/guide/compaction.html", "/guide/restore.html"} < set(_paths(served, result.pages))


async def test_requests_keep_the_delay_of_the_host(served: ServedSite) -> None:
    """None comes sooner after the one before it."""
    await _walks(served, delay_seconds=0.05).bfs(_asked("?", "/notes.html"))
    times = [one.seconds for one in served.asked]

    assert 4 == len(times)
    # The clock of the site and that of the walk may differ by a request's own time.
    assert times[-1] - times[0] >= 3 * 0.05 - 0.02


def test_shortest_way_branches_where_it_is_cheapest() -> None:
    """The fork is no page of either shortest way where sharing costs less."""
    graph = LinkGraph(
        {"s": ["a", "b", "m"], "a": ["x"], "b": ["y"], "m": ["x", "y"], "x": [], "y": []}
    )

    assert ["s", "m", "x", "y"] == shortest_way(graph, "s", [["x"], ["y"]])
    assert [] == shortest_way(graph, "s", [["z"]])
    assert ["s"] == shortest_way(graph, "s", [])
