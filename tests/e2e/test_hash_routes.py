"""An app whose pages lie behind the `#` is crawled by its routes and answered from each of them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest

from scops.client import Boundary, Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

SHELL = (
    "<!doctype html><html lang=en><head><title>Harbour</title><meta charset=utf-8></head><body>"
    "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>"
    "<script src=/app.js></script></body></html>"
)
# A router as hash routers are made: it reads its route, asks for its data, and draws.
APP = """
const root = document.getElementById('root');
async function draw() {
  const route = location.hash.replace(/^#!?/, '').replace(/[?#].*/, '') || '/';
  const answer = await fetch('/api' + route + '.json');
  if (!answer.ok) { root.innerHTML = '<main><h1>Nothing here</h1></main>'; return }
  const page = await answer.json();
  document.title = page.title;
  root.innerHTML = `<main><h1>${page.title}</h1>` + page.text.map((one) => `<p>${one}</p>`).join('')
    + '<a href="#/">Start</a> <a href="#top">Up</a> '
    + page.links.map((one) => `<a href="${one}">${one}</a>`).join(' ') + '</main>';
}
addEventListener('hashchange', draw);
draw();
"""
STATED = (
    "Every boat that moors at the harbour is entered by its master in the book of the day, with "
    "the hour of its arrival, its draught and the port that it comes from."
)
WAIT_SECONDS = 120.0
ROUTES = {
    "": ("Harbour", "The harbour is open to boats of every size.", ["#/berths", "#!/tides"]),
    "#/berths": (
        "Berths",
        "A berth at the northern quay costs 31 euros a night.",
        ["#/berths/sud"],
    ),
    "#/berths/sud": ("South", "A berth at the southern quay costs 47 euros a night.", ["#/berths"]),
    "#!/tides": ("Tides", "The ebb gate is closed at 18 minutes past each hour.", []),
}
QUESTIONS = {
    "#/berths": ("What does a berth at the northern quay cost a night?", "31 euros"),
    "#/berths/sud": ("What does a berth at the southern quay cost a night?", "47 euros"),
    "#!/tides": ("When is the ebb gate closed?", "18 minutes"),
}


def say(origin: Origin, route: str, *, text: str = "") -> None:
    """Serves what the app shows at a route."""
    title, said, links = ROUTES[route]
    path = route.lstrip("#!") or "/"
    page = {"title": title, "text": [text or said, STATED], "links": links}
    origin.replace(f"/api{path}.json", json.dumps(page))


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    with running(Origin()) as served:
        served.replace("/", SHELL)
        served.replace("/app.js", APP)
        for route in ROUTES:
            say(served, route)
        plain = f"<p>The chandler sells rope. {STATED}</p><a href='/#/ghost'>A place</a>"
        served.replace("/shop", f"<!doctype html><html><body><main>{plain}</main></body></html>")
        yield served


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[System]:
    """A system whose scope `harbour` has crawled the app from its start, and a plain page."""
    folder: Path = tmp_path_factory.mktemp("harbour")
    with System(folder, SCOPS_FETCHER_DELAYS="127.0.0.0/8=0.02") as running_system:
        with Scops(running_system.address) as scops:
            seeds = [f"{origin.url}/", f"{origin.url}/shop"]
            scops.create_scope("harbour", seeds=seeds, boundary=Boundary.HOST)
            scops.wait_job(scops.crawl("harbour"), seconds=WAIT_SECONDS)
        yield running_system


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def test_each_route_is_a_page(scops: Scops, origin: Origin) -> None:
    """No anchor is, nor what stands behind the # in a link of a page that the server fills."""
    found = {page.uri.removeprefix(f"{origin.url}/") for page in scops.list_pages("harbour")}

    assert {*ROUTES, "shop"} == found


@pytest.mark.parametrize("route", QUESTIONS)
def test_answers_cite_the_route_that_says_it(scops: Scops, origin: Origin, route: str) -> None:
    """By its own URL, which a text fragment leaves as it is."""
    question, said = QUESTIONS[route]
    answer = scops.answer(question, "harbour")
    (first, *_) = answer.citations

    assert said in answer.text
    assert f"{origin.url}/{route}" == first.uri
    assert first.fragment_uri.startswith(f"{first.uri}:~:text=")
    assert "browser" == first.captured_by


def test_no_request_carries_a_fragment(origin: Origin) -> None:
    """Routes are asked for as the page that they are routes of, and by their data."""
    sent = [unquote(one.target) for one in origin.requests]

    assert not [target for target in sent if "#" in target]
    assert {"/", "/app.js", "/shop"} <= set(sent)
    assert not [target for target in sent if "ghost" in target]
    assert 1 == origin.count(path="/app.js")


def test_a_route_has_versions_of_its_own(scops: Scops, origin: Origin) -> None:
    """A user names it by its URL; what it shows changes, and no other page does."""
    berths, before = f"{origin.url}/#/berths", datetime.now(UTC)
    say(origin, "#/berths", text="A berth at the northern quay costs 39 euros a night.")
    scops.wait_job(scops.crawl("harbour", urls=[berths]), seconds=WAIT_SECONDS)
    answer = scops.answer(QUESTIONS["#/berths"][0], "harbour")
    changes = scops.what_changed("harbour", before, with_noise=True).changes

    assert "39 euros" in answer.text
    assert berths == answer.citations[0].uri
    assert [berths] == [one.uri for one in changes if one.news == "changed"]


def test_a_scope_of_some_routes_holds_no_other(
    system: System, scops: Scops, origin: Origin
) -> None:
    """By a prefix of routes, and by one picked page, which is its own seed."""
    rules = [f"prefix:{origin.url}/#/berths", f"page:{origin.url}/#!/tides"]
    options = [each for one in rules for each in ("--include", one)]
    made = system.run("scope", "create", "berths", f"{origin.url}/#/berths", *options)
    assert 0 == made.code, made.err
    scops.wait_job(scops.crawl("berths"), seconds=WAIT_SECONDS)
    found = {page.uri.removeprefix(f"{origin.url}/") for page in scops.list_pages("berths")}

    assert {"#/berths", "#/berths/sud", "#!/tides"} == found
    assert "47 euros" in scops.answer(QUESTIONS["#/berths/sud"][0], "berths").text
