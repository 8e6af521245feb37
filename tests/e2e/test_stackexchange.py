"""Questions of a Stack Exchange site and their answers are pages of a scope."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from scops.client import Scops
from tests.e2e.system import Ended, System
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.stackexchange import LICENCE, SITE, URL, StackExchange

JANUARY, MARCH, MAY, JULY = (datetime(2025, month, 1, 12, tzinfo=UTC) for month in (1, 3, 5, 7))
STATED = (
    "Every gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it."
)
QUESTION = "How deep is the bog of gauge 4?"


@pytest.fixture(scope="module")
def exchange() -> Iterator[StackExchange]:
    """Five questions of a tag, one of another; the first has answers, one of them accepted."""
    with running(Origin()) as origin:
        made = StackExchange(origin)
        made.ask(7, "Depth of a bog", JANUARY, f"<p>How deep is it? {STATED}</p>", "bogs", "depth")
        made.answer(7, MARCH, "<p>The bog of gauge 4 is 2 feet deep, as I saw.</p>")
        made.answer(
            7, MARCH.replace(day=2), "<p>The bog of gauge 4 is 3 feet deep.</p>", accepted=True
        )
        for number in range(1, 5):
            title = f"Boat number {number} &amp; more"
            made.ask(number, title, JANUARY.replace(day=number), f"<p>{STATED}</p>", "bogs")
        made.ask(9, "Mills", JANUARY, f"<p>{STATED}</p>", "mills")
        yield made


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with a scope of the site."""
    with System(tmp_path_factory.mktemp("exchange")) as running_system:
        done = running_system.run("scope", "create", "bogs", "--include", f"prefix:{URL}")
        assert 0 == done.code, done.err
        yield running_system


def bring(system: System, exchange: StackExchange, *words: str, site: str = SITE) -> Ended:
    """Imports from the stand-in."""
    fixed = ("--scope", "bogs", "--server", exchange.url, "--delay", "0")
    return system.run("import", "stackexchange", site, *fixed, *(words or ("--tag", "bogs")))


@pytest.fixture(scope="module")
def first(system: System, exchange: StackExchange) -> Ended:
    """What the first import said; it was throttled for a second."""
    exchange.throttled.append(1)
    done = bring(system, exchange)
    assert 0 == done.code, done.err
    return done


def test_questions_are_read_with_their_answers(
    first: Ended, system: System, exchange: StackExchange
) -> None:
    """As of their last activity, each post with its licence; the accepted answer comes first."""
    with Scops(system.address) as scops:
        pages = {page.uri for page in scops.list_pages("bogs")}
        (version,) = scops.page_history(exchange.link(7)).versions
        found = scops.search(QUESTION, "bogs").passages[0]
        answer = scops.answer(QUESTION, "bogs")

    assert (5, 5) == (first.json["questions"], first.json["indexed"])
    assert {exchange.link(number) for number in (7, 1, 2, 3, 4)} == pages
    assert MARCH.replace(day=2) == version.observed_from_time
    assert "3 feet deep" in answer.text
    assert f"stackexchange:{SITE}/7" == answer.citations[0].captured_by
    assert found.text.index("Accepted answer by Grebe") < found.text.index("2 feet deep")
    assert f"Asked by Heron & Sons, 2025-01-01 ({LICENCE})" in found.text


def test_a_second_run_asks_for_what_was_active_since(
    first: Ended, system: System, exchange: StackExchange
) -> None:
    """Once, and for no answers; then for those of the question that was answered."""
    exchange.asked.clear()
    again = bring(system, exchange)
    asked = list(exchange.asked)
    exchange.answer(7, MAY, "<p>After the rain the bog of gauge 4 is 9 feet deep.</p>")
    exchange.asked.clear()
    newer = bring(system, exchange)
    with Scops(system.address) as scops:
        versions = scops.page_history(exchange.link(7)).versions

    assert (1, 1, 0) == tuple(again.json[name] for name in ("questions", "known", "indexed"))
    assert 1 == len(asked), asked
    assert (1, 0, 1) == tuple(newer.json[name] for name in ("questions", "known", "indexed"))
    assert [1, 2] == [
        sum("/questions?" in one for one in exchange.asked),
        sum("/questions/7/answers" in one for one in exchange.asked),
    ], exchange.asked
    assert [MAY, MARCH.replace(day=2)] == [one.observed_from_time for one in versions]


def test_a_question_with_another_title_is_the_same_page(
    first: Ended, system: System, exchange: StackExchange
) -> None:
    """Its title is a part of its URL; the older URL leads to the newer one."""
    old = exchange.link(1)
    exchange.ask(1, "A boat that leaks", JULY, f"<p>It leaks a pint an hour. {STATED}</p>")
    done = bring(system, exchange)
    with Scops(system.address) as scops:
        answer = scops.answer("How much does the boat leak?", "bogs")
        left = scops.page_history(old)

    assert 0 == done.code, done.err
    assert exchange.link(1) == answer.citations[0].uri
    assert (1, True, JANUARY.replace(day=1)) == (
        len(left.versions),
        left.closed,
        left.versions[0].observed_from_time,
    ), left


def test_a_day_without_requests_is_told(system: System, exchange: StackExchange) -> None:
    """With what came before; run on another day it takes what is missing."""
    exchange.ask(11, "Reeds", JULY.replace(day=2), f"<p>Cut in May. {STATED}</p>", "reeds")
    exchange.ask(12, "Rushes", JULY.replace(day=3), f"<p>Cut in June. {STATED}</p>", "reeds")
    exchange.ask(13, "Sedges", JULY.replace(day=4), f"<p>Cut in July. {STATED}</p>", "reeds")
    exchange.quota = 2
    spent = bring(system, exchange, "--tag", "reeds")
    exchange.quota = 300
    exchange.throttled.append(7000)
    throttled = bring(system, exchange, "--tag", "reeds")
    done = bring(system, exchange, "--tag", "reeds")

    assert (6, 6) == (spent.code, throttled.code)
    assert "no more requests for today" in spent.err
    assert "in 7000 s" in throttled.err
    assert 0 == done.code, done.err
    assert (3, 2, 1) == tuple(done.json[name] for name in ("questions", "known", "indexed"))


def test_what_is_wrong_is_said(system: System, exchange: StackExchange) -> None:
    """With what to do."""
    done = bring(system, exchange, "--tag", "bogs", site="nowhere")

    assert 2 == done.code
    assert "No site found" in done.err + done.out
