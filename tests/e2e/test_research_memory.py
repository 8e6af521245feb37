"""What a research leaves behind: for how long its scope is kept, and what somebody takes of it.

The answers stay; what was dropped is found by nobody.
"""

from collections.abc import Iterator

import httpx
import pytest

from scops.client import NotFound, Scops
from scops.client.values.words import ResearchState, RuleKind
from tests.e2e.research_site import (
    SITE_FILES,
    page,
    to,
)
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

QUESTION = "How much does the Heron tariff of the ferry to Plover Island cost?"
ANSWER = "The Heron tariff of the ferry to Plover Island costs 14 euros a month."


@pytest.fixture
def origin() -> Iterator[Origin]:
    """A site whose start leads to the answer."""
    with running(Origin()) as site:
        about = [to(f"/about/{number}", f"Gauge {number}") for number in range(8)]
        for number in range(8):
            site.replace(f"/about/{number}", page(f"Gauge {number}", f"Gauge {number} is iron."))
        site.replace("/", page("Harbour", to("/tariffs", "Tariffs of ferries"), *about))
        site.replace("/tariffs", page("Tariffs", to("/tariffs/plover", "Heron tariff"), ANSWER))
        site.replace("/tariffs/plover", page("Plover Island", ANSWER))
        yield site


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with System(tmp_path_factory.mktemp("memory")) as running_system:
        yield running_system


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def dropped(system: System, scops: Scops, name: str) -> bool:
    return scops.get_research(name).research.drop_time is not None


def test_nothing_is_kept_but_the_answer(system: System, scops: Scops, origin: Origin) -> None:
    """By the command with 0 days: the scope is gone, the answer is still shown and reported."""
    asked = system.run("ask", QUESTION, "--url", f"{origin.url}/", "--keep-days", "0")
    name = asked.json["research"]["name"]
    system.until(lambda: dropped(system, scops, name))
    seen = scops.get_research(name)
    shown = system.run("--output", "text", "research", "show", name)
    report = httpx.get(f"{system.http_url}/v1/{name}/report").json()
    audit = httpx.get(f"{system.http_url}/v1/audit", params={"action": "DeleteScope"}).json()

    assert 0 == asked.code, asked.err
    assert "14 euros" in str(asked.json["answer"])
    assert (ResearchState.ENDED, 0) == (seen.research.state, seen.research.keep_days)
    assert seen.answer is not None
    assert "14 euros" in seen.answer.text
    assert 0 == seen.withheld_statements
    assert "14 euros" in str(report)
    assert f"{seen.research.scope} was deleted" in shown.out
    assert seen.research.scope not in {scope.name for scope in scops.list_scopes()}
    with pytest.raises(NotFound):
        scops.answer(QUESTION, seen.research.scope)
    assert seen.research.scope in str(audit)


def test_a_kill_before_the_drop_puts_it_off(system: System, origin: Origin) -> None:
    """Of a run that goes on: it ends, its scope is dropped, and nothing is fetched twice."""
    with Scops(system.address) as scops:
        begun = scops.research(QUESTION, uri=f"{origin.url}/", keep_days=0)
        system.until(lambda: len(scops.get_research(begun).research.pages) > 0)
    system.kill()
    system.start()
    with Scops(system.address) as scops:
        done = scops.wait_research(begun)
        system.until(lambda: dropped(system, scops, begun.name))
        turns = list(scops.list_chat_turns(done.research.chat))
        asked = [one.path for one in origin.requests if one.path not in SITE_FILES]

        assert ResearchState.ENDED is done.research.state
        assert done.research.scope not in {scope.name for scope in scops.list_scopes()}
        assert [QUESTION] == [turn.query for turn in turns]
        # What was under way may be asked for once more.
        assert len(asked) - 1 <= len(set(asked))


def test_what_is_cited_is_taken_into_another_scope(
    system: System, scops: Scops, origin: Origin
) -> None:
    """It is found there though the scope of the run is gone, without another fetch."""
    system.create_scope("fares", include=["fares.example.org"])
    begun = scops.research(QUESTION, uri=f"{origin.url}/", keep_days=0)
    done = scops.wait_research(begun)
    system.until(lambda: dropped(system, scops, begun.name))
    before = [one.path for one in origin.requests]
    promoted = system.run("research", "promote", begun.name, "--into", "fares")
    system.until(lambda: scops.answer(QUESTION, "fares").answered)
    answer = scops.answer(QUESTION, "fares")
    cited = {f"{origin.url}{path}" for path in ("/tariffs", "/tariffs/plover")}
    absent = system.run("research", "promote", begun.name, "--into", "absent")
    scope = scops.promote_research(begun, "fares", all_used=True)
    used = {one.uri for one in done.research.pages if one.cited or one.useful}
    picked = {rule.pattern for rule in scope.rules if rule.kind is RuleKind.PAGE}

    assert (0, 3) == (promoted.code, absent.code), promoted.err
    assert "14 euros" in answer.text
    assert {one.uri for one in answer.citations} <= cited
    assert used <= picked
    assert picked <= used | cited
    assert before == [one.path for one in origin.requests]
    (last, *_) = scops.list_scope_revisions("fares")
    assert begun.name in last.reason


def test_what_had_nothing_to_read_is_not_opened_again(
    system: System, scops: Scops, origin: Origin
) -> None:
    """By another question: the run says which pages, why, and until when they are passed by."""
    words = ("Heron keepers", "Heron wages", "Heron uniforms")
    paths = ("/heron/gone", "/heron/empty", "/heron/secret")
    links = [to(path, text) for path, text in zip(paths, words, strict=True)]
    origin.replace("/heron", page("Heron", *links, to("/tariffs", "Tariffs")))
    origin.replace("/heron/empty", "<html><head><title>Empty</title></head><body></body></html>")
    origin.replace("/robots.txt", "User-agent: *\nDisallow: /heron/secret\n")
    first = scops.wait_research(
        scops.research("Which uniforms do Heron keepers wear?", uri=f"{origin.url}/heron")
    )
    before = [one.path for one in origin.requests]
    second = scops.wait_research(
        scops.research("Which wages have Heron keepers in uniforms?", uri=f"{origin.url}/heron")
    )
    after = [one.path for one in origin.requests][len(before) :]
    shown = system.run("--output", "text", "research", "show", second.research.name)
    tried = {one.uri: (one.outcome, one.reason) for one in first.research.pages}
    passed = {one.uri: (one.outcome, one.reason) for one in second.research.passed}

    assert {"/heron/gone", "/heron/empty"} <= set(before)
    assert not {*paths} & {*after}
    assert {f"{origin.url}{path}" for path in paths} == set(passed)
    assert all(tried[uri] == why for uri, why in passed.items())
    assert all(one.until_time is not None for one in second.research.passed)
    assert 3 == shown.out.count("not tried again: ")
