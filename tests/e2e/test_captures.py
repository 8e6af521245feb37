"""A page behind a login is captured for one scope: it is answered from there and nowhere else."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scops.client import Boundary, NotFound, Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

BEGAN = datetime.now(UTC) - timedelta(hours=1)
SHARED = (
    "<p>Every gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it.</p>"
)
OPEN = f"<html><title>Gauges</title><body><h1>Gauges</h1>{SHARED}</body></html>"
WALL = (
    "<html><title>Sign in</title><body><h1>Sign in</h1><form action=/login method=post>"
    "<input name=user><input type=password name=password><button>Sign in</button></form>"
    "</body></html>"
)
HIDDEN = "<html><title>Hidden</title><body><h1>Hidden</h1><p>Nobody leads here.</p></body></html>"
QUESTION = "How much does the Heron tariff cost?"
WAIT_SECONDS = 60.0


def inside(price: int) -> bytes:
    """What a reader sees who has signed in."""
    return (
        "<html><head><title>Your account</title><meta name=robots content=noindex></head><body>"
        f"<h1>Your account</h1><h2>Tariff</h2><p>The Heron tariff costs {price} euros a month and "
        "may be cancelled at the end of each quarter by a letter to the office.</p>"
        f"<h2>Gauges</h2>{SHARED}<a href=/hidden>More of your account</a></body></html>"
    ).encode()


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """A site of an open page, and of one that shows a login to whoever has none."""
    with running(Origin()) as site:
        site.replace("/open", OPEN)
        site.replace("/inside", WALL)
        site.replace("/hidden", HIDDEN)
        yield site


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Iterator[System]:
    """A system whose scopes `mine` and `others` hold all of the site, and have crawled it."""
    with System(tmp_path_factory.mktemp("captures")) as running_system:
        with Scops(running_system.address) as scops:
            for name in ("mine", "others"):
                seeds = [f"{origin.url}/open", f"{origin.url}/inside"]
                scops.create_scope(name, seeds=seeds, boundary=Boundary.HOST)
                scops.wait_job(scops.crawl(name), seconds=WAIT_SECONDS)
        yield running_system


@pytest.fixture
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


@pytest.fixture(scope="module")
def captured(system: System, origin: Origin, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Captures the page for `mine` by the command; returns its name once it is found."""
    file = tmp_path_factory.mktemp("saved") / "account.html"
    file.write_bytes(inside(77))
    url = f"{origin.url}/inside"
    done = system.run(
        "--output", "json", "page", "capture", str(file), "--url", url, "--scope", "mine"
    )
    assert 0 == done.code, done.err
    until_price(system, 77)
    return str(json.loads(done.out)["name"])


def until_price(system: System, price: int) -> None:
    """Waits until `mine` answers with a price."""
    ends = time.monotonic() + WAIT_SECONDS
    with Scops(system.address) as scops:
        while not any(
            f"{price} euros" in one.text for one in scops.search(QUESTION, "mine").passages
        ):
            assert time.monotonic() < ends, "the capture was not indexed"
            time.sleep(0.2)


def test_the_answer_says_who_captured_it_and_when(
    captured: str, scops: Scops, origin: Origin, system: System
) -> None:
    """In passages, citations, the page's card and its trace; `noindex` binds crawlers."""
    answer = scops.answer(QUESTION, "mine")
    (citation,) = [one for one in answer.citations if "Heron" in one.quote]
    page = scops.get_page(f"{origin.url}/inside")
    shown = system.run("--output", "text", "page", "show", captured).out
    trace = system.run("--output", "text", "page", "trace", captured.removeprefix("pages/")).out

    assert ("local", captured) == (citation.captured_by, citation.page)
    assert citation.access_context.startswith("captures-")
    assert (captured, "local", ("scopes/mine",)) == (page.name, page.captured_by, page.scopes)
    assert page.last_fetch_time is not None
    assert citation.clocks is not None
    assert page.last_fetch_time == citation.clocks.observed_time
    assert "captured by local at" in shown
    assert "captured by local" in trace


def test_no_other_scope_has_anything_of_it(
    captured: str, scops: Scops, origin: Origin, system: System, tmp_path: Path
) -> None:
    """No passage, mirror, page, change, template, count or link; nor does an export."""
    passages = scops.search(QUESTION, "others", limit=50).passages
    gauges = scops.search("How often is a gauge read?", "others", limit=50).passages
    mirrors = {mirror.page for one in gauges for mirror in one.mirrors}
    listed = {page.name: page for page in scops.list_pages("others")}
    changes = scops.what_changed("others", BEGAN, with_noise=True).changes
    feed = scops.page_changes(f"{origin.url}/open", BEGAN, with_noise=True).changes
    exported = system.run("export", "mine", str(tmp_path / "export"))
    lines = "".join(file.read_text() for file in sorted((tmp_path / "export").glob("*.jsonl")))

    assert gauges
    assert [] == [one for one in passages if "Heron" in one.text or one.captured_by]
    assert {"public"} == {one.access_context for one in (*passages, *gauges)}
    assert captured not in mirrors | set(listed)
    assert [] == [one for one in (*changes, *feed) if one.name == captured]
    assert 0 == exported.code, exported.err
    assert captured.removeprefix("pages/") not in lines
    assert f"{origin.url}/open" in lines
    assert captured in {page.name for page in scops.list_pages("mine")}


def test_its_links_lead_nowhere(captured: str, scops: Scops, origin: Origin) -> None:
    """What it links is asked for by nobody, in the next crawl neither."""
    for name in ("mine", "others"):
        scops.wait_job(scops.crawl(name), seconds=WAIT_SECONDS)

    assert 0 == origin.count(path="/hidden")


def test_a_login_is_no_change_of_it(captured: str, scops: Scops, origin: Origin) -> None:
    """A later crawl of the URL meets the login: that is another page."""
    origin.replace("/inside", WALL.replace("Sign in", "Log in again"))
    scops.wait_job(scops.crawl("mine"), seconds=WAIT_SECONDS)
    history = scops.page_history(captured)

    assert (1, False) == (len(history.versions), history.closed)
    assert "77 euros" in scops.answer(QUESTION, "mine").text


def test_what_is_fetched_already_is_no_second_version(
    captured: str, scops: Scops, origin: Origin
) -> None:
    """Whatever the markup: the page that is fetched speaks for it."""
    content = OPEN.replace("<body>", "<body class=seen>").encode()
    name = scops.capture_page("mine", f"{origin.url}/open", content).name
    ends = time.monotonic() + WAIT_SECONDS
    while scops.get_page(name).status != "joined":
        assert time.monotonic() < ends, scops.get_page(name)
        time.sleep(0.2)
    found = scops.search("How often is a gauge read?", "mine", limit=50).passages

    assert "same_content" == scops.get_page(name).last_reason
    with pytest.raises(NotFound):
        scops.page_history(name)
    assert ["public"] == [one.access_context for one in found if one.uri == f"{origin.url}/open"]


def test_a_later_capture_is_a_version_where_it_differs(
    captured: str, scops: Scops, origin: Origin, system: System
) -> None:
    """The same again is none; both are told apart word by word, and each instant has its own."""
    before = datetime.now(UTC)
    scops.capture_page("mine", f"{origin.url}/inside", inside(77))
    ends = time.monotonic() + WAIT_SECONDS
    while scops.page_history(captured).versions[0].last_verified_time < before:
        assert time.monotonic() < ends, "the second capture had no verdict"
        time.sleep(0.2)
    again = len(scops.page_history(captured).versions)
    scops.capture_page("mine", f"{origin.url}/inside", inside(88))
    until_price(system, 88)
    words = "".join(part.text for hunk in scops.diff_page(captured).hunks for part in hunk.parts)
    then = scops.search(QUESTION, "mine", as_of=before).passages

    assert (1, 2) == (again, len(scops.page_history(captured).versions))
    assert "77" in words
    assert "88" in words
    assert "77 euros" in then[0].text
