"""Links: resolved, canonical, once each."""

from urllib.parse import urlsplit

from scops.common.contract.messages.content import LinkPosition
from scops.extractor.html import links
from scops.extractor.html.links import FoundLink, page_links
from tests.unit.extractor.pages import ARTICLE, URL, extracted, page, tree_of

HOST = "https://docs.example.org"


def _links(body: str, head: str = "", *, routes: bool = False) -> tuple[FoundLink, ...]:
    return page_links(tree_of(page(body, head=head).decode()).root, url=URL, routes=routes)


def test_links_are_resolved_against_the_page() -> None:
    """Relative links become canonical URLs, without fragments."""
    found = _links('<a href="../b/./c.html#d">C</a><a href="HTTP://Example.ORG:80">E</a>')

    assert [link.url for link in found] == [
        "https://docs.example.org/b/c.html",
        "http://example.org/",
    ]


ROUTES = (
    '<a href="#/plan">P</a><a href="/app#!/fees?of=5">F</a><a href="#!">top</a>'
    '<a href="#/">home</a><a href="#section">S</a><a href="#/plan#fees">again</a>'
    '<a href="/b#part">B</a>'
)


def test_a_shown_page_links_to_routes() -> None:
    """What is no route is a place on a page, and the first route is the page."""
    found = _links(ROUTES, routes=True)

    assert [f"{URL}#/plan", f"{HOST}/app#!/fees?of=5", URL, f"{HOST}/b"] == [
        link.url for link in found
    ]


def test_elsewhere_a_route_is_a_fragment() -> None:
    """Nobody would show it."""
    assert [f"{HOST}/app", f"{HOST}/b"] == [link.url for link in _links(ROUTES)]


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


def test_link_says_where_it_stands_and_among_which_words() -> None:
    """Position, the heading above and whole words around the anchor come with a link."""
    before, after = "word " * 40, " word" * 40
    found = extracted(
        f'<nav><a href="/nav">Home</a></nav><main><h1>Owls</h1>{ARTICLE}<h2>Food</h2>'
        f'<p>{before}see <a href="/voles" rel="help">all about voles</a> first{after}</p></main>'
        '<aside><a href="/aside">Other birds</a></aside>'
        '<footer><a href="/foot">Imprint</a></footer>'
    )
    by_path = {urlsplit(link.url).path: link for link in found.links.links}
    voles = by_path["/voles"]

    assert {path: link.position for path, link in by_path.items()} == {
        "/nav": LinkPosition.NAV,
        "/voles": LinkPosition.BODY,
        "/aside": LinkPosition.ASIDE,
        "/foot": LinkPosition.FOOTER,
    }
    assert (voles.heading, voles.anchor_text, voles.rel) == ("Food", "all about voles", "help")
    assert voles.context.startswith("word word")
    assert " see all about voles first word" in voles.context
    assert by_path["/nav"].context == ""


def test_link_that_is_all_of_its_block_has_no_words_around() -> None:
    """The anchor text would only be said twice."""
    (link,) = extracted(f'{ARTICLE}<p><a href="/a">All about voles</a></p>').links.links

    assert (link.anchor_text, link.context) == ("All about voles", "")
