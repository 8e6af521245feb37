"""The site that benchmarks crawl."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse

import pytest

from benchmarks.shared.system.origin import Origin


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin({"/pages/a.html": b"<p>a</p>", "/pages/b%20c.html": b"<p>b</p>"}).running() as site:
        yield site


def _get(url: str, **headers: str) -> HTTPResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return urllib.request.urlopen(urllib.request.Request(url, headers=named), timeout=5)  # type: ignore[no-any-return]


def test_every_second_page_has_validators(origin: Origin) -> None:
    """Half of the pages can be answered 304."""
    etags = ["ETag" in _get(origin.url + path).headers for path in origin.paths]

    assert [True, False] == etags


def test_known_etag_is_answered_304_until_an_edit(origin: Origin) -> None:
    """An edit acts on the next request."""
    url = f"{origin.url}/pages/a.html"
    etag = _get(url).headers["ETag"]

    with pytest.raises(urllib.error.HTTPError, match="304"):
        _get(url, If_None_Match=etag)
    origin.edit("/pages/a.html", b"<p>new</p>")

    assert b"<p>new</p>" == _get(url, If_None_Match=etag).read()
    assert {200: 2, 304: 1} == origin.answered


def test_page_is_found_however_its_path_is_encoded(origin: Origin) -> None:
    """Clients may encode more than they must."""
    assert b"<p>b</p>" == _get(f"{origin.url}/pages/%62%20c.html").read()


def test_sitemap_and_robots_are_served_and_not_counted(origin: Origin) -> None:
    """They are no pages."""
    assert b"/pages/b%20c.html" in _get(f"{origin.url}/sitemap.xml").read()
    assert b"Allow" in _get(f"{origin.url}/robots.txt").read()
    assert not origin.answered
