"""Papers that services of a scope find, as candidates of a research run, on stand-ins of them."""

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from itertools import permutations
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput, TransientError
from scops.common.contract.messages.crawl import PaperSearchRequest, PaperSearchResponse
from scops.fetcher.adapters.papers.searches import HELD_MAX, HeldSearches
from scops.fetcher.adapters.papers.semantic_scholar import SemanticScholar
from scops.fetcher.finding import LIMIT_MAX, QUERY_CHARACTERS_MAX, paper_search
from scops.fetcher.settings import FetcherSettings
from scops.libraries.papers.gathering import Gathered
from scops.libraries.papers.packing import unpacked
from scops.libraries.papers.port import Years
from tests.fakes.clock import ManualClock
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

WORDS = "Tarn gauge basin"


@pytest.fixture
def scholar() -> Iterator[Scholar]:
    with running(Origin()) as origin:
        yield Scholar(origin)


@pytest.fixture
async def world(scholar: Scholar) -> AsyncIterator[FetcherWorld]:
    """A fetcher that asks the stand-ins, with a scope that names two of them."""
    servers = {name: scholar.url(name) for name in ("openalex", "crossref")}
    async with FetcherWorld.opened(papers=servers) as opened:
        opened.scopes.apply(scope("a.test", paper_services=("openalex", "crossref", "core")))
        yield opened


def work(name: str, *urls: str, **said: Any) -> dict[str, Any]:
    """A paper as OpenAlex has it."""
    places = [{"is_oa": True, "pdf_url": url, "version": "publishedVersion"} for url in urls]
    whole = {"id": f"https://openalex.org/{name}", "doi": f"https://doi.org/10.1000/{name}"}
    return {**whole, "title": f"About {name} of gauges", "locations": places, **said}


def finds(scholar: Scholar, *works: dict[str, Any]) -> None:
    scholar.answers.pop("openalex", None)
    scholar.answer("openalex", "works", {"results": list(works)})


async def searched(world: FetcherWorld, words: str = WORDS, limit: int = 20) -> PaperSearchResponse:
    return await paper_search(
        PaperSearchRequest(scope=SCOPE, query=words, limit=limit), world.ports
    )


async def test_paper_is_told_with_its_best_places(world: FetcherWorld, scholar: Scholar) -> None:
    """In their normal form, at most three; with all that services say of it, and its record."""
    urls = [f"https://B.test:443/{number}.pdf" for number in range(5)]
    index = {"The": [0], "basin": [1], "is": [2], "deep": [3]}
    finds(scholar, work("w1", *urls, abstract_inverted_index=index))
    found = await searched(world)

    (told,) = found.papers
    assert ("About w1 of gauges", "The basin is deep", "file://paper-records/doi/10.1000/w1") == (
        told.title,
        told.abstract,
        told.record_url,
    )
    assert ("https://b.test/0.pdf", "https://b.test/1.pdf", "https://b.test/2.pdf") == told.urls
    assert {"doi": "10.1000/w1", "openalex": "w1"} == {
        kind: value.lower() for kind, value in unpacked(told.paper).ids.items()
    }
    assert "openalex" not in str(found.faults)


async def test_retracted_and_closed_papers_are_no_candidates(
    world: FetcherWorld, scholar: Scholar
) -> None:
    """Whichever service says so, of those that found it and those that did not."""
    notice = {"DOI": "10.1000/notice", "type": "retraction"}
    said = {"DOI": "10.1000/w2", "title": ["About w2 of gauges"], "updated-by": [notice]}
    scholar.answer("crossref", "works/10.1000/w2", {"message": said})
    places = ["https://b.test/p.pdf"]
    finds(
        scholar,
        work("w1", *places, is_retracted=True),
        work("w2", *places),
        work("w3"),
        work("w4", "https://sci-hub.test/w4.pdf"),
        work("w5", *places),
    )
    found = await searched(world)

    assert ["About w5 of gauges"] == [paper.title for paper in found.papers]


async def test_url_that_is_none_takes_no_other_paper_away(
    world: FetcherWorld, scholar: Scholar
) -> None:
    """Nor the other places of its own."""
    bad = ["http://[bad/x", "http://ex℀mple.com/"]
    finds(scholar, work("w1", *bad, "https://b.test/1.pdf"), work("w2", *bad))
    found = await searched(world)

    assert [("https://b.test/1.pdf",)] == [paper.urls for paper in found.papers]


async def test_paper_that_is_too_long_is_left_out(world: FetcherWorld, scholar: Scholar) -> None:
    """The others are told, whether it packs well or badly, or its name is what is long."""
    words = " ".join(f"{number:x}" for number in random.Random(7).choices(range(10**12), k=99_000))
    long = [{"a" * 5_000_000: [0]}, {words: [0]}]
    finds(
        scholar,
        *(
            work(f"w{number}", "https://b.test/l.pdf", abstract_inverted_index=index)
            for number, index in enumerate(long)
        ),
        work("w6", "https://b.test/1.pdf", doi=f"10.1000/{'𝄞' * 390}"),
        work("w7", "https://b.test/1.pdf"),
    )
    found = await searched(world)

    assert ["About w7 of gauges"] == [paper.title for paper in found.papers]


async def test_place_of_semantic_scholar_that_is_none_leaves_its_paper(scholar: Scholar) -> None:
    """With what else it says."""
    place = {"url": "http://[bad/x", "status": "GREEN"}
    said = {"paperId": "1", "title": "Gauges", "openAccessPdf": place}
    scholar.answer("semantic-scholar", "paper/search", {"data": [said]})
    service = SemanticScholar(scholar.url("semantic-scholar"), sleep=lambda _: None)
    found = service.search("gauges", years=Years(), limit=1)
    service.close()

    assert [("Gauges", ())] == [(one.title, one.locations) for one in found.records]


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_order_of_an_answer_changes_no_candidate(
    world: FetcherWorld, scholar: Scholar, order: tuple[int, ...]
) -> None:
    """A retracted paper among others takes none of them away, wherever it stands."""
    works = [
        work("w1", "https://b.test/1.pdf"),
        work("w2", "https://b.test/2.pdf", is_retracted=True),
        work("w3", "https://b.test/3.pdf"),
    ]
    finds(scholar, *(works[place] for place in order))
    found = await searched(world)

    assert {"About w1 of gauges", "About w3 of gauges"} == {one.title for one in found.papers}


async def test_same_words_ask_nobody_twice(world: FetcherWorld, scholar: Scholar) -> None:
    """But where a service did not answer, and by other words."""
    finds(scholar, work("w1", "https://b.test/1.pdf"))
    scholar.answer("crossref", "works", {"message": {"items": []}})
    first = await searched(world)
    count = len(scholar.asked["openalex"])
    again = await searched(world)

    assert first.papers == again.papers
    assert count == len(scholar.asked["openalex"])
    await searched(world, "others")
    assert count < len(scholar.asked["openalex"])


async def test_service_that_fails_is_named_and_the_others_count(
    world: FetcherWorld, scholar: Scholar
) -> None:
    """A service that an operator did not name is not asked."""
    finds(scholar, work("w1", "https://b.test/1.pdf"))
    scholar.answer("crossref", "works", "no JSON", status=400)
    found = await searched(world)

    assert ["About w1 of gauges"] == [paper.title for paper in found.papers]
    (fault,) = found.faults
    assert fault.startswith("crossref: ")
    assert "core" not in scholar.asked


async def test_what_takes_long_is_held_for_the_next(scholar: Scholar) -> None:
    """Whoever asked goes on without it."""
    finds(scholar, work("w1", "https://b.test/1.pdf"))
    scholar.busy["openalex"] = [0.3]
    searches = HeldSearches(
        {"openalex": scholar.url("openalex")},
        clock=ManualClock(),
        environment={},
        wait_seconds=0.05,
    )
    with pytest.raises(TransientError):
        await searches.found(WORDS, services=["openalex"], limit=5)
    found = None
    for _ in range(100):
        try:
            found = await searches.found(WORDS, services=["openalex"], limit=5)
        except TransientError:
            continue
        break
    await searches.close()

    assert found is not None
    assert ["About w1 of gauges"] == [paper.fact("title") for paper in found.papers]


async def test_searches_that_wait_are_bounded(scholar: Scholar) -> None:
    """One more is refused until they have ended; what was asked is asked once."""
    scholar.answer("openalex", "works", {"results": []})
    scholar.busy["openalex"] = [0.5]
    searches = HeldSearches(
        {"openalex": scholar.url("openalex")}, clock=ManualClock(), environment={}
    )

    def asked(numbers: Iterable[int]) -> list[Coroutine[Any, Any, Gathered]]:
        return [searches.found(f"w{one}", services=["openalex"], limit=5) for one in numbers]

    first = await asyncio.gather(*asked(range(HELD_MAX + 40)), return_exceptions=True)
    count = len(scholar.asked["openalex"])
    again = await asyncio.gather(*asked(range(HELD_MAX)))
    unchanged = len(scholar.asked["openalex"])
    further = await asyncio.gather(*asked([HELD_MAX]))
    await searches.close()

    assert 40 == sum(isinstance(one, TransientError) for one in first)
    assert (HELD_MAX + 1, HELD_MAX + 1) == (count, unchanged)
    assert [{}] * (HELD_MAX + 1) == [one.faults for one in (*again, *further)]


@pytest.mark.parametrize(("words", "limit"), [("", 5), ("x" * (QUERY_CHARACTERS_MAX + 1), 5)])
async def test_words_are_bounded(world: FetcherWorld, words: str, limit: int) -> None:
    """So is the number of papers."""
    with pytest.raises(InvalidInput):
        await searched(world, words, limit)
    with pytest.raises(InvalidInput):
        await searched(world, WORDS, LIMIT_MAX + 1)


@pytest.mark.parametrize("value", ["scholar", "crossref=ftp://a.test", "openalex,=https://a.test"])
def test_setting_names_services_and_addresses(value: str) -> None:
    """What is none is refused at the start."""
    with pytest.raises(ValueError, match="scholarly service"):
        FetcherSettings(paper_services=value)
