"""JATS: structure, references, what is stated, and XML made to hurt."""

from datetime import UTC, datetime

import pytest

from scops.common.contract.messages.content import BlockKind, PageKind
from scops.extractor.extraction import Extraction, extract
from scops.extractor.jats.references import CITATIONS_MAX
from tests.fakes.files.jats import ARTICLE, article
from tests.unit.extractor.pages import fetched, paths, texts

JATS = fetched(media_type="application/jats+xml")
LAUGHS = "".join(f'<!ENTITY lol{level} "{f"&lol{level - 1};" * 10}">' for level in range(1, 10))
HOSTILE = {
    "laughs": f'<!DOCTYPE article [<!ENTITY lol0 "owl">{LAUGHS}]>'
    '<article dtd-version="1.3"><body><p>&lol9;</p></body></article>',
    "outside": '<!DOCTYPE article [<!ENTITY out SYSTEM "file:///etc/passwd">]>'
    '<article dtd-version="1.3"><body><p>&out;</p></body></article>',
}


def _read(text: str, **changes: str) -> Extraction:
    return extract(text.encode(), fetched(**{"media_type": "application/jats+xml", **changes}))


def _values(found: Extraction) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for one in found.document.values:
        said.setdefault(one.name, []).append(one.value)
    return said


def test_article_is_read_by_its_structure() -> None:
    """Title, abstract, sections, a list, a figure's caption, a table, notes and references."""
    found = extract(ARTICLE, JATS)
    blocks = dict(zip(texts(found), found.document.blocks, strict=True))
    said = dict(zip(texts(found), paths(found.document.blocks), strict=True))
    title = "Levels of tidal gauges: A survey"

    assert "Levels of tidal gauges" == found.document.title
    assert (title,) == said["Abstract"]
    assert (title, "Abstract", "Aim") == said["To compare gauges of the coast."]
    assert (title, "1 Methods", "1.1 Sounding") == said[
        "The basin was sounded in three nights [1–2], to 10−3 m (see the atlas)."
    ]
    assert BlockKind.LIST_ITEM == blocks["with a lead"].kind
    assert "Figure 1. The basin." in said
    assert "Soundings were made from a boat." in said
    assert "Table 1. Depths." in said
    assert ["gauge | depth", "Tarn | 41 m"] == [
        text for text, block in blocks.items() if block.kind is BlockKind.TABLE_ROW
    ]
    assert (title, "Notes") == said["Of the lowest tide."]
    assert "Keywords: tides; cork floats" in said


def test_references_are_a_section_of_their_own() -> None:
    """Label, authors, year, title, where and DOI, which is a link; set text is kept as it reads."""
    found = extract(ARTICLE, JATS)
    listed = [
        text
        for text, path in zip(texts(found), paths(found.document.blocks), strict=True)
        if path[-1:] == ("References",)
    ]

    assert [
        "[1] Heron A, Grebe B et al. (2019). Cork floats. J Gauges 7(2): 1–12. doi:10.1000/cork",
        "[2] Tern C. The atlas of tides. Coast Press, 1987.",
    ] == listed
    assert ["https://atlas.example.org/", "https://doi.org/10.1000/cork"] == sorted(
        link.url for link in found.links.links
    )


def test_references_are_told_once_and_all() -> None:
    """Of alternatives the first, with the DOI that any has; of several citations each."""
    parted = (
        "<element-citation><source>Tides</source><year>1987</year>"
        "<pub-id pub-id-type='doi'>10.1000/tides</pub-id></element-citation>"
    )
    both = f"<mixed-citation>Tern C. Tides, 1987.</mixed-citation>{parted}"
    several = "".join(
        f"<mixed-citation>({one}) Gauge {one}.<pub-id pub-id-type='doi'>10.1000/{one}</pub-id>"
        "</mixed-citation>"
        for one in "abcd"
    )
    listed = (
        f"<ref-list><ref><citation-alternatives>{both}</citation-alternatives></ref>"
        f"<ref><label>2</label>{several}</ref></ref-list>"
    )
    found = _read(article("<p>Owls.</p>", behind=f"<back>{listed}</back>"))

    assert [
        "Tern C. Tides, 1987. doi:10.1000/tides",
        "[2] (a) Gauge a. doi:10.1000/a (b) Gauge b. doi:10.1000/b "
        "(c) Gauge c. doi:10.1000/c (d) Gauge d. doi:10.1000/d",
    ] == texts(found)[-2:]


def test_references_of_many_citations_end() -> None:
    """So that no document makes one item endless."""
    many = "<mixed-citation>Owl.</mixed-citation>" * (CITATIONS_MAX + 9)
    listed = f"<back><ref-list><ref>{many}</ref></ref-list></back>"
    found = _read(article("<p>Owls.</p>", behind=listed))

    assert CITATIONS_MAX == texts(found)[-1].count("Owl.")


def test_group_of_authors_is_named_without_its_members() -> None:
    """They stand within its name, and are contributors of their own."""
    members = "".join(
        f"<contrib><name><surname>{surname}</surname><given-names>{given}</given-names></name>"
        "</contrib>"
        for surname, given in (("Smith", "Jo"), ("Roe", "A"))
    )
    collab = f"<collab>The Tide <italic>Keepers</italic><contrib-group>{members}</contrib-group>"
    contrib = f"<contrib-group><contrib>{collab} of the Coast</collab></contrib></contrib-group>"
    said = article("<p>Owls.</p>").replace("</title-group>", f"</title-group>{contrib}")

    assert ["The Tide Keepers of the Coast", "Jo Smith", "A Roe"] == _values(_read(said))["author"]


def test_notes_of_an_abstract_are_read_where_there_is_nothing_else() -> None:
    """As of an article of which the abstract alone is open."""
    abstract = "<abstract><p>Deep.<fn><p>At the lowest tide.</p></fn></p></abstract>"
    said = article("").replace("</title-group>", f"</title-group>{abstract}")
    found = _read(said.replace("<body></body>", ""))

    assert ["Deep.", "Notes", "At the lowest tide."] == texts(found)[-3:]
    assert "Notes" == found.document.blocks[-1].section_path[-1]


def test_article_states_who_wrote_it_when_where_and_under_what_licence() -> None:
    """Of its dates the first whole one on which it came out; an editor is no author."""
    found = extract(ARTICLE, JATS)
    (published,) = found.document.stated

    assert {
        "author": ["Ada Heron", "The Keepers"],
        "journal": ["Tides & Gauges"],
        "doi": ["10.1000/tides"],
        "license_url": ["https://creativecommons.org/licenses/by/4.0/"],
        "language": ["en"],
    } == _values(found)
    assert datetime(2023, 4, 1, tzinfo=UTC) == published.time


@pytest.mark.parametrize("name", HOSTILE)
def test_entities_that_a_document_declares_are_not_read(name: str) -> None:
    """Neither those that grow nor those that lie elsewhere; so it is in UTF-16."""
    for body in (HOSTILE[name].encode(), HOSTILE[name].encode("utf-16")):
        found = extract(body, JATS)

        assert (PageKind.UNSUPPORTED, "") == (found.kind, found.text)
        assert ("unsafe_entities",) == found.document.flags


def test_entities_in_an_encoding_that_hides_them_stay_within_bounds() -> None:
    """libxml2 decodes UTF-7 where a document says so."""
    body = b'<?xml version="1.0" encoding="UTF-7"?>' + HOSTILE["laughs"].encode("utf-7")
    found = extract(body, JATS)

    assert len(found.text) < 1_000


def test_characters_are_read_by_their_names() -> None:
    """As the document type would declare them, without loading it; others are left out."""
    said = article(
        "<p>M&uuml;ller &amp; &nosuch;S&#246;hne</p>"
        "<sec><title>&alpha; of &nosuch;waves</title><p>Deep.</p></sec>"
    )
    found = _read(said)

    assert "Müller & Söhne" in texts(found)
    assert ("Gauges", "α of waves") == found.document.blocks[-1].section_path


@pytest.mark.parametrize("depth", [150, 300, 3_000])
def test_deep_nesting_ends_within_bounds(depth: int) -> None:
    """Text down to what the parser reads is kept, without structure below a hundred levels."""
    said = article(f"<p>Owls hunt.</p>{'<sec>' * depth}<p>Deep.</p>{'</sec>' * depth}")
    found = _read(said)

    assert "Owls hunt." in texts(found)
    assert (depth < 200) == ("Deep." in found.text)
    assert (depth > 200) == ("depth_exceeded" in found.document.flags)


def test_article_that_is_cut_keeps_what_came() -> None:
    """And says that it is."""
    said = article("<p>Owls hunt at night.</p><p>They sleep by day.</p>")
    found = _read(said[: said.index("by day")])

    assert "Owls hunt at night." in texts(found)
    assert "truncated" in found.document.flags


@pytest.mark.parametrize(
    "said",
    [
        "<rss version='2.0'><channel><title>Owls</title></channel></rss>",
        "<article><para>DocBook</para></article>",
        "no markup",
        "<" * 1_000,
    ],
)
def test_other_xml_is_unsupported(said: str) -> None:
    """Feeds, books of another kind, and what is no XML."""
    assert PageKind.UNSUPPORTED == _read(said, media_type="text/xml").kind


def test_formulas_are_read_once() -> None:
    """MathML before TeX, and TeX without the document around it."""
    tex = r"<tex-math>\documentclass{x}\begin{document}$$h = 41$$\end{document}</tex-math>"
    math = '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>h</mml:mi></mml:math>'
    said = f"<p>So <inline-formula>{tex}</inline-formula> holds.</p>"
    both = f"<label>(2)</label><alternatives>{tex}{math}</alternatives>"
    found = _read(article(f"{said}<disp-formula>{both}</disp-formula>"))

    assert ["So h = 41 holds.", "h (2)"] == texts(found)[-2:]
    alone = _read(article(f"<p>So <alternatives>{tex}</alternatives> holds.</p>"))
    assert "So h = 41 holds." == texts(alone)[-1]


def test_reviews_stand_behind_the_article() -> None:
    """Each under its own title, a level deeper."""
    review = (
        "<sub-article article-type='reviewer-report'><front-stub><title-group><article-title>"
        "Review</article-title></title-group></front-stub><body><sec><title>Points</title>"
        "<p>Sound work.</p></sec></body></sub-article>"
    )
    found = _read(article("<p>Owls.</p>", behind=review))

    assert ("Gauges", "Review", "Points") == found.document.blocks[-1].section_path
