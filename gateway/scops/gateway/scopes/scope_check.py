"""Checks a scope before it is stored, and brings its URLs and hosts to canonical form."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.hosts import HostLists
from scops.common.scope.limits import NO_RENDERING
from scops.common.scope.rules import check_rule, check_rules, matching_rule
from scops.common.scope.urls import canonical_url, page_url, routed_url
from scops.gateway.requests.limits import about_field
from scops.gateway.scopes.boundary import boundary_rules
from scops.libraries.papers.port import PAPER_SERVICES

DISPLAY_NAME_CHARACTERS_MAX = 200
RETENTION_DAYS_MAX = 36_500
REASONS_MAX = 50
_REASON = re.compile(r"[a-z][a-z_]{0,39}")
NO_RECRAWL = -1
RECRAWL_PER_DAY_MAX = 10_000_000
RENDERED_PER_DAY_MAX = 1_000_000
DEPTH_MAX = 1000
PAGE_LIMIT_MAX = 1_000_000
# Seeds of a scope, and sitemaps.
URLS_MAX = 1000
# Rules and seeds together, as the projection stores them: a message of the bus holds 512 KiB.
SCOPE_BYTES_MAX = 256 * 1024


def checked_scope(scope: Scope) -> Scope:
    """Returns the scope as it is stored, with the rules of its boundary.

    Raises:
        InvalidInput: a rule is malformed, the boundary cannot be drawn, a seed is no URL or lies
            outside the rules, or a limit is exceeded; `field` in the metadata says which.
    """
    seeds = _checked_urls(scope.seeds, "scope.seeds", routed_url)
    rules = (*scope.rules, *boundary_rules(scope.boundary, seeds))
    checked = replace(
        scope,
        rules=checked_rules(rules, field="scope.rules"),
        seeds=seeds,
        sitemaps=_checked_urls(scope.sitemaps, "scope.sitemaps", canonical_url),
    )
    for index, seed in enumerate(checked.seeds):
        check_inside(checked, seed, field=f"scope.seeds[{index}]")
    _check_limits(checked)
    _check_size(checked)
    return checked


def check_inside(scope: Scope, url: str, *, field: str) -> None:
    """Checks that a canonical URL belongs to a scope.

    Raises:
        InvalidInput: no rule lets it in.
    """
    if matching_rule(scope.rules, url) is None:
        raise InvalidInput(
            # Cut short: an error travels in headers, which hold 8 KiB.
            f"{url[:200]} lies outside the rules of scope {scope.scope_id}. "
            "Add an including rule for it, or leave it out.",
            reason="URL_OUTSIDE_SCOPE",
            field=field,
        )


def check_crawlable(hosts: HostLists, scope: Scope, before: Scope | None = None) -> None:
    """Checks that an operator lets the hosts be crawled that a scope names.

    Args:
        before: what it names already may stay: nothing of it is crawled.

    Raises:
        InvalidInput: they do not; `field` says where.
    """
    known = set(_named_urls(before)) if before is not None else set()
    for url, field in _named_urls(scope).items():
        if url not in known:
            hosts.check(url, field=field)


def _named_urls(scope: Scope) -> dict[str, str]:
    """Returns the URLs that a scope names, with their fields."""
    named = {
        rule.pattern: f"scope.rules[{at}].pattern"
        for at, rule in enumerate(scope.rules)
        if rule.kind is RuleKind.PAGE and not rule.exclude
    }
    named |= {url: f"scope.sitemaps[{at}]" for at, url in enumerate(scope.sitemaps)}
    return named | {url: f"scope.seeds[{at}]" for at, url in enumerate(scope.seeds)}


def checked_rules(rules: Sequence[ScopeRule], *, field: str) -> tuple[ScopeRule, ...]:
    """Returns rules in canonical form.

    Raises:
        InvalidInput: one is malformed, or none includes anything.
    """
    checked = []
    for index, rule in enumerate(rules):
        with about_field(f"{field}[{index}].pattern"):
            check_rule(rule)
            checked.append(_canonical_rule(rule))
    with about_field(field):
        check_rules(checked)
    return tuple(dict.fromkeys(checked))


def _canonical_rule(rule: ScopeRule) -> ScopeRule:
    """Lowers the host, and spells a page as its URL is stored: else the rule matches nothing."""
    if rule.kind is RuleKind.REGEX:
        return rule
    if rule.kind is RuleKind.PAGE:
        # A whole URL, so that a crawl can start from it; https where the caller names no scheme.
        has_scheme = re.match(r"(https?|file)://", rule.pattern, re.IGNORECASE)
        url = rule.pattern if has_scheme else f"https://{rule.pattern}"
        return replace(rule, pattern=page_url(url) if rule.exclude else routed_url(url))
    scheme, host, path = _split_pattern(rule.pattern)
    return replace(rule, pattern=f"{scheme}{host.lower()}{path}")


def _split_pattern(pattern: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"((?:https?|file)://)?([^/?#]*)(.*)", pattern, re.DOTALL | re.IGNORECASE)
    assert found is not None, "every text matches"
    return found.group(1) or "", found.group(2), found.group(3)


def _checked_urls(
    urls: Sequence[str], field: str, canonical: Callable[[str], str]
) -> tuple[str, ...]:
    if len(urls) > URLS_MAX:
        raise InvalidInput(
            f"{field} names {len(urls)} URLs; at most {URLS_MAX} are taken. "
            "Give a sitemap that lists them.",
            reason="TOO_MANY_URLS",
            field=field,
        )
    checked = []
    for index, url in enumerate(urls):
        with about_field(f"{field}[{index}]"):
            checked.append(canonical(url))
    return tuple(dict.fromkeys(checked))


def _check_limits(scope: Scope) -> None:
    if len(scope.name) > DISPLAY_NAME_CHARACTERS_MAX:
        raise InvalidInput(
            f"display_name has at most {DISPLAY_NAME_CHARACTERS_MAX} characters.",
            reason="DISPLAY_NAME_TOO_LONG",
            field="scope.display_name",
        )
    check_range("scope.page_limit", scope.page_limit, PAGE_LIMIT_MAX)
    check_range("scope.depth_limit", scope.depth_limit, DEPTH_MAX)
    if scope.recrawl_per_day != NO_RECRAWL:
        check_range("scope.recrawl_per_day", scope.recrawl_per_day, RECRAWL_PER_DAY_MAX)
    _check_rendering(scope)
    _check_paper_services(scope.paper_services)
    check_range("scope.retention_days", scope.retention_days, RETENTION_DAYS_MAX)
    for field in ("counted_reasons", "ignored_reasons"):
        _check_reasons(f"scope.{field}", getattr(scope, field))


def _check_rendering(scope: Scope) -> None:
    if scope.rendered_per_day != NO_RENDERING:
        check_range("scope.rendered_per_day", scope.rendered_per_day, RENDERED_PER_DAY_MAX)
    elif scope.rendered_always:
        raise InvalidInput(
            "The scope has all of its pages shown by a browser and none of them a day. Leave "
            "rendered_always out, or give rendered_per_day as 0 or more.",
            reason="RENDERING_CONTRADICTED",
            field="scope.rendered_always",
        )


def _check_paper_services(names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in PAPER_SERVICES]
    if unknown or len(names) > len(PAPER_SERVICES):
        raise InvalidInput(
            f"paper_services names what is no scholarly service: {unknown[:1]}. There are "
            f"{', '.join(PAPER_SERVICES)}; name each once.",
            reason="UNKNOWN_SERVICE",
            field="scope.paper_services",
        )


def _check_reasons(field: str, reasons: Sequence[str]) -> None:
    if len(reasons) > REASONS_MAX or not all(map(_REASON.fullmatch, reasons)):
        raise InvalidInput(
            f"{field} names at most {REASONS_MAX} reasons of changes, such as number, date, "
            "negation or sentence_added.",
            reason="CHANGE_REASON_INVALID",
            field=field,
        )


def check_range(field: str, value: int, maximum: int) -> None:
    """Checks a limit that a caller sets.

    Raises:
        InvalidInput: it is negative or above `maximum`.
    """
    if not 0 <= value <= maximum:
        raise InvalidInput(
            f"{field} is {value}; it must be 1 to {maximum}, or 0 for the default.",
            reason="LIMIT_OUT_OF_RANGE",
            field=field,
        )


def _check_size(scope: Scope) -> None:
    size = len(wire.encode(scope))
    if size > SCOPE_BYTES_MAX:
        raise InvalidInput(
            f"The scope has {size} bytes; at most {SCOPE_BYTES_MAX} are stored. "
            "Use fewer rules and seeds: a prefix instead of pages, a sitemap instead of seeds.",
            reason="SCOPE_TOO_LARGE",
            field="scope",
        )
