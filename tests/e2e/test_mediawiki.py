"""The history of a wiki is replayed: versions of the time when each revision was saved."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from scops.client import Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.wiki import Wiki

JANUARY, MARCH, APRIL, MAY, JUNE = (
    datetime(2025, month, 1, 12, tzinfo=UTC) for month in (1, 3, 4, 5, 6)
)
TARIFF = "Heron tariff"
QUESTION = "How much does the Heron tariff cost?"
STATED = (
    "<p>Every gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it.</p>"
)


def priced(euros: int) -> str:
    return f"<h2>Price</h2><p>The Heron tariff costs {euros} euros a month.</p>{STATED}"


@pytest.fixture(scope="module")
def wiki() -> Iterator[Wiki]:
    """Three pages; the price rose, was put back by a revert, and rose again."""
    with running(Origin()) as origin:
        made = Wiki(origin)
        made.save(TARIFF, JANUARY, priced(12))
        made.save(TARIFF, MARCH, priced(14))
        made.save(TARIFF, MARCH.replace(hour=13), "spam", hidden=True)
        made.save(TARIFF, APRIL, priced(12))
        made.save(TARIFF, MAY, priced(19))
        made.save("Gauges", JANUARY, STATED)
        made.save("Talk of the town", JANUARY, "<p>Nobody asked for this page to be read.</p>")
        yield made


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, wiki: Wiki) -> Iterator[System]:
    """A system with a scope of two of the pages."""
    with System(tmp_path_factory.mktemp("wiki")) as running_system:
        done = running_system.run(
            *("scope", "create", "gauges"),
            *("--include", f"page:{wiki.page_url(TARIFF)}"),
            *("--include", f"page:{wiki.page_url('Gauges')}"),
        )
        assert 0 == done.code, done.err
        yield running_system


def test_revisions_are_versions_of_their_time(system: System, wiki: Wiki) -> None:
    """What is outside of the scope, and what is hidden, is left out; a revert is not rendered."""
    wiki.busy = 1
    done = system.run("import", "mediawiki", wiki.url, "--scope", "gauges", "--delay", "0")
    assert 0 == done.code, done.err
    with Scops(system.address) as scops:
        history = scops.page_history(wiki.page_url(TARIFF)).versions
        answers = {
            at: scops.answer(QUESTION, "gauges", as_of=at).text
            for at in (JANUARY.replace(day=9), MARCH.replace(day=9), APRIL.replace(day=9), JUNE)
        }

    assert (2, 6) == (done.json["pages"], done.json["revisions"])
    assert {"hidden or deleted revisions": 1, "outside of the scope": 1} == done.json["left_out"]
    assert [MAY, APRIL, MARCH, JANUARY] == [one.observed_from_time for one in history]
    for at, euros in zip(answers, (12, 14, 12, 19), strict=True):
        assert f"{euros} euros" in answers[at], at
    assert 5 == wiki.rendered(), "four texts, and the one that is hidden"


def test_done_again_it_takes_what_is_new(system: System, wiki: Wiki) -> None:
    """Nothing is rendered twice."""
    wiki.save(TARIFF, JUNE, priced(21))
    before = wiki.rendered()
    words = ("import", "mediawiki", wiki.url, "--scope", "gauges", "--delay", "0")
    done = system.run(*words, "--title", TARIFF)
    with Scops(system.address) as scops:
        answer = scops.answer(QUESTION, "gauges")

    assert (1, 4) == (done.json["indexed"], done.json["known"])
    # The hidden one is asked for again: it may be shown some day.
    assert before + 2 == wiki.rendered()
    assert "21 euros" in answer.text


def test_the_next_crawl_goes_on_with_the_history(system: System, wiki: Wiki) -> None:
    """What the wiki shows readers is the newest version's page."""
    page = f"<html><title>{TARIFF}</title><body><h1>{TARIFF}</h1>{priced(23)}</body></html>"
    wiki.origin.replace("/wiki/Heron_tariff", page)
    with Scops(system.address) as scops:
        scops.wait_job(scops.crawl("gauges", urls=[wiki.page_url(TARIFF)]), seconds=60)
        history = scops.page_history(wiki.page_url(TARIFF)).versions
        now = scops.answer(QUESTION, "gauges").text
        then = scops.answer(QUESTION, "gauges", as_of=MARCH.replace(day=9)).text

    assert 6 == len(history)
    assert ("23 euros" in now, "14 euros" in then) == (True, True)


def test_a_history_is_taken_as_far_as_is_wanted(system: System, wiki: Wiki) -> None:
    """By number and by time; of one second, the last."""
    wiki.save("Gauges", JUNE, "<p>A slip of the pen.</p>")
    wiki.save("Gauges", JUNE, STATED + "<p>Gauges are read by their keepers.</p>")
    words = ("import", "mediawiki", wiki.url, "--scope", "gauges", "--delay", "0")
    newest = system.run(*words, "--revisions", "2", "--prefix", "G").json
    since = system.run(*words, "--since", "2025-05-01", "--prefix", "G").json

    assert (1, 1, 0) == (newest["revisions"], newest["indexed"], newest["known"])
    assert (1, 0, 1) == (since["revisions"], since["indexed"], since["known"])


@pytest.mark.parametrize(
    ("path", "said"), [("/wiki/Heron_tariff", "api.php"), ("/nowhere", "answered 404")]
)
def test_what_is_no_api_is_named(system: System, wiki: Wiki, path: str, said: str) -> None:
    """With what to give instead."""
    done = system.run("import", "mediawiki", f"{wiki.origin.url}{path}", "--scope", "gauges")

    assert 0 != done.code
    assert said in done.err
