"""Canonical URLs, prefixes and hosts."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url, host_key, registrable_domain, url_prefixes


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("HTTP://Docs.Example.org:80/a/../b#part", "http://docs.example.org/b"),
        ("https://example.org", "https://example.org/"),
        ("https://example.org:8443/x?b=1&a=2#", "https://example.org:8443/x?b=1&a=2"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
    ],
)
def test_equal_urls_have_one_canonical_form(raw: str, expected: str) -> None:
    """WHATWG parsing, no fragment."""
    assert expected == canonical_url(raw)


@pytest.mark.parametrize(
    "raw",
    ["", "docs.example.org", "file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)",
     "http://user:pw@example.org/", "http://", "http://example.org/" + "a" * 2000],
)  # fmt: skip
def test_what_cannot_be_crawled_is_refused(raw: str) -> None:
    """Only absolute http(s) URLs without credentials, of bounded length."""
    with pytest.raises(InvalidInput) as caught:
        canonical_url(raw)

    assert caught.value.reason == "INVALID_URL"


def test_a_relative_link_resolves_against_its_page() -> None:
    """Links come as they stand in the page."""
    assert canonical_url("../c?x#y", "https://e.org/a/b/") == "https://e.org/a/c?x"


def test_prefixes_are_whole_segments() -> None:
    """`docs` never stands for `docs-old`."""
    prefixes = url_prefixes("https://e.org:8443/docs-old/x?y=1")

    assert prefixes[:4] == (
        "e.org:8443",
        "e.org:8443/docs-old",
        "e.org:8443/docs-old/x",
        "e.org:8443/docs-old/x?y=1",
    )
    assert "e.org:8443/docs" not in prefixes


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.b.example.co.uk/x", "example.co.uk"),
        ("http://127.0.0.1:8080/", "127.0.0.1"),
        ("http://[::1]/", "::1"),
        ("http://localhost/", "localhost"),
    ],
)
def test_a_host_is_its_registrable_domain_or_its_address(url: str, expected: str) -> None:
    """Invariant 7 counts by it."""
    assert expected == host_key(url)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.b.example.co.uk/x", "example.co.uk"),
        ("https://me.github.io/", "me.github.io"),
        ("https://github.io/", ""),
        ("http://127.0.0.1:8080/", ""),
        ("http://localhost/", ""),
    ],
)
def test_a_registrable_domain_belongs_to_one(url: str, expected: str) -> None:
    """Those who share a public suffix are told apart; an address has no domain."""
    assert expected == registrable_domain(url)
