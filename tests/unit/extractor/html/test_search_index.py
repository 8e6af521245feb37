"""Indexes of a site's own search, as its pages tell of them by their scripts."""

import json

import pytest

from scops.extractor.html.search_index import page_search_indexes
from tests.unit.extractor.pages import ARTICLE, URL, extracted, page, tree_of

HOST = "https://docs.example.org"
SPHINX, MKDOCS = f"{HOST}/searchindex.js", f"{HOST}/search/search_index.json"


def _found(head: str, *, url: str = URL) -> tuple[str, ...]:
    return page_search_indexes(tree_of(page("", head=head).decode()).root, url=url)


def _script(source: str, **attributes: str) -> str:
    shown = "".join(f' {name.replace("_", "-", 1)}="{value}"' for name, value in attributes.items())
    return f'<script src="{source}"{shown}></script>'


def _material(settings: object) -> str:
    return f'<script id="__config" type="application/json">{json.dumps(settings)}</script>'


@pytest.mark.parametrize(
    ("head", "index"),
    [
        # Sphinx 5.3, as the manual of Python has it.
        (_script("../_static/documentation_options.js", data_url_root="../"), SPHINX),
        # Sphinx 7.2 names no root any more.
        (_script("../_static/documentation_options.js?v=2389946f"), SPHINX),
        # Sphinx 1.8, whose options stand in the page.
        (_script("../_static/doctools.js"), SPHINX),
        (_script("/_static/searchtools.js"), SPHINX),
        # MkDocs with one of its own themes, and with Material.
        (_script("../search/main.js"), MKDOCS),
        (_material({"base": "..", "search": "../assets/worker.js"}), MKDOCS),
        (_material({"base": "/"}), MKDOCS),
    ],
)
def test_scripts_tell_where_the_index_is(head: str, index: str) -> None:
    """Of Sphinx beside `_static`, of MkDocs below the root of the site."""
    assert (index,) == _found(head)


def test_an_index_in_a_folder_is_found_from_any_depth() -> None:
    """Versions of a manual have an index each."""
    head = _script("../../_static/doctools.js")

    assert (f"{HOST}/en/v2/searchindex.js",) == _found(head, url=f"{HOST}/en/v2/a/b/c.html")


@pytest.mark.parametrize(
    "head",
    [
        "",
        _script("/_static/jquery.js"),
        _script("/static/doctools.js"),
        # Another origin, whose index names pages of its own.
        _script("https://cdn.example.com/_static/doctools.js"),
        _script("http://docs.example.org/_static/doctools.js"),
        _script("/_static/doctools.js", data_url_root="https://elsewhere.example/"),
        # A base that hides the name of the index.
        _script("/_static/doctools.js", data_url_root="#"),
        _script("/_static/doctools.js", data_url_root="/x?y="),
        _script("http://[/_static/doctools.js"),
        _material({"base": ["x"]}),
        _material(["base"]),
        _material({"base": "https://elsewhere.example/"}),
        '<script id="__config">{"base": "."</script>',
        f'<script id="__config">{"[" * 15_000}</script>',
        f'<script id="__config">{"[" * 30_000}</script>',
    ],
)
def test_other_scripts_tell_nothing(head: str) -> None:
    """Nor does what leads to another origin, or cannot be read."""
    assert () == _found(head)


def test_the_index_travels_with_the_links() -> None:
    """A page that wants its links left alone names none."""
    head = _script("/_static/doctools.js") * 2
    nofollow = head + '<meta name="robots" content="nofollow">'

    assert (SPHINX,) == extracted(ARTICLE, head=head).links.search_index_urls
    assert () == extracted(ARTICLE, head=nofollow).links.search_index_urls
