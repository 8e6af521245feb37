"""Title, language and wishes to robots."""

import pytest
from lxml.html import HtmlElement

from scops.extractor.metadata import declared_language, page_meta, page_title, robots_wishes
from tests.unit.extractor.pages import page, tree_of


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
