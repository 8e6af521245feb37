"""What can be done where no answer is found, and where one may be out of date, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from examples.site_server import SITE
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Origin

PRICES, ABOUT = "/policies/prices.html", "/about.html"
# The words of no other module that shares the system: every scope is asked.
ASKED = "How much does the Kestrel plan cost?"
QUOTE = "The Kestrel plan costs 14 euros a month."
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def crawled(system: System, origin: Origin) -> System:
    """The system once it knows a page each of two scopes."""
    origin.replace(PRICES, _prices("edition-1"))
    for name, path in (("kestrels", PRICES), ("about", ABOUT)):
        rule = origin.url.partition("://")[2] + path
        system.create_scope(name, seeds=[origin.url + path], include=[rule])
        system.crawl(name)
    return system


def test_a_question_without_an_answer_is_asked_of_all_scopes(
    crawled: System, open_page: OpenPage
) -> None:
    """It is asked anew, of every scope, and answered there; the first one stays."""
    page = open_page(f"{crawled.http_url}/ask?scope=about&q={ASKED}")
    offers = page.get_by_role("region", name="Look further")
    expect(page.locator(".turn").first).to_contain_text("Not answered")
    expect(offers.get_by_role("button", name="Crawl @about again")).to_be_visible()
    expect(offers.get_by_role("link", name="Add a site")).to_be_visible()
    expect(offers.get_by_role("button", name=re.compile("@kestrels"))).to_have_count(0)
    offers.get_by_role("button", name="Ask all scopes").click()

    expect(page.locator(".turn").nth(1).locator(".statements")).to_contain_text(QUOTE)
    expect(page.locator(".turn").first).to_contain_text("Not answered")


def test_a_scope_that_did_not_answer_is_crawled_again(crawled: System, open_page: OpenPage) -> None:
    """One press leads to the job."""
    page = open_page(f"{crawled.http_url}/ask?scope=about&q={ASKED}")
    page.get_by_role("button", name="Crawl @about again").click()

    expect(page).to_have_url(re.compile(r"/jobs/[0-9a-f-]+$"))
    expect(page.locator("main")).to_contain_text("@about")


def test_a_cited_page_is_fetched_now_and_says_what_it_says(
    crawled: System, origin: Origin, open_page: OpenPage
) -> None:
    """Unchanged it says so; changed, the quote is struck with what stands there by now."""
    page = open_page(f"{crawled.http_url}/ask?scope=kestrels&q={ASKED}")
    page.get_by_role("button", name=re.compile("^Citation 1")).first.click()
    evidence = page.get_by_role("complementary", name="Evidence")
    evidence.get_by_role("button", name="Check the page now").click()
    expect(evidence.get_by_text("The page says what it said.")).to_be_visible()
    origin.replace(PRICES, _prices("edition-2"))
    evidence.get_by_role("button", name="Check the page now").click()
    expect(evidence.get_by_text("The page says something else")).to_be_visible()

    expect(page.locator(".diff-short ins").first).to_contain_text("17")
    expect(page.locator(".statements").first).to_contain_text(QUOTE)
    expect(evidence.locator("mark[data-superseded]")).to_contain_text(QUOTE)


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_choosing_scopes_tells_their_pages_and_keeps_nobody_out(
    crawled: System, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """Role, pages and the newest crawl stand beside each; axe finds nothing there nor in offers."""
    address = f"{crawled.http_url}/ask?scope=about&q={ASKED}"
    page = open_page(address, is_phone=is_phone, is_dark=is_dark)
    page.get_by_role("region", name="Look further").wait_for()
    found = {"not answered": wrong(page)}
    page.get_by_role("button", name=re.compile("^@ Scopes")).click()
    option = page.locator(".option").filter(has_text="@kestrels")
    expect(option).to_contain_text(re.compile(r"owner · 1 page · crawled (now|\d+ sec|\d+ min)"))
    found["picker"] = wrong(page)

    assert {place: [] for place in found} == found


def _prices(edition: str) -> bytes:
    """Returns the page of prices in an edition, with a plan of our own."""
    return (SITE / edition / PRICES.lstrip("/")).read_bytes().replace(b"River", b"Kestrel")
