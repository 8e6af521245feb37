"""Looking further: pages are fetched for a question, in a browser that shows them as they come."""

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import web
from playwright.sync_api import Page, expect

from tests.e2e.research_site import ANSWER, QUESTION, build_harbour, page, to
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Handler, Origin, running

SCOPE = "gauges"
EGGS = "How many eggs does a sandwich tern lay?"
SECONDS_HELD = 3
SECONDS_SLOW = 10
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def harbour() -> Iterator[Origin]:
    """A site that answers two links from its start; the first of them takes its time."""
    with running(Origin()) as site:
        build_harbour(site)
        body = site.body("/ferries")
        site.handle("/ferries", held(body, SECONDS_HELD))
        site.handle("/slow", held(body, SECONDS_SLOW))
        yield site


@pytest.fixture(scope="module")
def lacking(system: System, harbour: Origin) -> System:
    """The system, with a scope that holds a page which answers nothing, and one that may grow."""
    known(system, harbour, SCOPE, "/about/1")
    harbour.replace("/tern", page("Terns", to("/tern/eggs", "Eggs"), to("/about/1", "Tern eggs")))
    harbour.replace("/tern/eggs", page("Eggs", "A sandwich tern lays two eggs in May."))
    known(system, harbour, "terns", "/tern")
    return system


def test_a_question_without_an_answer_is_looked_further_from_a_page(
    lacking: System, harbour: Origin, open_page: OpenPage
) -> None:
    """What is looked at comes live, then the answer with its quote, and the report."""
    page = open_page(f"{lacking.http_url}/ask?scope={SCOPE}&q={QUESTION}")
    offers = page.get_by_role("region", name="Look further")
    offers.get_by_label("Or from a page on").fill("no address")
    offers.get_by_role("button", name="Look from there").click()
    expect(offers.get_by_role("alert")).to_contain_text("no address of a page")
    offers.get_by_label("Or from a page on").fill(f"{harbour.url}/")
    offers.get_by_role("button", name="Look from there").click()
    expect(page).to_have_url(re.compile(r"/researches/[0-9a-f-]+$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    held_page = page.locator(".looked-pages li").filter(has_text="Ferries and their tariffs")
    expect(held_page).to_contain_text("being fetched")
    expect(page.locator(".looks")).to_contain_text(re.compile(r"Look 1: \d+% covered"))
    expect(page.locator(".statements")).to_contain_text(ANSWER)

    looked = page.get_by_role("region", name="What was looked at")
    expect(looked.get_by_role("status")).to_contain_text("what it found suffices")
    expect(looked.locator("li", has_text="click here").last).to_contain_text("cited")
    page.get_by_role("button", name=re.compile("^Citation 1")).first.click()
    expect(page.get_by_role("complementary", name="Evidence").locator("mark")).to_have_text(ANSWER)
    with page.expect_popup() as opened:
        looked.get_by_role("link", name="Report").click()
    expect(opened.value.locator("body")).to_contain_text(QUESTION)
    # Whoever came in by a key has it in this tab alone, and not in a link.
    page.evaluate("sessionStorage.setItem('scops.key', 'kept-by-the-tab')")
    page.reload()
    expect(page.locator(".statements")).to_contain_text(ANSWER)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the report").click()
    assert QUESTION in saved.value.path().read_text()
    page.get_by_role("link", name="Open as a chat").click()
    expect(page).to_have_url(re.compile(r"/chats/"))
    expect(page.locator(".statements")).to_contain_text(ANSWER)


def test_a_scope_is_looked_further_in_and_an_answer_may_be_too(
    lacking: System, open_page: OpenPage
) -> None:
    """One press fetches pages inside the scope's rules; under an answer it is offered on demand."""
    page = open_page(f"{lacking.http_url}/ask?scope=terns&q={EGGS}")
    page.locator(".turn .asked").wait_for()
    page.locator(".turn").get_by_text("Look further", exact=True).first.click()
    page.get_by_role("button", name="Fetch pages of @terns").click()
    expect(page.locator(".statements")).to_contain_text("two eggs")
    expect(page.locator(".looked-at")).to_contain_text("@terns")
    page.locator(".turn details summary").get_by_text("Look further").click()

    expect(page.get_by_role("button", name="Fetch pages of @terns")).to_be_visible()


def test_a_run_is_stopped(lacking: System, harbour: Origin, open_page: OpenPage) -> None:
    """It is asked once whether it is meant; what was looked at stays."""
    page = open_page(f"{lacking.http_url}/ask?scope={SCOPE}&q={QUESTION}")
    page.get_by_label("Or from a page on").fill(f"{harbour.url}/slow")
    page.get_by_role("button", name="Look from there").click()
    expect(page.locator(".looked-pages")).to_contain_text("being fetched")
    page.get_by_role("button", name="Stop looking").click()
    page.get_by_role("button", name="Stop looking").click()

    expect(page.get_by_role("status").filter(has_text="It was stopped.")).to_be_visible()
    expect(page.locator(".looked-pages")).to_contain_text("/slow")
    address = page.url
    page.get_by_role("link", name="Jobs").first.click()
    newest = page.get_by_role("region", name="Research").locator("tbody tr").first
    expect(newest).to_contain_text("stopped")
    assert [] == wrong(page)
    newest.get_by_role("link", name=QUESTION).click()
    expect(page).to_have_url(address)


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_a_run_keeps_nobody_out(
    lacking: System,
    harbour: Origin,
    open_page: OpenPage,
    tmp_path: Path,
    *,
    is_phone: bool,
    is_dark: bool,
) -> None:
    """Axe finds nothing, neither while it goes on nor once it has ended."""
    address = f"{lacking.http_url}/ask?scope={SCOPE}&q={QUESTION}"
    page = open_page(address, is_phone=is_phone, is_dark=is_dark)
    page.get_by_label("Or from a page on").fill(f"{harbour.url}/ferries")
    found = {"offered": wrong(page)}
    page.get_by_role("button", name="Look from there").click()
    page.locator(".looked-pages").wait_for()
    found["under way"] = wrong(page)
    page.locator(".looked-at").wait_for()
    page.locator(".turn").wait_for()
    found["ended"] = wrong(page)
    page.screenshot(path=tmp_path / "research.png", full_page=True)

    assert {place: [] for place in found} == found


def known(system: System, site: Origin, name: str, path: str) -> None:
    """Gives a system a scope of what lies below a path, and fetches that page."""
    inside = f"{site.url}{path}".removeprefix("http://")
    system.create_scope(name, seeds=[f"{site.url}{path}"], include=[inside])
    system.crawl(name, urls=[f"{site.url}{path}"])


def held(body: bytes | None, seconds: float) -> Handler:
    """Returns what answers after some time."""

    async def answer(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.Response(body=body, content_type="text/html")

    return answer
