"""Texts of records lose their markup, and nothing else."""

from collections.abc import Iterator

import pytest

from scops.fetcher.adapters.papers.arxiv import Arxiv
from scops.fetcher.adapters.papers.openalex import OpenAlex
from scops.fetcher.adapters.papers.reading import plain_text, text_of
from scops.libraries.papers.likeness import title_likeness
from scops.libraries.papers.port import Years
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar

FEED = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2401.00001v1</id>'
    "<title>{}</title><summary>{}</summary></entry></feed>"
)


@pytest.fixture
def scholar() -> Iterator[Scholar]:
    with running(Origin()) as origin:
        yield Scholar(origin)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("<jats:p>Gauges of <jats:italic>E. coli</jats:italic>.</jats:p>", "Gauges of E. coli."),
        ("<jats:title>Aim</jats:title><jats:p>To read.</jats:p>", "Aim To read."),
        ("CO<sub>2</sub> by <i>E</i>. coli", "CO2 by E. coli"),
        ("One<br/>two<BR>three<p>four", "One two three four"),
        ('A <a href="https://a.test/">link</a> here', "A link here"),
        ('<span class="b">Gauges</span> &amp;amp; tides', "Gauges & tides"),
        (
            "&lt;i&gt;E. coli&lt;/i&gt; and &amp;lt;b&amp;gt;tides&amp;lt;/b&amp;gt;",
            "E. coli and tides",
        ),
        (
            '<mml:math display="inline"><mml:mi>x</mml:mi><mml:mo>&lt;</mml:mo><mml:mn>2</mml:mn>'
            "</mml:math> holds",
            "x<2 holds",
        ),
        (
            "for k&lt;n the bound holds; if a&gt;b it fails",
            "for k<n the bound holds; if a>b it fails",
        ),
        ("We show $x<y$ implies more. All the rest.", "We show $x<y$ implies more. All the rest."),
        ("for $1<p<\\infty$ revisited", "for $1<p<\\infty$ revisited"),
        ("where 1<p and p>2, a<b or b>c", "where 1<p and p>2, a<b or b>c"),
        ("std::vector<int> and List<T>", "std::vector<int> and List<T>"),
        ("a <!-- note --> b", "a b"),
        ("", ""),
        (None, ""),
    ],
)
def test_tags_are_taken_out_and_signs_are_kept(said: object, expected: str) -> None:
    """Those of JATS, HTML and MathML; a space stands for those of blocks alone."""
    assert expected == text_of(said)


def test_title_with_markup_is_that_without() -> None:
    """So that it is found and joined by it."""
    plain = "Uptake of CO2 by E. coli in tidal basins"
    marked = text_of("Uptake of CO<sub>2</sub> by <i>E. coli</i> in tidal basins")

    assert 1.0 == title_likeness(plain, marked)


def test_text_of_arxiv_is_plain_already(scholar: Scholar) -> None:
    """What its XML says is text, whatever it looks like."""
    scholar.answer(
        "arxiv", "", FEED.format("On $p&lt;i&gt;q$\n  and AT&amp;amp;T", "$x&lt;y$. More.")
    )
    service = Arxiv(scholar.url("arxiv"), sleep=lambda _: None)
    (record,) = service.search("gauges", years=Years(), limit=1).records
    service.close()

    assert ("On $p<i>q$ and AT&amp;T", "$x<y$. More.") == (record.title, record.abstract)


def test_url_is_no_markup(scholar: Scholar) -> None:
    """Its parameters are no entities."""
    url = "https://a.test/get?a=1&copy=2&lt=3"
    work = {"id": "https://openalex.org/W1", "title": "Gauges"}
    work |= {"locations": [{"is_oa": True, "pdf_url": url}]}
    scholar.answer("openalex", "works", {"results": [work]})
    service = OpenAlex(scholar.url("openalex"), sleep=lambda _: None)
    (record,) = service.search("gauges", years=Years(), limit=1).records
    service.close()

    assert [url] == [place.url for place in record.locations]
    assert "" == plain_text(7)
