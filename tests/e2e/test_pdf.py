"""A PDF is crawled, asked, cited by its page, and the citation's link opens at the quote."""

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

import pypdfium2 as pdfium
import pytest

from tests.e2e.system import System
from tests.fakes.files.pdf import Sheet, Words, lines, pdf
from tests.fakes.servers.origin import Origin, running

REPORT = "/files/report.pdf"
ASKED = "How much does the night heron weigh?"
ANSWER = "A grown night heron weighs about 730 grams."
COLUMN_CHARACTERS = 32
CHAPTERS = (
    (
        "Where herons nest",
        "Grey herons nest in high trees on the north shore of the lake, in colonies of twenty "
        "pairs, and return there every March.",
        "Their nests are made of sticks and are used for many years in a row; old ones can be a "
        "metre and a half across.",
    ),
    (
        "What herons eat",
        "Herons stand still in shallow water and wait for fish. They also take frogs, voles and "
        "even young ducks when they can.",
        "In hard winters they starve or move to the coast, where the water does not freeze, and "
        "come back in spring.",
    ),
    (
        "The night heron",
        "Night herons came to the lake in 2011 and breed in the willows of the island, close to "
        "the landing stage of the ferry.",
        f"They hunt at dusk and are seldom seen by day. {ANSWER} Young ones are brown with pale "
        "spots.",
    ),
)


def _sheet(number: int, title: str, left: str, right: str) -> Sheet:
    """Sets a chapter in two columns, below a running head and above the number of the page."""
    return Sheet(
        (
            Words("Herons of the Tarn - Annual Report", y=810, size=9),
            Words(title, y=760, size=18),
            *lines(wrap(left, COLUMN_CHARACTERS)),
            *lines(wrap(right, COLUMN_CHARACTERS), x=320),
            Words(str(number), x=295, y=40, size=9),
        )
    )


PAGES = tuple(_sheet(number, *chapter) for number, chapter in enumerate(CHAPTERS, start=1))


@pytest.fixture(scope="module")
def report(shared: System) -> Iterator["Report"]:
    """A site whose only text is a PDF, crawled and asked by commands."""
    with running(Origin()) as origin:
        origin.replace("/", f'<title>Files</title><a href="{REPORT}">Annual report</a>')
        origin.replace(REPORT, pdf(PAGES, info={"Title": "Herons of the Tarn"}))
        shared.run("scope", "create", "herons", f"{origin.url}/")
        crawl = shared.run("crawl", "herons", "--wait")
        answer = shared.run("ask", ASKED, "--scope", "herons")
        yield Report(origin.url + REPORT, crawl.json, answer.json)


class Report:
    """What the commands of the fixture said."""

    def __init__(self, url: str, crawl: Any, answer: Any) -> None:
        self.url = url
        self.crawl = crawl
        self.answer = answer


def test_pdf_is_cited_by_its_page(report: Report) -> None:
    """The quote is whole although its lines were divided, and names the page it stands on."""
    citation = report.answer["citations"][0]

    assert "STATE_COMPLETED" == report.crawl["state"]
    assert ANSWER in report.answer["statements"][0]["text"]
    assert (report.url, 3) == (citation["uri"], citation["page_number"])
    assert "Herons of the Tarn" == citation["title"]


def test_link_of_the_citation_opens_at_the_quote(report: Report) -> None:
    """The link names a page of the file that is served, and words that stand on it."""
    url, _, fragment = report.answer["citations"][0]["fragment_uri"].partition("#")
    place, _, directive = fragment.partition(":~:text=")
    with urlopen(url) as response:
        document = pdfium.PdfDocument(response.read())
    text = document[int(place.removeprefix("page=")) - 1].get_textpage().get_text_bounded()
    shown = " ".join(re.sub(r"\s+", " ", text).split())

    assert "page=3" == place
    for words in directive.split(","):
        assert unquote(words) in shown
