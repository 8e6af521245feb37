"""Answers and differences in a notebook: what pages say is shown, and never run."""

from datetime import UTC, datetime

import pytest
from lxml import html

from scops.client import (
    Answer,
    Changes,
    Citation,
    Clocks,
    DiffHunk,
    DiffPart,
    Gap,
    Highlight,
    PageChange,
    PageDiff,
    PartKind,
    Passage,
    SearchResult,
    Statement,
    TextEdit,
)
from scops.client.html.parts import page

EVIL = '</p><script>alert(1)</script><img src=x onerror="alert(1)">'
SEEN = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)


def views(words: str, uri: str) -> list[str]:
    """Returns every view, with the same words wherever others' words stand."""
    part = DiffPart(kind=PartKind.INSERT, text=words)
    hunk = DiffHunk(parts=(part,), change_class=words, change_reasons=(words,))
    edit = TextEdit(from_text=words, to_text=words, reasons=(words,), section_path=(words,))
    change = PageChange(uri=uri, title=words, news=words, edits=(edit,), observed_time=SEEN)
    passage = Passage(text=words, uri=uri, title=words, section_path=(words,))
    citation = Citation(number=1, quote=words, prefix=words, suffix=words, uri=uri, title=words)
    return [
        PageDiff(from_version=words, to_version=words, hunks=(hunk,))._repr_html_(),
        Changes(changes=(change,))._repr_html_(),
        SearchResult(passages=(passage,), notes=(words,))._repr_html_(),
        Answer(
            statements=(
                Statement(text=words, citation_numbers=(1,), highlight=Highlight(start=3, end=40)),
            ),
            citations=(citation,),
            gaps=(Gap(uri=uri, title=words, missing_words=(words,)),),
            shortfall_reason=words,
        )._repr_html_(),
    ]


@pytest.mark.parametrize("view", views(EVIL, "https://docs.example.org/"))
def test_the_words_of_a_page_are_text(view: str) -> None:
    """Whatever they look like."""
    found = html.fromstring(view)

    assert [] == found.xpath("//script | //img | //@onerror")
    assert EVIL in found.text_content()


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "data:text/html,x", "http://[", ""])
def test_a_link_leads_into_the_web_or_nowhere(uri: str) -> None:
    """A page's address may be anything."""
    for view in views("words", uri):
        assert [] == html.fromstring(view).xpath("//a")


def test_an_answer_shows_its_quotes_where_they_stand() -> None:
    """The number beside the statement, the version's times, and that it is out of date."""
    citation = Citation(
        number=1,
        quote="19 euros a month",
        prefix="River costs ",
        title="Prices",
        fragment_uri="https://docs.example.org/prices#:~:text=19",
        clocks=Clocks(observed_time=SEEN),
        superseded=True,
    )
    statement = Statement(
        text="River costs 19 euros a month.",
        citation_numbers=(1,),
        highlight=Highlight(start=12, end=20, probability=0.8),
    )
    found = html.fromstring(
        Answer(answered=True, statements=(statement,), citations=(citation,))._repr_html_()
    )
    words = " ".join(found.text_content().split())

    assert "River costs 19 euros a month. [1]" in words
    assert ["19 euros"] == found.xpath("//mark/text()") == [statement.short_answer]
    assert "observed 2026-03-01 12:05Z" in words
    assert "superseded" in words
    assert [citation.fragment_uri] == found.xpath("//a/@href")


def test_a_difference_marks_what_came_and_went() -> None:
    """By elements that say so without any colour."""
    parts = (
        DiffPart(kind=PartKind.EQUAL, text="costs "),
        DiffPart(kind=PartKind.DELETE, text="19"),
        DiffPart(kind=PartKind.INSERT, text="21"),
    )
    diff = PageDiff(hunks=(DiffHunk(parts=parts, change_class="critical"),), truncated=True)
    found = html.fromstring(diff._repr_html_())

    assert (["19"], ["21"]) == (found.xpath("//del/text()"), found.xpath("//ins/text()"))
    assert found.xpath("//blockquote[@class='critical']")
    assert "more than this" in found.text_content()


def test_a_page_of_its_own_has_its_address_as_title() -> None:
    """Escaped, as everything that is a page's."""
    found = html.fromstring(page(EVIL, PageDiff()._repr_html_()))

    assert EVIL == found.findtext(".//title") == found.findtext(".//h1")
    assert [] == found.xpath("//script")
