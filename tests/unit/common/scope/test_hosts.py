"""Hosts that an operator lets be crawled, however a URL writes them."""

import pytest

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput
from scops.common.scope.hosts import EVERY_HOST, HostLists, parse_hosts
from scops.common.scope.urls import canonical_url


def lists(allowed: str = "", denied: str = "") -> HostLists:
    return HostLists(allowed=parse_hosts(allowed.split(",")), denied=parse_hosts(denied.split(",")))


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/",
        "http://EVIL.example:8080/x",
        "https://evil.example./",
        "https://evil%2eexample/",
        "https://ev\u00adil.example/",
        "https://ｅｖｉｌ．ｅｘａｍｐｌｅ/",
        "https://evil。example/",
        "//evil.example/x",
        "https:\\\\evil.example\\x",
        "https://a.bad.example/",
        "https://a.b.bad.example./",
        "https://bücher.example/",
        "https://xn--bcher-kva.example/",
        "http://192.0.2.7/",
        "http://0xc0000207/",
        "http://3221225991/",
        "http://[2001:DB8::1]/",
        "http://[2001:db8:0:0:0:0:0:1]/",
    ],
)
def test_a_denied_host_is_denied_in_every_spelling(url: str) -> None:
    """A list that allows it does not help."""
    denied = "evil.example, *.bad.example ,bücher.example,192.0.2.7,[2001:db8::1]"
    found = canonical_url(url, base="https://ok.example/")

    assert lists(denied=denied).refusal(found)
    assert lists(allowed="*.example,evil.example", denied=denied).refusal(found)


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("https://docs.example.org/", True),
        ("https://docs.example.org:8443/a", True),
        ("https://a.wiki.example.org/", True),
        ("https://wiki.example.org/", False),
        ("https://docs.example.org.evil.com/", False),
        ("https://evil-docs.example.org/", False),
        ("https://evil.com/docs.example.org", False),
        ("https://evilwiki.example.org/", False),
        ("https://example.org/", False),
        ("http://127.0.0.1/", False),
    ],
)
def test_where_hosts_are_allowed_by_name_others_are_not(url: str, is_allowed: bool) -> None:
    """A host is that host, and `*.` all below without itself."""
    found = lists(allowed="docs.example.org,*.wiki.example.org").refusal(canonical_url(url))

    assert is_allowed is (found is None)


def test_nothing_said_allows_everything() -> None:
    """Empty entries say nothing."""
    assert EVERY_HOST == lists()
    assert EVERY_HOST.refusal("https://a.example/") is None


@pytest.mark.parametrize(
    "text",
    ["https://a.org", "a.org/x", "a.org:80", "*", "*.", "a.*.org", "*a.org", "a b", "u@a.org", "?"],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    """At the start, by the name of the setting."""
    with pytest.raises(InvalidInput, match="is no host"):
        parse_hosts([text])


def test_settings_name_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's variable is in the message."""
    monkeypatch.setenv("SCOPS_HOSTS_DENIED", "a.org,https://b.org")
    with pytest.raises(InvalidInput, match="SCOPS_HOSTS_DENIED"):
        CommonSettings.load()
    monkeypatch.setenv("SCOPS_HOSTS_DENIED", "A.org , *.B.org")

    assert lists(denied="a.org,*.b.org") == CommonSettings.load().host_lists
