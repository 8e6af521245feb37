"""Title, language, wishes to robots, what else a page says of itself."""

import pytest
from lxml.html import HtmlElement

from scops.common.contract.messages.content import Alternate
from scops.common.contract.messages.types import StatedSource
from scops.extractor.extraction import extract
from scops.extractor.html.metadata import declared_language, page_meta, page_title, robots_wishes
from tests.unit.extractor.pages import (
    ARTICLE,
    SENTENCES,
    extracted,
    fetched,
    page,
    texts,
    tree_of,
)


def _root(body: str = "", head: str = "", attributes: str = "") -> HtmlElement:
    return tree_of(page(body, head=head, attributes=attributes).decode()).root


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Owls - Birds of Europe</title>", "<h1>Owls</h1>", "Owls"),
        ("<title>Owls - Birds</title>", "<h1>Owls</h1><h1>Voles</h1>", "Owls - Birds"),
        ("<title>Owls</title>", "<h1>Something else</h1>", "Owls"),
        (
            "<title> </title><meta property='og:title' content='Owls &amp; voles'>",
            "",
            "Owls & voles",
        ),
        ("", "<h1>Owls <small>at night</small></h1>", "Owls at night"),
        ("", "<svg><title>icon</title></svg>", ""),
    ],
)
def test_title_is_of_the_page_not_of_the_site(head: str, body: str, title: str) -> None:
    """The main heading inside the title element is the title; else the latter."""
    root = _root(body, head)

    assert page_title(root, page_meta(root)) == title


@pytest.mark.parametrize(
    ("attributes", "header", "language"),
    [
        ('lang="de-AT"', "en", "de"),
        ('xml:lang="fr"', "", "fr"),
        ("", "nl, en", "nl"),
        ('lang=""', "", ""),
        ('lang="english"', "", ""),
    ],
)
def test_language_is_the_declared_primary_subtag(
    attributes: str, header: str, language: str
) -> None:
    """The html element is asked first, then the server."""
    assert declared_language(_root(attributes=attributes), content_language=header) == language


@pytest.mark.parametrize(
    ("head", "header", "noindex", "nofollow"),
    [
        ("", "", False, False),
        ('<meta name="ROBOTS" content="NoIndex, FOLLOW">', "", True, False),
        ('<meta name="scops" content="nofollow">', "", False, True),
        ('<meta name="googlebot" content="noindex">', "", False, False),
        ("", "noindex", True, False),
        ("", "googlebot: noindex, nofollow", False, False),
        ("", "googlebot: noindex, scops: nofollow", False, True),
        ("", "unavailable_after: 25 Jun 2020 15:00:00 PST, noindex", True, False),
        ('<meta name="robots" content="none">', "", True, True),
    ],
)
def test_robots_wishes_are_read_for_us_and_for_all(
    head: str, header: str, noindex: bool, nofollow: bool
) -> None:
    """Wishes to other robots are not ours."""
    wishes = robots_wishes(page_meta(_root(head=head)), robots_tag=header)

    assert (wishes.noindex, wishes.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("head", "header", "flagged"),
    [
        ("", "", False),
        ('<meta name="robots" content="noarchive">', "", True),
        ('<meta name="robots" content="nocache">', "", True),
        ('<meta name="otherbot" content="noarchive">', "", False),
        ("", "noarchive", True),
        ("", "otherbot: noarchive", False),
    ],
)
def test_wish_not_to_be_archived_is_flagged(head: str, header: str, flagged: bool) -> None:
    """Whoever would show a stored copy reads the flag; the text is extracted like any other."""
    found = extracted(ARTICLE, head=head, robots_tag=header)

    assert ("noarchive" in found.document.flags) == flagged
    assert texts(found) == list(SENTENCES)


def test_header_speaks_for_bodies_that_have_no_head() -> None:
    """A document that is no page states its wishes by header alone."""
    found = extract(b"The owl sits.", fetched(media_type="text/plain", robots_tag="noarchive"))

    assert found.document.flags == ("noarchive",)


def test_values_of_a_page_say_where_they_were_read() -> None:
    """The surest source comes first; each value is kept once."""
    head = (
        '<script type="application/ld+json">{"@type": "Article", "author": {"name": "Ada Wren"},'
        ' "license": "https://creativecommons.org/licenses/by/4.0/"}</script>'
        '<meta name="author" content="ada wren"><meta name="author" content="Ben Lark">'
        '<meta name="description" content="All  about owls"><meta property="og:site_name"'
        ' content="Birds"><link rel="canonical" href="/owls">'
    )
    values = extracted(ARTICLE, head=head).document.values
    found = {(value.name, value.value, value.source) for value in values}

    assert found >= {
        ("author", "Ada Wren", StatedSource.JSON_LD),
        ("author", "Ben Lark", StatedSource.META),
        ("description", "All about owls", StatedSource.META),
        ("site", "Birds", StatedSource.META),
        ("canonical_url", "https://docs.example.org/owls", StatedSource.META),
        ("license_url", "https://creativecommons.org/licenses/by/4.0/", StatedSource.JSON_LD),
    }
    assert len([value for value in values if value.name == "author"]) == 2
    assert all(0 < value.confidence <= 1 for value in values)


@pytest.mark.parametrize(
    "place",
    [
        '<link rel="license" href="/licence">',
        '<p>Free <a rel="license" href="/licence">to use</a></p>',
    ],
)
def test_licence_link_is_found_in_head_and_body(place: str) -> None:
    """`rel=license` names the licence wherever it stands."""
    values = extracted(ARTICLE + place).document.values

    assert [value.value for value in values if value.name == "license_url"] == [
        "https://docs.example.org/licence"
    ]


def test_byline_names_the_author_where_nothing_else_does() -> None:
    """What people read is believed least, and only asked for when machines are told nothing."""
    values = extracted(f'<p class="byline">By Ada Wren</p>{ARTICLE}').document.values
    (author,) = (value for value in values if value.name == "author")

    assert (author.value, author.source) == ("Ada Wren", StatedSource.TEXT)


def test_other_languages_of_a_page_are_listed() -> None:
    """`hreflang` links give language and address; other alternates are none."""
    head = (
        '<link rel="alternate" hreflang="de-AT" href="/de"><link rel="alternate"'
        ' hreflang="x-default" href="/"><link rel="alternate" type="application/rss+xml" href="/f">'
    )

    assert extracted(ARTICLE, head=head).document.alternates == (
        Alternate(language="de-AT", url="https://docs.example.org/de"),
        Alternate(language="x-default", url="https://docs.example.org/"),
    )
