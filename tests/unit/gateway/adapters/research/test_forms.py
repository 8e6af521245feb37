"""The forms of a report: whatever pages say, it is text there."""

import json
import re

import pytest
from lxml import html
from markdown_it import MarkdownIt

from scops.api.v1alpha1 import research_service_pb2 as pb
from scops.gateway.adapters.research.forms import FORMS, written
from scops.gateway.adapters.research.page import REPORT_HEADERS, STYLE
from tests.unit.gateway.adapters.research.runs import HOSTILE, SITE, told_run

# Spaces are one, and the override of direction is left out: it would show a name turned round.
SHOWN = " ".join(HOSTILE.replace("\u202e", "").split())
ELEMENTS_OF_MARKDOWN = {
    "div", "h1", "h2", "p", "blockquote", "a", "ul", "li", "code",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def rendered(markdown: str) -> html.HtmlElement:
    """Renders a document as CommonMark with what GitHub's form has beside it."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return html.fragment_fromstring(reader.render(markdown), create_parent="div")


def links(document: html.HtmlElement) -> set[str]:
    return {str(one.get("href")) for one in document.iter("a")}


def texts(document: html.HtmlElement) -> str:
    return " ".join(document.text_content().split())


def test_what_pages_say_makes_no_markup_in_markdown() -> None:
    """No link, picture, HTML, heading or cell; a reader sees what was written."""
    document = rendered(written(told_run(), "md"))
    lengths = {
        len(row)
        for table in document.iter("table")
        for row in table.iter("tr")
        if "Old" in row.text_content()
    }

    assert {SITE} == {re.match(r"https://[^/]+", one)[0] for one in links(document)}  # type: ignore[index]
    assert {str(one.tag) for one in document.iter()} <= ELEMENTS_OF_MARKDOWN
    assert 1 == len(list(document.iter("h1")))
    assert texts(document).count(SHOWN) >= 7
    assert {5} == lengths


@pytest.mark.parametrize(
    "words", ["- an item", "+ an item", "1. an item", "12) an item", "# a", "---"]
)
def test_a_statement_is_a_paragraph_whatever_it_begins_with(words: str) -> None:
    """No item of a list, heading or line."""
    found = told_run()
    found.answer.statements[0].text = words
    told = [one.text for one in rendered(written(found, "md")).iter("p")]

    assert f"{words} " in told


def test_no_address_in_what_pages_say_becomes_a_link_by_itself() -> None:
    """As GitHub's form makes them of `://`, `www.` and `@`, without any mark."""
    alone = re.sub(r"\]\([^)]*\)", "]", written(told_run(), "md"))

    assert "evil.example" in alone
    assert not re.search(r"https?://|www\.|[^\\]@", alone)


def test_what_pages_say_makes_no_markup_on_a_page() -> None:
    """It loads nothing and runs nothing, and says so where it is a file, too."""
    page = written(told_run(), "html")
    document = html.document_fromstring(page)
    policy = document.xpath("//meta[@http-equiv='content-security-policy']/@content")[0]
    outside = {one for one in links(document) if not one.startswith("#")}

    assert {SITE} == {re.match(r"https://[^/]+", one)[0] for one in outside}  # type: ignore[index]
    assert not document.xpath("//script|//img|//iframe|//link|//form|//object|//@style")
    assert not document.xpath("//@*[starts-with(name(), 'on')]")
    assert "default-src 'none'" in policy
    assert REPORT_HEADERS["content-security-policy"].startswith(policy)
    assert STYLE == document.xpath("//style/text()")[0]
    assert texts(document).count(SHOWN) >= 7


def test_links_within_a_page_lead_to_its_quotes() -> None:
    """Each number of a statement to the words that it stands on."""
    document = html.document_fromstring(written(told_run(), "html"))
    inside = [one[1:] for one in links(document) if one.startswith("#")]

    assert {"quote-1", "quote-2"} == set(inside)
    assert set(inside) <= set(document.xpath("//@id"))


def test_the_curve_rises_with_coverage() -> None:
    """A point a look, each further right and higher than the one before."""
    document = html.document_fromstring(written(told_run(), "html"))
    (points,) = document.xpath("//polyline/@points")
    across, down = zip(*(map(float, one.split(",")) for one in points.split()), strict=True)

    assert list(across) == sorted(across)
    assert list(down) == sorted(down, reverse=True)
    assert 3 == len(set(down)) == len(document.xpath("//circle"))
    assert "84 % at the last" in document.xpath("//svg/title")[0].text


def test_a_file_is_told_without_a_link() -> None:
    """No browser opens one of a collection."""
    found = told_run()
    found.answer.citations[0].uri = "file://handbook/plan.md"
    found.answer.citations[0].fragment_uri = ""
    document = html.document_fromstring(written(found, "html"))

    assert "file://handbook/plan.md" in document.text_content()
    assert not [one for one in links(document) if one.startswith("file")]


def test_json_has_camel_case() -> None:
    """As every document of the gateway."""
    report = json.loads(written(told_run(), "json"))

    assert ("covered", 0.8) == (report["stopReason"], report["coveredAt"])
    assert "click here" == report["citedPages"][0]["way"][1]["text"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("state", ["STATE_RUNNING", "STATE_CANCELLED", "STATE_FAILED"])
def test_a_run_of_which_nothing_came_is_told(form: str, state: str) -> None:
    """Without looks, pages or an answer."""
    found = pb.GetResearchResponse()
    found.research.name, found.research.question = "researches/1", "What is it?"
    found.research.state = pb.Research.State.Value(state)
    found.research.message = "The explainer does not answer."

    assert "What is it?" in written(found, form)
    assert "does not answer" in written(found, form)
