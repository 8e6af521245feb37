"""Routes of apps: which fragments they are, and what rules say of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import compile_filter
from scops.common.scope.rules import in_scope
from scops.common.scope.urls import (
    canonical_url,
    page_url,
    route_of,
    routed_url,
    schemeless,
    url_prefixes,
    without_route,
)

PREFIX, GLOB, REGEX, PAGE = RuleKind.PREFIX, RuleKind.GLOB, RuleKind.REGEX, RuleKind.PAGE
APP = "https://app.example.org/"
PLAN, FEES, OLD = f"{APP}#/plan", f"{APP}#/plan/fees", f"{APP}#/plan-old"
ROUTED = (APP, PLAN, FEES, OLD)
# What stands in fragments, on the web and in attacks.
FRAGMENTS = st.text(alphabet="#!/?:~&=%41.ä \t\\a-z", max_size=12)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("HTTPS://App.Example.org#/plan", PLAN),
        ("https://app.example.org/#!/plan", f"{APP}#!/plan"),
        ("https://app.example.org/#!plan", f"{APP}#!plan"),
        ("https://app.example.org/a?b=1#/plan?year=5", f"{APP}a?b=1#/plan?year=5"),
        ("https://app.example.org/#/plan#fees", PLAN),
        ("https://app.example.org/#/plan:~:text=fee", PLAN),
        ("https://app.example.org/#/ä b", f"{APP}#/%C3%A4%20b"),
        ("https://app.example.org/#/", APP),
        ("https://app.example.org/#!/", APP),
        ("https://app.example.org/#!", APP),
        ("https://app.example.org/#", APP),
        ("https://app.example.org/#plan", APP),
        ("https://app.example.org/#plan/fees", APP),
        ("https://app.example.org/#:~:text=fee", APP),
        ("https://app.example.org/##/plan", APP),
        ("https://app.example.org/#?/plan", APP),
    ],
)
def test_a_fragment_that_begins_as_routers_write_is_a_route(raw: str, expected: str) -> None:
    """An anchor never is, a place inside a route is no part of it, and the first one is the app."""
    assert expected == routed_url(raw)


@given(FRAGMENTS)
def test_a_route_changes_nothing_else(fragment: str) -> None:
    """What is asked for is the canonical URL; the form is its own; no anchor is kept."""
    url = f"https://app.example.org/a?b=1#{fragment}"
    routed = routed_url(url)

    assert canonical_url(url) == without_route(routed)
    assert routed == routed_url(routed) == page_url(routed)
    assert f"{without_route(routed)}{route_of(routed)}" == routed
    assert not route_of(routed) or routed.partition("#")[2][0] in "/!"


@given(st.text(alphabet="abz-_.:=%~ ", max_size=12), FRAGMENTS)
def test_pages_without_routes_are_as_they_were(start: str, rest: str) -> None:
    """Whatever follows, a fragment that begins otherwise is dropped."""
    url = f"https://docs.example.org/a#{start.strip() or 'x'}{rest}"

    assert canonical_url(url) == routed_url(url)


def test_a_route_counts_to_the_length() -> None:
    """It is stored with the URL."""
    with pytest.raises(InvalidInput) as caught:
        routed_url(f"{APP}#/{'a' * 2000}")

    assert "INVALID_URL" == caught.value.reason


def test_a_route_lies_below_its_page_and_the_routes_above_it() -> None:
    """On segment boundaries; in lists by URL it stands with its page."""
    assert (
        "app.example.org",
        "app.example.org/a",
        "app.example.org/a?b=1",
        "app.example.org/a?b=1#!/plan",
        "app.example.org/a?b=1#!/plan/fees",
        "app.example.org/a?b=1#!/plan/fees?year=5",
        "*.example.org",
        "*.org",
    ) == url_prefixes(f"{APP}a?b=1#!/plan/fees?year=5")
    assert "app.example.org/a?b=1" == schemeless(f"{APP}a?b=1#!/plan")


def rule(kind: RuleKind, pattern: str, *, exclude: bool = False) -> ScopeRule:
    return ScopeRule(kind=kind, pattern=pattern, exclude=exclude)


def held(*rules: ScopeRule) -> set[str]:
    """Those of some routes that a scope holds; its filter never keeps one out."""
    scope = Scope(scope_id=ScopeId("s"), revision=1, rules=rules)
    found = {url for url in ROUTED if in_scope(scope, url)}
    passed = {url for url in ROUTED if compile_filter([scope]).admits(url_prefixes(url), PUBLIC)}

    assert found <= passed
    return found


@pytest.mark.parametrize(
    ("kind", "pattern", "expected"),
    [
        (PREFIX, "app.example.org", set(ROUTED)),
        (PREFIX, PLAN, {PLAN, FEES}),
        (PREFIX, f"{APP}#/plan/", {PLAN, FEES}),
        (PREFIX, f"{APP}#/pl%61n", {PLAN, FEES}),
        (PREFIX, f"{APP}#!/plan", set()),
        (PREFIX, f"{APP}b#/plan", set()),
        (PAGE, APP, {APP}),
        (PAGE, FEES, {FEES}),
        (GLOB, f"{APP}**", set(ROUTED)),
        (GLOB, f"{APP}#/plan/*", {FEES}),
        (GLOB, f"{APP}#/plan*", {PLAN, OLD}),
        (REGEX, r"https://app\.example\.org/#/plan(-old)?", {PLAN, OLD}),
    ],
)
def test_rules_speak_of_routes(kind: RuleKind, pattern: str, expected: set[str]) -> None:
    """A prefix holds what lies below it, a page itself alone; others see the whole URL."""
    assert expected == held(rule(kind, pattern))


@pytest.mark.parametrize(
    ("kind", "pattern", "expected"),
    [
        # Each route asks the server for the page that is kept out.
        (PREFIX, "app.example.org/", set()),
        (PAGE, APP, set()),
        (GLOB, f"{APP}*", set()),
        (REGEX, r"https://app\.example\.org/", set()),
        (PREFIX, PLAN, {APP, OLD}),
        (PAGE, PLAN, {APP, FEES, OLD}),
        (PAGE, f"{APP}#/%70lan", {APP, FEES, OLD}),
    ],
)
def test_excluding_rules_keep_routes_out(kind: RuleKind, pattern: str, expected: set[str]) -> None:
    """What is not to be asked for is not, whatever follows the #."""
    assert expected == held(rule(PREFIX, "app.example.org"), rule(kind, pattern, exclude=True))
