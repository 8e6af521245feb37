"""Files of a collection beside pages of the web: their URLs, the rules over them, the filter."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.filter import compile_filter
from scops.common.scope.rules import check_rule, matching_rule, may_name
from scops.common.scope.urls import canonical_url, is_file, page_url, url_prefixes

PLAN = "file://handbook/a/plan.md"
COLLECTION = ScopeRule(kind=RuleKind.PREFIX, pattern="file://handbook")
HOST = ScopeRule(kind=RuleKind.PREFIX, pattern="handbook")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("FILE://Handbook/a/../a/plan.md#page=2", PLAN),
        ("file://handbook/a b.md", "file://handbook/a%20b.md"),
        ("https://Example.org", "https://example.org/"),
    ],
)
def test_a_file_has_one_canonical_url(raw: str, expected: str) -> None:
    """As a page of the web has; the pages of both are told apart by their scheme."""
    assert expected == page_url(raw)
    assert expected.startswith("file:") == is_file(expected)


@pytest.mark.parametrize(
    "raw",
    ["file:///etc/passwd", "file://localhost/etc/passwd", "file://a.b/c", "file://a_b/c",
     "file://handbook/a?b", "file://handbook/" + "a" * 2000, "ftp://handbook/a"],
)  # fmt: skip
def test_what_is_of_no_collection_is_refused(raw: str) -> None:
    """The paths of a machine among them."""
    with pytest.raises(InvalidInput):
        page_url(raw)


def test_nobody_crawls_a_file() -> None:
    """A page that links one, or a seed, leads nowhere."""
    with pytest.raises(InvalidInput, match="only http and https"):
        canonical_url(PLAN)
    with pytest.raises(InvalidInput):
        canonical_url("b.md", PLAN)


@pytest.mark.parametrize(
    ("kind", "pattern", "expected"),
    [
        (RuleKind.PREFIX, "file://handbook", True),
        (RuleKind.PREFIX, "file://Handbook/a", True),
        (RuleKind.PREFIX, "file://handbook/b", False),
        (RuleKind.PREFIX, "file://hand", False),
        (RuleKind.GLOB, "file://handbook/**/*.md", True),
        (RuleKind.GLOB, "file://handbook/*.md", False),
        # A host of the name of a collection is another place.
        (RuleKind.PREFIX, "handbook", False),
        (RuleKind.PREFIX, "https://handbook", False),
        (RuleKind.REGEX, "https?://handbook/.*", False),
    ],
)
def test_rules_over_files(kind: RuleKind, pattern: str, expected: bool) -> None:
    """Prefixes and globs, within their collection; the filter admits what they do."""
    rule = ScopeRule(kind=kind, pattern=pattern)
    check_rule(rule)
    admits = compile_filter([Scope(rules=(rule,))]).admits(url_prefixes(PLAN), "public")

    assert expected == (matching_rule([rule], PLAN) is not None)
    assert admits or not expected


def test_a_host_and_a_collection_of_one_name_are_two() -> None:
    """In rules, in the filter and in the tokens that pages are filtered by."""
    url = "https://handbook/a/plan.md"
    over_files, over_host = (compile_filter([Scope(rules=(one,))]) for one in (COLLECTION, HOST))

    assert matching_rule([COLLECTION], url) is None
    assert ("file:handbook", "file:handbook/a", "file:handbook/a/plan.md") == url_prefixes(PLAN)
    assert not over_files.admits(url_prefixes(url), "public")
    assert not over_host.admits(url_prefixes(PLAN), "public")


def test_what_is_left_out_of_a_collection_stays_out() -> None:
    """In whatever way its path is written."""
    drafts = ScopeRule(kind=RuleKind.PREFIX, pattern="file://handbook/drafts", exclude=True)

    assert matching_rule([COLLECTION, drafts], PLAN) is not None
    assert matching_rule([COLLECTION, drafts], "file://handbook/%64rafts/x.md") is None
    assert may_name([drafts], "file://handbook/drafts/x.md")
