"""Rules decide, the filter never lets out less than they do, the book holds the newest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.common.contract.errors import InvalidInput, NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRef, ScopeRule
from scops.common.scope.book import ScopeBook
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import ScopeFilter, compile_filter
from scops.common.scope.rules import check_rule, check_rules, in_scope, matching_rule
from scops.common.scope.urls import canonical_url, url_prefixes

PREFIX, GLOB, REGEX, PAGE = RuleKind.PREFIX, RuleKind.GLOB, RuleKind.REGEX, RuleKind.PAGE


def rule(kind: RuleKind, pattern: str, *, exclude: bool = False) -> ScopeRule:
    return ScopeRule(kind=kind, pattern=pattern, exclude=exclude)


def scope(*rules: ScopeRule, revision: int = 1, name: str = "s") -> Scope:
    return Scope(scope_id=ScopeId(name), revision=revision, rules=rules)


@pytest.mark.parametrize(
    ("kind", "pattern", "url", "expected"),
    [
        (PREFIX, "e.org", "https://e.org/", True),
        (PREFIX, "e.org", "http://e.org/a", True),
        (PREFIX, "https://e.org/docs/", "https://e.org/docs/a", True),
        (PREFIX, "e.org/docs", "https://e.org/docs", True),
        (PREFIX, "e.org/docs", "https://e.org/docs?v=1", True),
        (PREFIX, "e.org/docs", "https://e.org/docs-old", False),
        (PREFIX, "e.org", "https://sub.e.org/", False),
        (PREFIX, "e.org", "https://e.org.evil.example/", False),
        (PREFIX, "e.org", "https://e.org:8443/", False),
        (GLOB, "e.org/*/b", "https://e.org/a/b", True),
        (GLOB, "e.org/*/b", "https://e.org/a/x/b", False),
        (GLOB, "e.org/**/b", "https://e.org/a/x/b", True),
        (GLOB, "*.e.org/**", "https://sub.e.org/x", True),
        (GLOB, "*.e.org/**", "https://e.org/x", False),
        (GLOB, "e.org/a?b", "https://e.org/a?b", True),
        (GLOB, "e.org/a.c", "https://e.org/abc", False),
        (REGEX, r"https?://e\.org/v\d+/.*", "http://e.org/v15/x", True),
        (REGEX, r"https?://e\.org/v\d+/.*", "http://e.org/vx/x", False),
        (PAGE, "https://e.org/a", "https://e.org/a", True),
        (PAGE, "https://e.org/a", "https://e.org/a/b", False),
        (PAGE, "https://e.org", "https://e.org/", True),
    ],
)
def test_rules_match_as_documented(kind: RuleKind, pattern: str, url: str, expected: bool) -> None:
    """One row a clause of the rule language."""
    assert expected == (matching_rule([rule(kind, pattern)], url) is not None)


def test_exclude_wins() -> None:
    """Whatever includes a page, an excluding rule keeps it out."""
    rules = [rule(PREFIX, "e.org"), rule(PREFIX, "e.org/private", exclude=True)]

    assert matching_rule(rules, "https://e.org/private/x") is None
    assert matching_rule(rules, "https://e.org/public") == rules[0]


def test_a_deleted_scope_holds_nothing() -> None:
    """Deletion acts at once, whatever the rules say."""
    gone = Scope(scope_id=ScopeId("s"), revision=2, rules=(rule(PREFIX, "e.org"),), deleted=True)

    assert not in_scope(gone, "https://e.org/")


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [(PREFIX, ""), (PREFIX, "/docs"), (PREFIX, "a b"), (GLOB, "**"), (GLOB, "*/x"),
     (REGEX, "["), (REGEX, ".*"), (REGEX, r"https://a\.org/|https://b\.org/"),
     (PREFIX, "x" * 501), (RuleKind.UNSPECIFIED, "e.org"), (PAGE, "?x")],
)  # fmt: skip
def test_a_malformed_pattern_says_why(kind: RuleKind, pattern: str) -> None:
    """What cannot narrow a store query or cannot be parsed is refused at the door."""
    with pytest.raises(InvalidInput) as caught:
        check_rule(rule(kind, pattern))

    assert caught.value.reason == "MALFORMED_RULE"


def test_a_scope_needs_an_including_rule() -> None:
    """Only excluding rules would be a scope of nothing."""
    with pytest.raises(InvalidInput):
        check_rules([rule(PREFIX, "e.org", exclude=True)])


def test_an_empty_filter_cannot_be_made() -> None:
    """A store that gets no filter returns everything; so there is no such value."""
    with pytest.raises(InvalidInput):
        ScopeFilter(())
    with pytest.raises(InvalidInput):
        compile_filter([])


SEGMENTS = st.lists(st.sampled_from(["a", "b", "docs", "docs-old", "x.html"]), max_size=4)
HOSTS = st.sampled_from(["e.org", "sub.e.org", "e.org:8443", "127.0.0.1:8080"])
RULES = [
    rule(PREFIX, "e.org/docs"),
    rule(PREFIX, "e.org/docs/"),
    rule(PREFIX, "https://e.org/a/b", exclude=True),
    rule(GLOB, "*.e.org/**"),
    rule(GLOB, "e.org/*/b"),
    rule(GLOB, "e.org:8443/do**"),
    rule(REGEX, r"https?://e\.org/(a|b)/.*"),
    rule(REGEX, r"http://127\.0\.0\.1:8080/do?cs.*"),
    rule(PAGE, "https://e.org/docs/x.html"),
    rule(PAGE, "e.org/docs/a", exclude=True),
    rule(GLOB, "e.org/**/x.html", exclude=True),
]


@given(
    segments=SEGMENTS,
    host=HOSTS,
    chosen=st.lists(st.sampled_from(RULES), min_size=1),
    secure=st.booleans(),
    slash=st.booleans(),
)
def test_the_filter_admits_whatever_the_rules_admit(
    segments: list[str], host: str, chosen: list[ScopeRule], secure: bool, slash: bool
) -> None:
    """The store may return too much and never too little: the rule function has the last word."""
    rules = [rule(PREFIX, "never.example"), *chosen]
    raw = f"http{'s' if secure else ''}://{host}/{'/'.join(segments)}{'/' if slash else ''}"
    url = canonical_url(raw)

    if matching_rule(rules, url) is not None:
        assert compile_filter([scope(*rules)]).admits(url_prefixes(url), PUBLIC)


def test_the_filter_narrows_a_prefix_exactly() -> None:
    """A prefix scope lets nothing else through the store."""
    compiled = compile_filter([scope(rule(PREFIX, "e.org/docs"))])

    assert compiled.admits(url_prefixes("https://e.org/docs/a"), PUBLIC)
    assert not compiled.admits(url_prefixes("https://e.org/docs-old/a"), PUBLIC)
    assert not compiled.admits(url_prefixes("https://e.org/docs/a"), "credential-1")


def test_the_book_waits_for_a_newer_revision() -> None:
    """Who has not got a revision yet waits, and an older one never comes back."""
    book = ScopeBook([scope(rule(PREFIX, "e.org"), revision=2)])
    book.apply(scope(rule(PREFIX, "old.example"), revision=1))

    assert book.get(ScopeRef(scope_id=ScopeId("s"), revision=1)).revision == 2
    with pytest.raises(NotYetKnown):
        book.get(ScopeRef(scope_id=ScopeId("s"), revision=3))
    with pytest.raises(NotYetKnown):
        book.get(ScopeRef(scope_id=ScopeId("unknown"), revision=1))
