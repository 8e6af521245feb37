"""Pages that Firecrawl fetches are pages of a scope, by its official client."""

import json
from collections.abc import Iterator

import pytest

from scops.client import Scops
from tests.e2e.system import Ended, System
from tests.fakes.servers.firecrawl import KEY, Firecrawl
from tests.fakes.servers.origin import Origin, running

SITE = "https://gauges.example.org"
STATED = (
    "<p>Every gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it.</p>"
)
QUESTION = "How much does the Heron tariff cost?"


def priced(euros: int) -> str:
    return (
        "<html><title>Heron</title><body><h1>Heron</h1>"
        f"<p>The Heron tariff costs {euros} euros a month.</p>{STATED}</body></html>"
    )


@pytest.fixture(scope="module")
def firecrawl() -> Iterator[Firecrawl]:
    with running(Origin()) as origin:
        made = Firecrawl(origin)
        made.pages = {
            f"{SITE}/heron": (200, priced(14)),
            f"{SITE}/gauges": (200, f"<html><title>G</title><h1>Gauges</h1>{STATED}</html>"),
            f"{SITE}/gone": (404, "<html><h1>Not found</h1></html>"),
            f"{SITE}/plan.pdf": (200, ""),
            "https://elsewhere.example.org/": (200, f"<html>{STATED}</html>"),
        }
        yield made


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with a scope of the site, whose commands know the key."""
    with System(tmp_path_factory.mktemp("firecrawl")) as running_system:
        running_system.environment["FIRECRAWL_API_KEY"] = KEY
        running_system.create_scope("gauges", include=["gauges.example.org"])
        yield running_system


def bring(system: System, firecrawl: Firecrawl, *words: str) -> Ended:
    """Has Firecrawl fetch something."""
    fixed = ("--scope", "gauges", "--server", firecrawl.url)
    return system.run("import", "firecrawl", *words, *fixed)


def test_a_page_is_scraped_and_answered_from(system: System, firecrawl: Firecrawl) -> None:
    """As it is now, by its HTML; the citation says who fetched it."""
    done = bring(system, firecrawl, f"{SITE}/heron")
    with Scops(system.address) as scops:
        answer = scops.answer(QUESTION, "gauges")

    assert 0 == done.code, done.err
    assert (1, 1) == (done.json["pages"], done.json["indexed"])
    assert "14 euros" in answer.text
    assert "firecrawl" == answer.citations[0].captured_by
    assert (["rawHtml", "markdown"], 0) == (
        firecrawl.asked[-1]["formats"],
        firecrawl.asked[-1]["maxAge"],
    )


def test_what_its_crawl_finds_is_taken_where_the_scope_holds_it(
    system: System, firecrawl: Firecrawl
) -> None:
    """Part by part; a page that is not there closes, and what is no HTML is left to a crawl."""
    firecrawl.pages[f"{SITE}/heron"] = (200, priced(19))
    done = bring(system, firecrawl, f"{SITE}/", "--mode", "crawl")
    with Scops(system.address) as scops:
        answer = scops.answer(QUESTION, "gauges")
        history = scops.page_history(f"{SITE}/heron").versions

    assert 0 == done.code, done.err
    assert 5 == done.json["pages"]
    assert {"outside of the scope": 1, "no HTML; a crawl reads it as it is": 1} == (
        done.json["left_out"]
    )
    assert "19 euros" in answer.text
    assert 2 == len(history)


def test_a_map_is_fetched_where_the_scope_holds_it(system: System, firecrawl: Firecrawl) -> None:
    """Each page is paid for: what is outside is not asked for."""
    firecrawl.asked.clear()
    done = bring(system, firecrawl, f"{SITE}/", "--mode", "map", "--limit", "10")

    assert 0 == done.code, done.err
    scraped = {one["url"] for one in firecrawl.asked if "formats" in one}
    assert {f"{SITE}/{name}" for name in ("heron", "gauges", "gone", "plan.pdf")} == scraped
    assert 2 == done.json["unchanged"]


def test_what_fails_is_named_and_the_rest_is_taken(system: System, firecrawl: Firecrawl) -> None:
    """By the words of the service."""
    done = bring(system, firecrawl, f"{SITE}/nowhere", f"{SITE}/gauges")

    assert 6 == done.code
    told = json.loads(done.out.splitlines()[0])
    assert "No such host" in told["faults"][f"{SITE}/nowhere"]
    assert 1 == told["unchanged"]


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("shell", "<html><body><div id='root'></div><script src='a.js'></script></body></html>"),
        ("bare", ""),
    ],
)
def test_its_markdown_stands_in_where_the_html_has_no_text(
    system: System, firecrawl: Firecrawl, name: str, html: str
) -> None:
    """The citation says so; where the HTML has text, Firecrawl's reading counts for nothing."""
    empty, full = f"{SITE}/{name}", f"{SITE}/gauges"
    firecrawl.pages[empty] = (200, html)
    firecrawl.markdown = {
        empty: f"# Bittern\n\nThe {name} bittern booms at dusk over the reeds of the mill pond.",
        full: "# Gauges\n\nNobody reads the gauges.",
    }
    done = bring(system, firecrawl, empty, full)
    with Scops(system.address) as scops:
        answer = scops.answer(f"Where does the {name} bittern boom?", "gauges")
        said = scops.read_page(full).text

    assert 0 == done.code, done.err
    assert (2, 1, 1, {}) == tuple(
        done.json[key] for key in ("pages", "indexed", "unchanged", "refused")
    )
    assert "mill pond" in answer.text
    assert "firecrawl:markdown" == answer.citations[0].captured_by
    assert "Nobody reads" not in said


def test_a_crawl_that_fails_takes_nothing(system: System, firecrawl: Firecrawl) -> None:
    """It is named, too."""
    firecrawl.ends_as = "failed"
    done = bring(system, firecrawl, f"{SITE}/", "--mode", "crawl")
    firecrawl.ends_as = "completed"

    assert 6 == done.code
    told = json.loads(done.out.splitlines()[0])
    assert "ended as failed" in told["faults"][f"{SITE}/"]
    assert 0 == told["pages"]


@pytest.mark.parametrize(
    ("key", "words", "said"),
    [
        ("", (), "Set FIRECRAWL_API_KEY"),
        ("another", (), "Unauthorized"),
        (KEY, ("--mode", "guess"), "scrape, crawl or map"),
    ],
)
def test_what_is_wrong_is_said(
    system: System, firecrawl: Firecrawl, key: str, words: tuple[str, ...], said: str
) -> None:
    """With what to do."""
    system.environment["FIRECRAWL_API_KEY"] = key
    done = bring(system, firecrawl, f"{SITE}/heron", *words)
    system.environment["FIRECRAWL_API_KEY"] = KEY

    assert 0 != done.code
    assert said in done.err + done.out
