"""Pages are found, dated, and there once, by whichever way they come."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from scops.client import Scops
from tests.e2e.imports.conftest import ASKING, OWN, OpenSource
from tests.e2e.imports.own_ways import Captures
from tests.e2e.imports.ways import MARCH, MAY, Source, question, sentence, told_of
from tests.e2e.system import System

WAYS = [pytest.param(way, id=way.way) for way in (*OWN, *ASKING)]
ANIMALS = ("Heron", "Otter")
MANY = 10
WAIT_SECONDS = 60.0


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def history(scops: Scops, source: Source, animal: str) -> list[object]:
    """Returns the times of a page's versions, oldest first."""
    versions = scops.page_history(source.named(animal)).versions
    return sorted(one.observed_from_time for one in versions)


def ways_of(trace: Any) -> set[str]:
    """Returns by which ways the services have on record that a page came."""
    facts = [entry["facts"] for entry in trace["entries"]]
    return {str(one[name]) for one in facts for name in ("came_by", "captured_by") if name in one}


@pytest.mark.parametrize("way", WAYS)
def test_a_page_is_found_cited_and_says_by_which_way_it_came(
    way: type[Source], open_source: OpenSource, scops: Scops, system: System
) -> None:
    """Word by word; brought again it has no second version, no second passage, and no new date."""
    source = open_source(way, "cited")
    for number, animal in enumerate(ANIMALS, 11):
        source.put(animal, number, MARCH)
    first = source.bring()
    answer = scops.answer(question("Heron", way.way), way.way)
    cited = [one for one in answer.citations if one.uri == source.url("Heron")]
    before = [history(scops, source, animal) for animal in ANIMALS], system.chunks_by_url()
    again = source.bring()
    after = [history(scops, source, animal) for animal in ANIMALS], system.chunks_by_url()
    page = source.named("Heron").removeprefix("pages/")
    text = scops.read_page(source.named("Heron"), version=cited[0].version).text
    trace = system.run("page", "trace", page).json

    assert (0, 0) == (first.code, again.code), first.err + again.err
    assert sentence("Heron", way.way, 11) in " ".join(one.quote for one in cited)
    assert all(one.quote == text[one.start : one.end] for one in cited)
    assert {source.came_by("Heron")} == {one.captured_by for one in cited}
    assert source.came_by("Heron") in ways_of(trace)
    assert before == after
    assert [1, 1] == [len(times) for times in after[0]]


@pytest.mark.parametrize("way", WAYS)
def test_versions_are_of_their_time_whichever_comes_first(
    way: type[Source], open_source: OpenSource, scops: Scops
) -> None:
    """A state that came later and is older stands before the newer one."""
    source = open_source(way, "dated")
    source.put("Heron", 12, MARCH)
    if not way.keeps_history:
        source.bring()
    between = datetime.now(UTC)
    source.put("Heron", 14, MAY)
    newest = source.bring(newest=True)
    alone = history(scops, source, "Heron")
    done = source.bring()
    times = history(scops, source, "Heron")
    then = MARCH.replace(day=9) if way.is_dated else between
    answers = [
        scops.answer(question("Heron", way.way), way.way, as_of=at).text for at in (then, None)
    ]

    assert (0, 0) == (newest.code, done.code), newest.err + done.err
    assert 2 == len(times)
    assert not way.keeps_history or [MAY] == alone
    assert not way.is_dated or [MARCH, MAY] == times
    assert ("12 euros" in answers[0], "14 euros" in answers[1]) == (True, True), answers


@pytest.mark.parametrize("way", WAYS)
def test_what_was_killed_amid_its_work_is_there_once(
    way: type[Source], open_source: OpenSource, scops: Scops, system: System
) -> None:
    """The command is killed once the first page stands, and run again."""
    source = open_source(way, "killed")
    # A capture is one page.
    animals = [f"Mouse{number}" for number in range(1 if way is Captures else MANY)]
    for number, animal in enumerate(animals):
        source.put(animal, number + 20, MARCH)
    known = {page.uri for page in scops.list_pages(way.way)}
    child = source.start()
    ends = time.monotonic() + WAIT_SECONDS
    while known == {page.uri for page in scops.list_pages(way.way)}:
        assert time.monotonic() < ends, system.log.read_text()[-2000:]
        time.sleep(0.02)
    was_amid = child.poll() is None
    child.kill()
    child.wait()
    done = source.bring()
    versions = {animal: len(history(scops, source, animal)) for animal in animals}

    assert was_amid or way is Captures
    assert 0 == done.code, done.err
    assert dict.fromkeys(animals, 1) == versions
    if way in ASKING:
        told = told_of(done)
        assert MANY == told["known"] + told["indexed"] + told["unchanged"], told
    assert len(animals) == len({page.uri for page in scops.list_pages(way.way)} - known), (
        "no page but these"
    )
