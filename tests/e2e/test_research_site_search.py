"""A question to a site whose own search knows the page that no link names.

The site is a manual made with Sphinx: its scripts tell of `searchindex.js`. Another keeps that file
from robots, and the file of a third is made to hurt whoever reads it.
"""

import json
from collections.abc import Iterator

import pytest

from scops.client import Scops
from scops.client.values.words import ResearchState
from tests.e2e.research_site import SITE_FILES
from tests.e2e.research_site import page as plain_page
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

QUESTION = "How much does the Heron tariff of the ferry to Plover Island cost?"
ANSWER = "The Heron tariff of the ferry to Plover Island costs 14 euros a month."
UNKNOWN = "Which captain sank the lightship Godwit in the storm of 1911?"
OTHER_ANSWER = "A sandwich tern of the harbour lays two eggs in May."
FILLER = (
    "Every gauge on the river is read twice a day, and its keeper writes down the level together "
    "with the weather, so that floods of other years can be compared with it."
)
CHAPTERS = 60
SCRIPT = '<script data-url_root="{root}" src="{root}_static/doctools.js"></script>'
INDEX = {
    "docnames": ["index", "annex/k7", "annex/k9"],
    "titles": ["Harbour", "Heron tariff of the ferry", "Eggs of the <em>tern</em>"],
    "terms": {
        "plover": [1],
        "island": [1],
        "cost": [1],
        "sandwich": [2],
        "lai": [2],
        "harbour": [2],
    },
    "titleterms": {"harbour": 0, "heron": 1, "tariff": 1, "ferri": 1, "egg": 2, "tern": 2},
}


def page(title: str, *parts: str, root: str = "./") -> str:
    head = f"<title>{title}</title>{SCRIPT.format(root=root)}"
    body = "".join(f"<p>{part}</p>" for part in (*parts, FILLER))
    return f"<html><head>{head}</head><body><main><h1>{title}</h1>{body}</main></body></html>"


def to(path: str, words: str) -> str:
    return f'<a href="{path}">{words}</a>'


def manual(site: Origin, index: str | bytes) -> None:
    """A start with sixty chapters; the annexes stand behind the last one, without a name."""
    chapters = [to(f"chapter{number}.html", f"Gauge {number}") for number in range(CHAPTERS)]
    site.replace("/index.html", page("Harbour", *chapters))
    for number in range(CHAPTERS):
        annexes = (to("annex/k7.html", "more"), to("annex/k9.html", "more"))
        links = annexes if number == CHAPTERS - 1 else ()
        site.replace(f"/chapter{number}.html", page(f"Gauge {number}", *links))
    site.replace("/annex/k7.html", page("Annex K7", ANSWER, root="../"))
    site.replace("/annex/k9.html", page("Annex K9", OTHER_ANSWER, root="../"))
    site.replace("/searchindex.js", index)


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    with running(Origin()) as site:
        manual(site, f"Search.setIndex({json.dumps(INDEX)})")
        yield site


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[System]:
    """A system that knows nothing yet."""
    with System(tmp_path_factory.mktemp("site-search")) as running_system:
        yield running_system


@pytest.fixture(scope="module")
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def asked_of(site: Origin) -> list[str]:
    return [one.path for one in site.requests if one.path not in SITE_FILES]


def test_a_page_that_no_link_names_is_found_by_the_sites_search(
    scops: Scops, origin: Origin
) -> None:
    """The way to it leads by the index, whose fetch counts; a second question asks it no more."""
    done = scops.wait_research(scops.research(QUESTION, uri=f"{origin.url}/index.html"))
    first = asked_of(origin)
    begun = scops.research(UNKNOWN, uri=f"{origin.url}/index.html", pages=6)
    other = scops.wait_research(begun)
    second = asked_of(origin)[len(first) :]

    index = f"{origin.url}/searchindex.js"
    assert (ResearchState.ENDED, "covered") == (done.research.state, done.research.stop_reason)
    assert done.answer is not None
    assert "14 euros" in done.answer.text
    (cited,) = (one for one in done.research.pages if one.cited)
    assert (f"{origin.url}/annex/k7.html", index, "Heron tariff of the ferry") == (
        cited.uri,
        cited.found_on_uri,
        cited.link_text,
    )
    (searched,) = (one for one in done.research.pages if one.uri == index)
    assert ("searched", "site search", f"{origin.url}/index.html") == (
        searched.outcome,
        searched.link_text,
        searched.found_on_uri,
    )
    assert len(first) == len(set(first)) == len(done.research.pages) <= 10
    assert "/searchindex.js" not in second
    assert ["known"] == [one.outcome for one in other.research.pages if one.uri == index]


def test_a_page_that_an_llms_txt_names_is_found(scops: Scops) -> None:
    """Where no page names an index; the way to it leads by that file."""
    with running(Origin()) as site:
        site.replace("/", plain_page("Harbour", to("/about", "About us")))
        site.replace("/about", plain_page("About us", "The harbour was built in 1888."))
        site.replace("/annex/k7", plain_page("Annex K7", ANSWER))
        named = "- [Annex K7](/annex/k7): what the Heron tariff of the ferry costs"
        site.replace("/llms.txt", f"# Harbour\n\n{named}\n")
        done = scops.wait_research(scops.research(QUESTION, uri=f"{site.url}/"))

    assert done.answer is not None
    assert "14 euros" in done.answer.text
    (cited,) = (one for one in done.research.pages if one.cited)
    (file,) = (one for one in done.research.pages if one.uri.endswith("/llms.txt"))
    assert (file.uri, "searched", "llms.txt") == (cited.found_on_uri, file.outcome, file.link_text)
    assert f"{site.url}/" == file.found_on_uri


def test_robots_txt_keeps_the_index_from_us(scops: Scops) -> None:
    """It is not asked for, and the run says so."""
    with running(Origin()) as site:
        manual(site, f"Search.setIndex({json.dumps(INDEX)})")
        site.replace("/robots.txt", "User-agent: *\nDisallow: /searchindex.js\n")
        run = scops.wait_research(
            scops.research(QUESTION, uri=f"{site.url}/index.html", pages=9)
        ).research

        assert "/searchindex.js" not in asked_of(site)
        assert [("blocked", "robots")] == [
            (one.outcome, one.reason)
            for one in run.pages
            if one.uri == f"{site.url}/searchindex.js"
        ]
        assert ResearchState.ENDED is run.state


def test_an_index_that_is_made_to_hurt_hurts_nobody(scops: Scops) -> None:
    """The run goes on by links, and the system answers meanwhile."""
    with running(Origin()) as site:
        manual(site, b"Search.setIndex(" + b"[]," * 5_000_000)
        link = to("annex/k7.html", "Heron tariff of the ferry")
        site.replace("/index.html", page("Harbour", link))
        begun = scops.research(QUESTION, uri=f"{site.url}/index.html")
        done = scops.wait_research(begun)
        run = done.research

        assert [("dead", "unreadable")] == [
            (one.outcome, one.reason)
            for one in run.pages
            if one.uri == f"{site.url}/searchindex.js"
        ]
        assert (ResearchState.ENDED, "covered") == (run.state, run.stop_reason)
        assert done.answer is not None
        assert "14 euros" in done.answer.text
