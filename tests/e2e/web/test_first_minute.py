"""From an address to an answer, in a browser, and what becomes of the answer later."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from examples.site_server import SITE
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
ASKED = "How much does the River plan cost?"
QUOTE = "The River plan costs 14 euros a month."
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system of its own: it knows nothing yet."""
    with System(tmp_path_factory.mktemp("first-minute")) as system:
        yield system


@pytest.fixture(scope="module")
def crawled(system: System, origin: Origin) -> System:
    """The system once it knows the site as the scope `prices`."""
    system.create_scope("prices", seeds=[origin.url + PRICES], include=[_rule(origin, PRICES)])
    system.crawl("prices", urls=[origin.url + PRICES])
    return system


def test_first_minute_leads_to_a_quote(system: System, origin: Origin, open_page: OpenPage) -> None:
    """Paste, look at the cost, crawl, ask: the quote stands in its page's version."""
    page = open_page(system.http_url)
    expect(page).to_have_url(re.compile("/new$"))
    page.get_by_label("Address").fill(origin.url)
    page.get_by_role("button", name="Show what it costs").click()
    page.get_by_label("Name of the scope").fill("tarn")
    page.get_by_role("button", name="Crawl 200 pages at most").click()
    expect(page.get_by_role("heading", name=re.compile("Crawl(ing|ed)"))).to_be_visible()
    page.get_by_label("Question").fill(ASKED)
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled(timeout=60_000)
    system.wait_fetched(origin.url + PRICES)
    expect(page.get_by_role("heading", name="Crawled")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Ask", exact=True).click()
    first = page.get_by_role("button", name=re.compile("^Citation 1: ")).first
    expect(page.locator(".statements")).to_contain_text(QUOTE)
    first.hover()
    card = page.get_by_role("region", name="Quote")
    expect(card).to_contain_text("verified")
    expect(card).to_contain_text(re.compile("v1 since"))
    card.hover()
    expect(card.get_by_role("button", name="Copy")).to_be_visible()
    first.click()

    expect(page.locator(".evidence mark")).to_contain_text(QUOTE)
    expect(page.locator(".evidence")).to_contain_text("The Stream plan is free of charge")


def test_what_stands_no_more_says_so(crawled: System, origin: Origin, open_page: OpenPage) -> None:
    """An answer keeps what it said; checked again, it shows what the page says now."""
    page = open_page(f"{crawled.http_url}/ask?scope=prices&q={ASKED}")
    expect(page.locator(".statements")).to_contain_text(QUOTE)
    origin.replace(PRICES, (SITE / "edition-2" / PRICES.lstrip("/")).read_bytes())
    crawled.crawl("prices", urls=[origin.url + PRICES])
    page.get_by_role("button", name="Check the quotes").click()

    expect(page.locator(".notice")).to_contain_text("no longer stand")
    expect(page.locator(".diff-short ins").first).to_contain_text("17")
    expect(page.locator(".statements")).to_contain_text(QUOTE)

    fallen = page.get_by_role("button", name=re.compile("^Citation 1, superseded")).first
    fallen.hover()
    expect(page.get_by_role("region", name="Quote").locator("ins").first).to_contain_text("17")
    fallen.click()
    page.get_by_role("link", name="History of the page").click()
    expect(page.locator(".diff del").first).to_be_visible()
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".diff-sides").first).to_contain_text("17 euros")

    page.goto(f"{crawled.http_url}/scopes/prices/changes")
    expect(page.locator(".timeline")).to_contain_text("Prices of the data plans")


def test_the_keyboard_is_enough(crawled: System, open_page: OpenPage) -> None:
    """`/` asks, `@` chooses scopes, `j` opens citations, `Esc` closes, `?` says so."""
    page = open_page(f"{crawled.http_url}/ask")
    page.get_by_role("form", name="Ask").wait_for()
    page.keyboard.press("@")
    page.keyboard.type("none is called so")
    page.keyboard.press("Enter")
    expect(page.locator(".picker")).to_be_visible()
    page.keyboard.press("Control+A")
    page.keyboard.type("pric")
    page.locator(".option").filter(has_text="@prices").wait_for()
    page.keyboard.press("Enter")
    expect(page.locator(".token")).to_have_text("@prices")
    page.keyboard.type("Do students pay less for the River plan?")
    page.keyboard.press("Enter")
    expect(page.locator(".statements")).to_contain_text("Students and schools pay half")
    page.locator("#main").focus()
    page.keyboard.press("j")
    expect(page.locator(".evidence mark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".evidence")).to_have_count(0)
    page.keyboard.press("?")

    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_a_server_that_is_away_loses_no_question(crawled: System, open_page: OpenPage) -> None:
    """The question stays, with what is wrong and one thing to do."""
    page = open_page(f"{crawled.http_url}/ask?scope=prices")
    page.get_by_label("Question").wait_for()
    page.route("**/v1/answer:stream", lambda route: route.abort())
    page.get_by_label("Question").fill(ASKED)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.unroute("**/v1/answer:stream")
    page.get_by_role("button", name="Try again").click()

    expect(page.locator(".statements")).to_contain_text("River plan")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_no_place_keeps_anybody_out(
    crawled: System, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """axe finds nothing, and nothing scrolls sideways, in both themes and on a phone."""
    page = open_page(crawled.http_url, is_phone=is_phone, is_dark=is_dark)
    found = {}
    for place in ("/scopes", "/jobs", "/scopes/prices/changes", "/new"):
        page.goto(crawled.http_url + place)
        page.get_by_role("heading", level=1).wait_for()
        page.locator(".pane, .table, input").first.wait_for()
        found[place] = wrong(page)
    page.get_by_label("Address").fill("tarn.example/guide/")
    page.keyboard.press("Enter")
    found["plan"] = wrong(page)
    page.goto(f"{crawled.http_url}/ask?scope=prices&q={ASKED}")
    page.get_by_role("button", name=re.compile("^Citation 1")).first.click()
    page.locator(".evidence mark").wait_for()
    found["evidence"] = wrong(page)
    page.goto(page.get_by_role("link", name="History of the page").evaluate("link => link.href"))
    page.locator(".timeline").wait_for()
    found["history"] = wrong(page)
    page.goto(f"{crawled.http_url}/jobs")
    page.locator("main a[href*='/jobs/']").first.click()
    page.get_by_text("What became of each page").click()
    page.locator(".address").first.wait_for()
    found["job"] = wrong(page)

    assert {place: [] for place in found} == found


def _rule(origin: Origin, path: str) -> str:
    return origin.url.partition("://")[2] + path
