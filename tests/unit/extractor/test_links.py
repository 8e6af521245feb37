"""Links: resolved, canonical, once each."""

from scops.common.messages.content import Link
from scops.extractor import links
from scops.extractor.links import page_links
from tests.unit.extractor.pages import URL, page, tree_of


def _links(body: str, head: str = "") -> tuple[Link, ...]:
    return tuple(page_links(tree_of(page(body, head=head).decode()).root, url=URL).values())


def test_links_are_resolved_against_the_page() -> None:
    """Relative links become canonical URLs, without fragments."""
    found = _links('<a href="../b/./c.html#d">C</a><a href="HTTP://Example.ORG:80">E</a>')

    assert [link.url for link in found] == [
        "https://docs.example.org/b/c.html",
        "http://example.org/",
    ]


def test_base_element_moves_links() -> None:
    """A base element takes the place of the page's URL."""
    (link,) = _links('<a href="x">X</a>', head='<base href="/other/">')

    assert link.url == "https://docs.example.org/other/x"


def test_target_is_listed_once_with_a_text_that_says_something() -> None:
    """The first anchor with a text wins, at the place of the first anchor."""
    found = _links('<a href="/a"></a><a href="/b">B</a><a href="/a">A</a><a href="/a">again</a>')

    assert [(link.url[-2:], link.anchor_text) for link in found] == [("/a", "A"), ("/b", "B")]


def test_image_link_takes_its_alternative_text() -> None:
    """A picture that links is named by its alternative text."""
    (link,) = _links('<a href="/a" rel="NoFollow  sponsored"><img alt="An owl"></a>')

    assert (link.anchor_text, link.rel) == ("An owl", "nofollow sponsored")


def test_unusable_targets_are_dropped() -> None:
    """Fragments, other schemes, credentials and nonsense are no links."""
    unusable = (
        "#top",
        "mailto:a@b",
        "javascript:x()",
        "file:///etc",
        "http://u:p@h/",
        "http://[",
        "",
    )
    anchors = "".join(f'<a href="{target}">x</a>' for target in unusable)

    assert _links(anchors + "<a>none</a>") == ()


def test_links_in_hidden_menus_are_followed() -> None:
    """A menu that opens on a click is hidden until then, and leads on all the same."""
    assert len(_links('<ul style="display:none"><li><a href="/a">A</a></ul>')) == 1


def test_links_beyond_the_limit_are_dropped() -> None:
    """A page leads to no more than the limit of targets."""
    anchors = "".join(f'<a href="/{number}">x</a>' for number in range(links.LINKS_MAX + 5))

    assert len(_links(anchors)) == links.LINKS_MAX
