"""The Python client of `scops up`, its guide, and the frameworks that it is adapted to."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.site_server import SiteServer
from scops.client import Anchor, AsyncScops, Boundary, PartKind, Scops
from scops.client.langchain import ScopsRetriever as LangChainRetriever
from scops.client.llamaindex import ScopsRetriever as LlamaIndexRetriever
from tests.e2e.system import System

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/api/python.md").read_text()
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUESTION = "How much does the River plan cost?"
GUIDE_SECONDS = 120
CRAWL_SECONDS = 120.0


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    server = SiteServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, site: SiteServer) -> Iterator[System]:
    """A system that has seen both editions of the example site."""
    with (
        System(tmp_path_factory.mktemp("client")) as system,
        Scops(system.address) as scops,
    ):
        scops.create_scope("tarn", seeds=[f"{site.origin}/"], boundary=Boundary.HOST)
        scops.wait_job(scops.crawl("tarn"), seconds=CRAWL_SECONDS)
        site.edition = 2
        scops.wait_job(scops.crawl("tarn"), seconds=CRAWL_SECONDS)
        yield system


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as opened:
        yield opened


def test_an_answer_its_citations_and_their_page(scops: Scops, site: SiteServer) -> None:
    """From a question to the words that changed, by values alone."""
    answer = scops.answer(QUESTION, "tarn")
    (first, *_) = answer.citations
    page = scops.get_page(first.uri)
    newest, older = scops.page_history(page).versions
    diff = scops.diff_page(page)
    inserted = [
        part.text for hunk in diff.hunks for part in hunk.parts if part.kind is PartKind.INSERT
    ]
    resolved = scops.resolve_citations(answer.citations)

    assert answer.answered
    assert "17 euros" in answer.text
    assert (first.page, first.version) == (page.name, newest.version)
    assert (older.version, newest.version) == (diff.from_version, diff.to_version)
    assert any("17" in text for text in inserted)
    assert {Anchor.SAME} == {one.anchor for one in resolved}
    assert "17 euros" in answer._repr_html_()


def test_what_was_is_asked_for_by_its_instant(scops: Scops, site: SiteServer) -> None:
    """Between both crawls the page said something else; since then it has changed."""
    prices = f"{site.origin}/policies/prices.html"
    newest, older = scops.page_history(prices).versions
    then = older.last_verified_time or older.observed_from_time
    assert then is not None
    answer = scops.answer(QUESTION, "tarn", as_of=then)
    changes = scops.what_changed("tarn", then).changes
    change = next(one for one in changes if one.uri == prices)
    said = scops.read_page(prices, as_of=then)

    assert "14 euros" in answer.text
    assert (older.version, prices) == (said.version, said.page.uri)
    assert "14 euros" in said.text
    assert ("changed", newest.version) == (change.news, change.to_version)
    assert any("17" in edit.to_text for edit in change.edits)


def test_pages_and_jobs_are_listed_to_their_end(scops: Scops) -> None:
    """However small the pages are that they come in."""
    few = [page.uri for page in scops.list_pages("tarn", page_size=3)]
    many = [page.uri for page in scops.list_pages("tarn")]
    progress = [scops.get_job(job) for job in scops.list_jobs("tarn", page_size=1)]

    assert many == few
    assert len(many) > 20
    assert [True, True] == [one.job.has_ended for one in progress]
    assert {"indexed"} <= {one.outcome for one in progress[-1].outcomes}


async def test_langchain_retrieves(system: System) -> None:
    """Documents with the version that they stand in, from both clients alike."""
    with Scops(system.address) as scops:
        async with AsyncScops(system.address) as asking:
            plain = LangChainRetriever(client=scops, scopes=("tarn",), limit=3)
            both = LangChainRetriever(client=scops, async_client=asking, scopes=("tarn",), limit=3)
            awaited = await both.ainvoke(QUESTION)
            threaded = await plain.ainvoke(QUESTION)
            waited = plain.invoke(QUESTION)
    best = waited[0]

    assert waited == awaited == threaded
    assert 3 == len(waited)
    assert "17 euros" in best.page_content
    assert best.metadata["source"].endswith("/policies/prices.html")
    assert best.metadata["version"]
    assert best.metadata["score"] >= waited[1].metadata["score"]


async def test_llamaindex_retrieves(system: System) -> None:
    """Nodes with their scores, from both clients alike."""
    with Scops(system.address) as scops:
        async with AsyncScops(system.address) as asking:
            plain = LlamaIndexRetriever(scops, "tarn", limit=3)
            both = LlamaIndexRetriever(scops, ["tarn"], async_client=asking, limit=3)
            awaited = await both.aretrieve(QUESTION)
            threaded = await plain.aretrieve(QUESTION)
            waited = plain.retrieve(QUESTION)
    best = waited[0]

    assert [one.node_id for one in waited] == [one.node_id for one in awaited]
    assert [one.node_id for one in waited] == [one.node_id for one in threaded]
    assert "17 euros" in best.text
    assert best.metadata["source"].endswith("/policies/prices.html")
    assert (best.score or 0.0) >= (waited[1].score or 0.0)


def test_the_guide_runs_as_it_is_written(system: System, site: SiteServer) -> None:
    """Every block of docs/api/python.md, one after the other."""
    blocks = FENCE.findall(GUIDE)
    script = "\n".join(blocks).replace("http://127.0.0.1:8099", site.origin)
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:scops", "-c", script],
        env=system.environment,
        capture_output=True,
        text=True,
        timeout=GUIDE_SECONDS,
        check=False,
    )

    assert 0 == done.returncode, done.stdout[-2000:] + done.stderr[-3000:]
    assert 8 <= len(blocks)
    for expected in ("completed", "17 euros", "SCOPE_NOT_FOUND", "/policies/prices.html"):
        assert expected in done.stdout
