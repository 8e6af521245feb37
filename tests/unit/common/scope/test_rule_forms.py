"""Rules see a URL as servers do: however a page is spelled, the same rules speak of it.

Clauses are of RFC 3986 section 6.2.2 and RFC 9309 section 2.2.2.
"""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.purge import PurgeSelector
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import compile_filter
from scops.common.scope.normal_form import normal_form, other_readings
from scops.common.scope.rules import check_rule, check_rules, in_scope, matching_rule
from scops.common.scope.selection import selects
from scops.common.scope.urls import canonical_url, url_prefixes
from tests.fakes.stalls import cpu_seconds

PREFIX, GLOB, REGEX, PAGE = RuleKind.PREFIX, RuleKind.GLOB, RuleKind.REGEX, RuleKind.PAGE

# A rule that holds a URL of 100,000 characters against a pattern ends in this time.
SECONDS_MAX = 0.5


def rule(kind: RuleKind, pattern: str, *, exclude: bool = False) -> ScopeRule:
    return ScopeRule(kind=kind, pattern=pattern, exclude=exclude)


def scope(*rules: ScopeRule) -> Scope:
    return Scope(scope_id=ScopeId("s"), revision=1, rules=rules)


HOST = rule(PREFIX, "a.org")
EXCLUDING = {
    "prefix": rule(PREFIX, "a.org/private", exclude=True),
    "prefix with a slash": rule(PREFIX, "a.org/private/", exclude=True),
    "escaped prefix": rule(PREFIX, "a.org/priv%61te", exclude=True),
    "glob": rule(GLOB, "a.org/private/**", exclude=True),
    "glob in the middle": rule(GLOB, "a.org/**/private/**", exclude=True),
    "regex": rule(REGEX, r"https?://a\.org/private/.*", exclude=True),
}
SPELLINGS = [
    "https://a.org/private/x",
    "http://a.org/private/x",
    "https://A.ORG/private/x",
    "https://a.org./private/x",
    "https://a.org:443/private/x",
    "http://a.org:80/private/x",
    "https://a.org/priv%61te/x",
    "https://a.org/%70%72%69%76%61%74%65/x",
    "https://a.org//private/x",
    "https://a.org///private//x",
    "https://a.org/./private/x",
    "https://a.org/%2e/private/x",
    "https://a.org/b/../private/x",
    "https://a.org/b/%2e%2e/private/x",
    "https://a.org/b/%2E./private/x",
    "https://a.org/x/..%2fprivate/x",
    "https://a.org/x/..%2Fprivate/x",
    "https://a.org/x/%2e%2e%2fprivate/x",
    "https://a.org/x/..%5cprivate/x",
    "https://a.org/x/..;/private/x",
    "https://a.org/x/..;v=1/private/x",
    "https://a.org/x/..%3bv=1/private/x",
    "https://a.org\\private\\x",
    "https://a.org/%5cprivate/x",
    "https://a.org/%2fprivate/x",
    "https://a.org/%2Fprivate%2Fx",
    "https://a.org/private%2fx",
    "https://a.org/private;v=1/x",
    "https://a.org/private;/x",
    "https://a.org/private%3fx/y",
    "https://a.org/private%23x/y",
    "https://a.org/;v=1/private/x",
    "https://a.org/private%3bv=1/x",
    "https://a.org/priv%2561te/x",
    "https://a.org/priv%252561te/x",
    "https://a.org/%252fprivate/x",
    "https://a.org/private%00/x",
    "https://a.org/%u002fprivate/x",
    "https://a.org/x/..%c0%afprivate/x",
    "https://a.org/x/%c0%ae%c0%ae/private/x",
    "https://a.org/x/..%e0%80%afprivate/x",
    "https://a.org/private/x?y=1",
    "https://a.org/private/x#y",
    "https://a.org/pri\tvate/x",
]


@pytest.mark.parametrize("url", SPELLINGS)
@pytest.mark.parametrize("name", list(EXCLUDING))
def test_no_spelling_gets_past_an_exclusion(name: str, url: str) -> None:
    """What a server may read as an excluded page is outside, whatever kind of rule excludes it."""
    assert not in_scope(scope(HOST, EXCLUDING[name]), url)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.org/private-not/x",
        "https://a.org/x/private%2Dnot",
        # RFC 3986 section 6.2.2.1: only scheme and host know no case.
        "https://a.org/PRIVATE/x",
        "https://a.org/projects/group%2Fname",
        "https://a.org/item;id=5",
        "https://a.org/c%23/why%3F",
        "https://a.org/100%25",
        "https://a.org/caf%C3%A9/%E0%A4%B9/%E4%B8%AD",
        "https://a.org/a..b/...",
        "https://a.org/?next=/private/x",
    ],
)
def test_other_pages_stay_inside(url: str) -> None:
    """An exclusion takes nothing else away."""
    assert in_scope(scope(HOST, EXCLUDING["prefix"]), url)


@pytest.mark.parametrize(
    ("kind", "pattern", "url"),
    [
        (PREFIX, "a.org/docs", "https://a.org//docs/x"),
        (PREFIX, "a.org/docs", "https://a.org/d%6fcs/x"),
        (PREFIX, "a.org/docs/", "https://a.org/docs"),
        (PREFIX, "a.org/caf\u00e9", "https://a.org/caf%c3%a9/x"),
        (PREFIX, "a.org/~me", "https://a.org/%7Eme/x"),
        (PREFIX, "a.org/%7eme", "https://a.org/~me/x"),
        (PREFIX, "A.org.", "https://a.org/x"),
        (PREFIX, "HTTPS://a.org:443/x", "https://a.org/x"),
        (PREFIX, "a.org:443", "https://a.org/x"),
        (PREFIX, "b\u00fccher.example", "https://xn--bcher-kva.example/x"),
        (PREFIX, "xn--bcher-kva.example", "https://b\u00fccher.example/x"),
        (PAGE, "https://a.org/x%2dy", "https://a.org/x-y"),
        (GLOB, "a.org/*/x", "https://a.org/%61//x"),
        (GLOB, "a.org/**/x", "https://a.org/x"),
        (GLOB, "a.org", "https://a.org/x/y"),
        (GLOB, "*.a.org", "https://b.a.org/x"),
        (REGEX, r"https://a\.org/x-\d+", "https://a.org/x%2d5"),
        (REGEX, r"https?:\/\/a\.org\/x\/\d+", "https://a.org/x/5"),
        (REGEX, r"https://[", "https://a.org/"),
    ],
)
def test_an_including_rule_knows_each_spelling_too(kind: RuleKind, pattern: str, url: str) -> None:
    """Rule and filter let a page in by its normal form."""
    rules = scope(rule(PREFIX, "never.example"), rule(kind, pattern))
    expected = pattern != r"https://["

    assert expected == in_scope(rules, url)
    if expected:
        assert compile_filter([rules]).admits(url_prefixes(canonical_url(url)), PUBLIC)


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"https://docs\.a\.org/?.*", "slash"),
        (r"https://docs\.a\.org/*.*", "slash"),
        (r"https://docs\.a\.org/{0,1}.*", "slash"),
        (r"https://docs\.a\.org", "slash"),
        (r"https://docs\.a\.org.*", "slash"),
        (r"https://docs\.a\.org:?/x", "host"),
        (r"https://docs.a.org/x", "dots"),
        (r"[](]|.*[)]?", "host"),
        (r"https://(a|b)\.org/", "host"),
        (r"https://[ab]\.org/", "host"),
        (r"https://a+\.org/", "host"),
        (r"(https://a\.org/x)", "host"),
        (r"(?i)https://a\.org/x", "host"),
        (r"https://user@a\.org/x", "host"),
        (r"ftp://a\.org/x", "host"),
        (r"https://a\.org/x|.*", "alternatives"),
        (r"https://a\.org/[](]|.*[)]?", "alternatives"),
        (r"https://a\.org/x)|(.*", "cannot be read"),
        (r"https://a\.org/(?=x)", "cannot be read"),
        (r"https://a\.org/(?<!x)y", "cannot be read"),
        (r"https://a\.org/(a)\1", "cannot be read"),
        (r"https://a\.org/(x{1000}){1000}", "cannot be read"),
        (r"https://a\.org/((x{100}y){9}z){900}", "cannot be read"),
        (r"https://a\.org/%7Eme", "~"),
        (r"https://a\.org/%c3%a9", "%C3"),
        ("https://a\\.org/caf\u00e9", "ASCII"),
    ],
)  # fmt: skip
def test_a_pattern_that_does_not_hold_its_host_is_refused(pattern: str, part: str) -> None:
    """The host of a regular expression is literal, and what it cannot say is told."""
    with pytest.raises(InvalidInput) as caught:
        check_rule(rule(REGEX, pattern))

    assert "MALFORMED_RULE" == caught.value.reason
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        (PREFIX, "user@a.org/x"),
        (PREFIX, "a.org\\@evil.com"),
        (PREFIX, "ftp://a.org/x"),
        (PREFIX, "a%2eorg/x"),
        (PREFIX, "a.org:x/y"),
        (PREFIX, "a.org/private/*"),
        (GLOB, "a.*/x"),
        (GLOB, "*a.org/x"),
        (GLOB, "a.org*"),
        (PAGE, "*.a.org/x"),
    ],
)
def test_a_pattern_whose_host_is_not_literal_is_refused(kind: RuleKind, pattern: str) -> None:
    """Prefixes, globs and pages name one host, and a glob may name those below it."""
    with pytest.raises(InvalidInput) as caught:
        check_rule(rule(kind, pattern))

    assert "MALFORMED_RULE" == caught.value.reason


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        (REGEX, r"https://docs\.a\.org/.*"),
        (REGEX, r"https://docs\.a\.org/?.*"),
        (REGEX, r"[](]|.*[)]?"),
        (REGEX, r"https://docs\.a\.org/x|.*"),
        (PREFIX, "docs.a.org"),
        (GLOB, "docs.a.org/**"),
        (GLOB, "*.docs.a.org/**"),
    ],
)
@pytest.mark.parametrize(
    "url",
    [
        "https://docs.a.org.evil.com/",
        "https://docs.a.orgevil.com/",
        "https://evil.com/docs.a.org/",
        "https://evil.com/https://docs.a.org/",
        "https://docs.a.org@evil.com/",
        "https://docs.a.org:8443/",
        "https://docs-a.org/",
        "https://xdocs.a.org/",
    ],
)
def test_no_pattern_leaves_its_host(kind: RuleKind, pattern: str, url: str) -> None:
    """Host and path are matched apart, also by rules that were stored before they were checked."""
    assert not in_scope(scope(rule(kind, pattern)), url)


BROKEN = [
    rule(REGEX, r"https://a\.org/(x"),
    rule(REGEX, r"https://a\.org/(?=x)"),
    rule(REGEX, r"[](]|.*[)]?"),
    rule(PREFIX, "user@a.org"),
    rule(RuleKind.UNSPECIFIED, "a.org"),
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_stored_rule_that_cannot_be_read_admits_nothing(broken: ScopeRule) -> None:
    """It stops nobody: the scope's other rules hold, and the filter can be made."""
    held = scope(broken, rule(PREFIX, "b.org"))

    assert not in_scope(held, "https://a.org/x")
    assert in_scope(held, "https://b.org/x")
    assert compile_filter([held]).admits(url_prefixes("https://b.org/x"), PUBLIC)
    assert not compile_filter([scope(broken)]).admits(url_prefixes("https://a.org/x"), PUBLIC)


@pytest.mark.parametrize("broken", BROKEN)
def test_an_exclusion_that_cannot_be_read_shuts_the_scope(broken: ScopeRule) -> None:
    """Nobody knows what it was to keep out, so nothing is let in until its owner mends it."""
    shut = ScopeRule(kind=broken.kind, pattern=broken.pattern, exclude=True)
    held = scope(rule(PREFIX, "a.org"), rule(PREFIX, "b.org"), shut)

    assert not in_scope(held, "https://b.org/x")
    assert not compile_filter([held]).admits(url_prefixes("https://b.org/x"), PUBLIC)


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        (REGEX, r"https://a\.org/(a+)+b"),
        (REGEX, r"https://a\.org/(a|a)*b"),
        (REGEX, r"https://a\.org/(.*)*(.*)*(.*)*(.*)*b"),
        (GLOB, "a.org/*-*-*-*-*.html"),
        (GLOB, "a.org/" + "*-" * 240 + ".html"),
        (GLOB, "a.org/" + "**a" * 160),
    ],
)
@pytest.mark.parametrize("tail", ["-" * 300, "a" * 1900, "-a" * 900, "a" * 100_000, "-" * 100_000])
def test_a_pattern_ends_in_linear_time(kind: RuleKind, pattern: str, tail: str) -> None:
    """No pattern and no URL hold a service up."""
    matched = partial(matching_rule, [rule(kind, pattern)], f"https://a.org/{tail}")

    assert cpu_seconds(matched, enough=SECONDS_MAX) < SECONDS_MAX


def test_the_rules_of_a_scope_are_bounded_together() -> None:
    """A thousand of the slowest patterns would hold a service up for seconds a URL."""
    slow = [rule(GLOB, f"a.org/{number}" + "*-" * 200) for number in range(1000)]
    usual = [rule(GLOB, f"a.org/**/section-{number}/*.html") for number in range(1000)]

    check_rules(usual)
    with pytest.raises(InvalidInput) as caught:
        check_rules(slow)

    assert "RULES_TOO_COMPLEX" == caught.value.reason


SEGMENT = st.sampled_from(
    ["a", "b", "docs", "private", "x.html", "~me", "\u00e9", "a;v=1", "a%2fb"]
)


SLASHES = ["//", "/./", "/z/../", "%2f", "%2F", "/%2e/", "/z/..%2f", "\\", "%5C", "/%252e/"]


@st.composite
def spelled(draw: st.DrawFn, path: str) -> str:
    """Returns a spelling of a path that servers may read as the same one."""
    out = "/"
    for char in path.removeprefix("/"):
        way = draw(st.integers(0, 12))
        if char == "/" and way > 6:
            out += draw(st.sampled_from(SLASHES))
        elif char.isalpha() and char.isascii() and way > 8:
            code = f"{ord(char):02x}"
            out += {9: f"%{code}", 10: f"%{code.upper()}", 11: f"%25{code}"}.get(way, f"%{code}")
        else:
            out += char
    return out


@st.composite
def excluded_pages(draw: st.DrawFn) -> tuple[Scope, str]:
    """Returns a scope with an exclusion, and a spelling of a page that it excludes."""
    folder = "/".join(draw(st.lists(st.sampled_from(["a", "docs", "~me"]), min_size=1, max_size=3)))
    below = draw(st.lists(st.sampled_from(["a", "b", "x.html"]), max_size=2))
    kind, pattern = draw(
        st.sampled_from(
            [
                (PREFIX, f"a.org/{folder}"),
                (PREFIX, f"https://a.org/{folder}/"),
                (GLOB, f"a.org/{folder}**"),
                (REGEX, rf"https?://a\.org/{folder}(/.*)?(\?.*)?"),
            ]
        )
    )
    path = "/" + "/".join([folder, *below])
    host = draw(st.sampled_from(["a.org", "A.org", "a.org.", "a.org:443"]))
    url = f"https://{host}{draw(spelled(path))}"
    return scope(HOST, rule(kind, pattern, exclude=True)), url


@given(case=excluded_pages())
def test_a_rule_never_admits_an_equivalent_of_an_excluded_page(case: tuple[Scope, str]) -> None:
    """Escapes, doubled slashes, dot segments and hosts say nothing new."""
    held, url = case

    assert not in_scope(held, url)


INCLUDES = [
    rule(PREFIX, "a.org/docs"),
    rule(PREFIX, "a.org/%64ocs/"),
    rule(PREFIX, "a.org:443/docs"),
    rule(PREFIX, "a.org/docs?x=1"),
    rule(PREFIX, "a.org/\u00e9"),
    rule(PREFIX, "a.org//a/./b"),
    rule(PREFIX, "a.org/a%2Fb"),
    rule(GLOB, "a.org/*/b"),
    rule(GLOB, "a.org/**/b"),
    rule(GLOB, "a.org/do**"),
    rule(GLOB, "*.a.org"),
    rule(REGEX, r"https?://a\.org/(a|docs)/.*"),
    rule(REGEX, r"https://a\.org/do+cs.*"),
    rule(REGEX, r"https://a\.org/docs?/?.*"),
    rule(REGEX, r"https://a\.org/docs/?"),
    rule(REGEX, r"https://a\.org/a/b{0}.*"),
    rule(REGEX, r"https://a\.org/\x64ocs.*"),
    rule(REGEX, r"https://a\.org/(?i)DOCS.*"),
    rule(PAGE, "https://a.org/docs"),
    rule(PAGE, "https://a.org/~me?x=%31"),
    rule(PREFIX, "a.org/docs/", exclude=True),
    rule(PREFIX, "a.org:443/a", exclude=True),
    rule(PREFIX, "a.org/a%2Fb", exclude=True),
    rule(GLOB, "a.org/*/b", exclude=True),
]


@given(
    path=st.lists(SEGMENT, max_size=4).flatmap(lambda found: spelled("/" + "/".join(found))),
    origin=st.sampled_from(
        ["https://a.org", "http://a.org", "https://sub.a.org.", "http://a.org:443", "https://A.org"]
    ),
    query=st.sampled_from(["", "?x=1", "?x=%31", "?"]),
    chosen=st.lists(st.sampled_from(INCLUDES), min_size=1, max_size=5),
)
def test_the_filter_is_never_narrower_than_the_rules(
    path: str, origin: str, query: str, chosen: list[ScopeRule]
) -> None:
    """The tokens of a page are those of its normal form, which the rules see too."""
    held = scope(rule(PREFIX, "never.example"), *chosen)
    url = canonical_url(f"{origin}{path}{query}")

    if in_scope(held, url):
        assert compile_filter([held]).admits(url_prefixes(url), PUBLIC)


@pytest.mark.parametrize("url", SPELLINGS)
def test_a_purge_by_prefix_misses_no_spelling(url: str) -> None:
    """What a server may have read as a page below the prefix goes too; of a host, everything."""
    whole = PurgeSelector(url_prefixes=("a.org",))
    part = PurgeSelector(url_prefixes=("a.org/private",))
    hidden = other_readings(normal_form(canonical_url(url))) is None

    assert selects(whole, page_id="p", canonical_url=url, names=())
    assert hidden or selects(part, page_id="p", canonical_url=url, names=())
    assert not selects(part, page_id="p", canonical_url="https://a.org/public", names=())
