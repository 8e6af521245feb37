"""Chats that the gateway keeps, in a browser."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from warcio.archiveiterator import ArchiveIterator

from examples.site_server import SITE
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
ASKED = "How much does the River plan cost?"
SECOND = "Do students pay less for the River plan?"
QUOTE = "The River plan costs 14 euros a month."
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def crawled(system: System, origin: Origin) -> System:
    """The system once it knows the prices."""
    rule = origin.url.partition("://")[2] + PRICES
    system.create_scope("chatted", seeds=[origin.url + PRICES], include=[rule])
    system.crawl("chatted", urls=[origin.url + PRICES])
    return system


def asked(page: Page, question: str) -> None:
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")
    turn = page.locator("article.turn").filter(has=page.get_by_role("heading", name=question))
    expect(turn.locator(".cited-pages")).to_be_visible()


def test_a_chat_is_found_again_with_its_answers(
    crawled: System, open_page: OpenPage, tmp_path: Path
) -> None:
    """It has an address from its first question on; titles and questions find it."""
    page = open_page(f"{crawled.http_url}/ask?scope=chatted")
    page.route("**/v1/answer", lambda route: route.abort())
    asked(page, ASKED)
    expect(page).to_have_url(re.compile(r"/chats/[0-9a-f-]+$"))
    asked(page, SECOND)
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title").fill("What plans cost")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What plans cost")
    with page.expect_download() as exported:
        page.get_by_label("Export").select_option("json")
    exported.value.save_as(tmp_path / "chat.json")
    with page.expect_download() as archived:
        page.get_by_label("Export").select_option("warc")
    archived.value.save_as(tmp_path / "chat.warc.gz")
    page.goto(f"{crawled.http_url}/ask")
    page.get_by_label("Find a chat").first.fill("STUDENTS pay")
    page.get_by_role("link", name="What plans cost").click()
    expect(page.locator("article.turn")).to_have_count(2)
    expect(page.locator(".statements").first).to_contain_text(QUOTE)
    page.reload()
    expect(page.locator(".statements").first).to_contain_text(QUOTE)
    page.get_by_role("link", name="Explain").first.click()
    expect(page.get_by_text("nothing is searched again")).to_be_visible()
    page.get_by_role("link", name="Back to the answer").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()

    expect(page).to_have_url(f"{crawled.http_url}/ask")
    expect(page.get_by_role("link", name="What plans cost")).to_have_count(0)
    told = json.loads((tmp_path / "chat.json").read_text())
    assert [ASKED, SECOND] == [turn["query"] for turn in told["turns"]]
    with (tmp_path / "chat.warc.gz").open("rb") as file:
        bodies = [
            record.content_stream().read()
            for record in ArchiveIterator(file, check_digests="raise")
            if record.rec_type == "resource"
        ]
    assert [(SITE / "edition-1" / PRICES.lstrip("/")).read_bytes()] == bodies


def test_a_link_opens_a_chat_and_ends(crawled: System, open_page: OpenPage) -> None:
    """What the link has never leaves by the address of a request for the page."""
    page = open_page(f"{crawled.http_url}/ask?scope=chatted")
    asked(page, ASKED)
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    sent: list[str] = []
    other = open_page("about:blank")
    other.on("request", lambda request: sent.append(request.url))
    other.goto(link)
    expect(other.locator(".statements").first).to_contain_text(QUOTE)
    share = link.rpartition("#")[2]

    assert [] == [url for url in sent if share in url and "/v1/" not in url]
    page.get_by_role("button", name="End the link").click()
    expect(page.get_by_text("There is no link to this chat.")).to_be_visible()


def test_an_old_chat_says_what_stands_no_more(
    crawled: System, origin: Origin, open_page: OpenPage
) -> None:
    """Opened again, its quotes are looked up; the answer keeps what it said."""
    page = open_page(f"{crawled.http_url}/ask?scope=chatted")
    asked(page, ASKED)
    expect(page).to_have_url(re.compile("/chats/"))
    origin.replace(PRICES, (SITE / "edition-2" / PRICES.lstrip("/")).read_bytes())
    crawled.crawl("chatted", urls=[origin.url + PRICES])
    page.reload()

    expect(page.locator(".notice")).to_contain_text("no longer stand")
    expect(page.locator(".diff-short ins").first).to_contain_text("17")
    expect(page.locator(".statements").first).to_contain_text(QUOTE)


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("is_phone", [False, True], ids=["1280", "360"])
def test_chats_keep_nobody_out(
    crawled: System, open_page: OpenPage, *, is_phone: bool, is_dark: bool
) -> None:
    """axe finds nothing in a chat, its dialogs and the drawer."""
    page = open_page(f"{crawled.http_url}/ask?scope=chatted", is_phone=is_phone, is_dark=is_dark)
    asked(page, ASKED)
    found = {"chat": wrong(page)}
    for name in ("Rename", "Share", "Delete", *(("Chats",) if is_phone else ())):
        page.get_by_role("button", name=name, exact=True).first.click()
        expect(page.locator("dialog[open]")).to_be_visible()
        found[name] = wrong(page)
        page.keyboard.press("Escape")

    assert {name: [] for name in found} == found
