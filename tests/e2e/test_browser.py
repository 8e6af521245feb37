"""A site whose pages only scripts fill is crawled, followed, kept fresh and answered from."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from scops.client import Boundary, Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

SHELL = (
    "<!doctype html><html lang=en><head><title>Aviary</title><meta charset=utf-8>"
    "<link rel=stylesheet href=/app.css></head><body><noscript>You need to enable JavaScript to "
    "run this app.</noscript><div id=root></div><script src=/app.js></script></body></html>"
)
# A small app as frameworks make them: it looks at its address, asks for its data, and draws.
APP = """
const root = document.getElementById('root');
async function draw() {
  const answer = await fetch('/api' + location.pathname);
  if (!answer.ok) { root.textContent = 'Something went wrong, please come back later.'; return }
  const page = await answer.json();
  document.title = page.title;
  root.innerHTML = `<nav class=menu><a href="/">Start</a></nav><main><h1>${page.title}</h1>`
    + page.text.map((one) => `<p>${one}</p>`).join('')
    + page.links.map((one) => `<a href="${one}">${one}</a>`).join(' ') + '</main>';
  if (page.later) setTimeout(() => {
    document.querySelector('main').insertAdjacentHTML('beforeend', `<p>${page.later}</p>`)
  }, 300);
}
draw();
new Image().src = '/pixel.gif';
fetch('https://tracker.example.net/hit').catch(() => 0);
fetch('/private/visitors').catch(() => 0);
"""
STATED = (
    "Every gauge on the river is read twice a day, and its keeper writes down the level together "
    "with the weather, so that floods of other years can be compared with it."
)
WAIT_SECONDS = 120.0
QUESTION = "How much does the Heron tariff cost a month?"


class Aviary:
    """The app, its data, and what becomes of it."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.is_down = False
        origin.replace("/robots.txt", "User-agent: *\nDisallow: /private/\n", type="text/plain")
        origin.replace("/app.js", APP)
        origin.replace("/app.css", ".menu { display: none }")
        for path in ("/", "/tariffs", "/tariffs/heron", "/empty"):
            origin.replace(path, SHELL)
        self.say(
            "/", "Aviary", ["The aviary by the river is open to members.", STATED], ["/tariffs"]
        )
        self.say(
            "/tariffs", "Tariffs", [f"Three tariffs are on offer. {STATED}"], ["/tariffs/heron"]
        )
        self.price(14)
        origin.replace("/api/empty", json.dumps({"title": "", "text": [], "links": []}))

    def say(self, path: str, title: str, text: list[str], links: list[str]) -> None:
        """What the app shows under a path."""
        page = {"title": title, "text": text, "links": links, "later": "Opening hours: 9 to 17."}

        async def answer(_: web.Request) -> web.StreamResponse:
            if self.is_down:
                return web.Response(status=503, text="down")
            return web.json_response(page)

        self.origin.handle(f"/api{path}", answer)

    def price(self, euros: int) -> None:
        """What the Heron tariff costs from now on."""
        text = [f"The Heron tariff costs {euros} euros a month.", STATED]
        self.say("/tariffs/heron", "Heron", text, ["/"])

    def asked(self, path: str) -> int:
        """How often something was asked for so far."""
        return self.origin.count(path=path)


@pytest.fixture(scope="module")
def aviary() -> Iterator[Aviary]:
    with running(Origin()) as origin:
        yield Aviary(origin)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, aviary: Aviary) -> Iterator[System]:
    """A system whose scope `aviary` has crawled the app from its start page."""
    folder: Path = tmp_path_factory.mktemp("aviary")
    settings = {"SCOPS_FETCHER_DELAYS": "127.0.0.0/8=0.1"}
    with System(folder, **settings) as running_system:
        with Scops(running_system.address) as scops:
            seeds = [f"{aviary.origin.url}/", f"{aviary.origin.url}/empty"]
            scops.create_scope("aviary", seeds=seeds, boundary=Boundary.HOST)
            scops.wait_job(scops.crawl("aviary"), seconds=WAIT_SECONDS)
        yield running_system


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def test_its_pages_are_found_by_the_links_that_its_scripts_make(
    scops: Scops, aviary: Aviary
) -> None:
    """Each is indexed; one that stays empty in the browser has nothing to say."""
    status = {
        page.uri.removeprefix(aviary.origin.url): page.status for page in scops.list_pages("aviary")
    }

    assert {
        "/": "fetched",
        "/tariffs": "fetched",
        "/tariffs/heron": "fetched",
        "/empty": "failed",
    } == status


def test_answers_quote_what_the_app_shows(scops: Scops) -> None:
    """And say that a browser saw it."""
    answer = scops.answer(QUESTION, "aviary")
    (first, *_) = answer.citations

    assert "14 euros" in answer.text
    assert first.uri.endswith("/tariffs/heron")
    assert "browser" == first.captured_by


def test_politeness_holds_for_what_the_browser_asks_for(aviary: Aviary) -> None:
    """One request at a time, with pauses, by robots.txt; nobody else is asked; scripts once."""
    paths = aviary.origin.paths()

    assert 0 == aviary.origin.overlaps()
    assert min(aviary.origin.gaps_seconds()) >= 0.1
    assert not [path for path in paths if path.startswith(("/private", "/pixel"))]
    assert (1, 1) == (aviary.asked("/app.js"), aviary.asked("/app.css"))
    assert all("Scops/" in one.headers["User-Agent"] for one in aviary.origin.requests)


def test_a_change_that_the_server_does_not_tell_is_seen(
    system: System, scops: Scops, aviary: Aviary
) -> None:
    """The shell has the same validators as before; what it shows has another price."""
    aviary.price(19)
    scops.wait_job(scops.crawl("aviary"), seconds=WAIT_SECONDS)
    answer = scops.answer(QUESTION, "aviary")

    assert "19 euros" in answer.text
    changed = system.run("--output", "json", "changes", "aviary")
    assert "/tariffs/heron" in changed.out


def test_an_app_without_its_data_is_no_change(scops: Scops, aviary: Aviary) -> None:
    """A server that is down for now takes nothing away."""
    aviary.is_down = True
    aviary.origin.clear_log()
    job = scops.crawl("aviary", urls=[f"{aviary.origin.url}/tariffs/heron"])
    scops.wait_job(job, seconds=WAIT_SECONDS)
    aviary.is_down = False
    answer = scops.answer(QUESTION, "aviary")

    assert aviary.asked("/api/tariffs/heron") > 1
    assert "19 euros" in answer.text


def test_a_scope_has_pages_shown_that_are_filled_by_half(
    system: System, scops: Scops, aviary: Aviary
) -> None:
    """The server says enough for an article; the tariff comes by a script."""
    path, said = "/half", f"<p>The office of the aviary is in the old mill. {STATED}</p>"
    aviary.origin.replace(path, SHELL.replace("<div id=root></div>", f"{said}<div id=root></div>"))
    aviary.say(path, "Egret", ["The Egret tariff costs 23 euros a month."], [])
    page = f"page:{aviary.origin.url}{path}"
    for name, option in (("half", "--rendered-at-need"), ("shown", "--rendered-always")):
        made = system.run("scope", "create", name, "--include", page, option)
        assert 0 == made.code, made.err
        scops.wait_job(scops.crawl(name), seconds=WAIT_SECONDS)
        told = scops.answer("How much does the Egret tariff cost a month?", name).text
        assert ("23 euros" in told) == (name == "shown"), told

    assert scops.get_scope("shown").rendered_always
    used = [scops.scope_use(name).rendered_pages for name in ("half", "shown")]
    assert [0, 1] == used
    assert '"rendered_pages": 1' in system.run("scope", "use", "shown").out
