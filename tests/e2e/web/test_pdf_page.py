"""A cited PDF is shown at the page of the quote, as the cited version had it."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.system import System
from tests.e2e.test_pdf import ANSWER, ASKED, PAGES, REPORT
from tests.e2e.web.manners import wrong
from tests.fakes.files.pdf import pdf
from tests.fakes.servers.origin import Origin

# The page of the browser that shows PDFs; it is in a frame of ours only where one is shown.
VIEWER = "chrome-extension://"
BODY = pdf(PAGES, info={"Title": "Herons of the Tarn"})
OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def crawled(system: System, origin: Origin) -> System:
    """The system once it knows a PDF, which its site has overwritten since."""
    origin.replace(REPORT, BODY)
    url = origin.url + REPORT
    system.create_scope("herons", seeds=[url], include=[url.partition("://")[2]])
    system.crawl("herons", urls=[url])
    origin.replace(REPORT, b"%PDF-1.7 no more")
    return system


def test_the_page_of_a_pdf_stands_beside_its_text(crawled: System, open_page: OpenPage) -> None:
    """The stored file, opened at the page, with the words of the quote named to the viewer."""
    page = open_page(f"{crawled.http_url}/ask?scope=herons&q={ASKED}")
    first = page.get_by_role("button", name=re.compile("^Citation 1: ")).first
    with page.expect_response(re.compile("/body")) as given:
        first.click()
    frame = page.locator("iframe.pdf-page")
    expect(frame).to_have_attribute("title", re.compile("page 3$"))
    expect(frame).to_have_attribute(
        "src", re.compile(r"^blob:.*#page=3&navpanes=0&view=FitH:~:text=")
    )
    expect(page.locator(".evidence mark")).to_contain_text(ANSWER)

    assert BODY == page.request.get(given.value.url).body()
    crawled.until(lambda: _shows_a_pdf(page))
    expect(page.locator(".evidence mark")).to_be_in_viewport()
    assert [] == wrong(page)


def _shows_a_pdf(page: Page) -> bool:
    page.wait_for_timeout(100)
    return any(frame.url.startswith(VIEWER) for frame in page.frames)
