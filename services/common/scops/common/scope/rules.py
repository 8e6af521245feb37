"""The rule function: the only judge of whether a page belongs to a scope.

It looks at the URL alone, in normal form (`normal_form`). An including rule has to match that
form; an excluding rule keeps out whatever servers may read as a page that it matches. A stored
rule that cannot be read admits nothing, and one that was to exclude shuts its scope.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.runtime.short_texts import kept_for_short
from scops.common.scope.held import HeldByRules
from scops.common.scope.normal_form import (
    NormalUrl,
    as_written,
    normal_escapes,
    normal_form,
    other_readings,
)
from scops.common.scope.patterns import RulePattern, read_pattern
from scops.common.scope.rule_faults import RuleFault, malformed
from scops.common.scope.urls import page_url

RULES_MAX = 1000
# Of the globs and regular expressions of a scope: the slowest of them take a second for a URL of
# 2,000 characters, the usual ones a few milliseconds.
INSTRUCTIONS_MAX = 40_000
URLS_HELD = 4096

Indexed = tuple[int, ScopeRule, RulePattern]


def matching_rule(rules: Sequence[ScopeRule], url: str) -> ScopeRule | None:
    """Returns the first including rule that lets a page in; excluding rules win.

    Args:
        url: the page's URL; one that cannot be a page's belongs to no scope.
    """
    readings = _readings(url)
    return _ready.of(rules).match(readings) if readings else None


def excluding_rule(rules: Sequence[ScopeRule], url: str) -> ScopeRule | None:
    """Returns the first excluding rule that keeps a page out, whatever would let it in."""
    readings = _readings(url)
    return _ready.of(rules).excluding(readings) if readings else None


def in_scope(scope: Scope, url: str) -> bool:
    """Returns whether a page belongs to a scope; a deleted scope holds nothing."""
    return not scope.deleted and matching_rule(scope.rules, url) is not None


def may_name(rules: Sequence[ScopeRule], url: str) -> bool:
    """Returns whether some rule speaks of a page, in any way that a server may read its URL.

    Rules are taken for excluding ones; whoever deletes what they name misses no spelling.
    """
    try:
        canonical = page_url(url)
    except InvalidInput:
        return False
    normal = normal_form(canonical)
    others = other_readings(normal) or ()
    return _ready.of(rules).names((normal, *others, as_written(canonical)))


def unusable_rules(rules: Sequence[ScopeRule]) -> tuple[InvalidInput, ...]:
    """Returns what is wrong with those of some rules that cannot be read."""
    return _ready.of(rules).errors


def check_rules(rules: Sequence[ScopeRule]) -> None:
    """Checks the rules of a scope before they are stored.

    Raises:
        InvalidInput: no including rule, too many or too complex ones, or a malformed pattern.
    """
    if not any(not rule.exclude for rule in rules):
        raise InvalidInput(
            "A scope needs at least one including rule, such as prefix:docs.example.org.",
            reason="SCOPE_WITHOUT_RULES",
        )
    if len(rules) > RULES_MAX:
        raise InvalidInput(
            f"A scope holds at most {RULES_MAX} rules; this one has {len(rules)}.",
            reason="TOO_MANY_RULES",
        )
    for rule in rules:
        check_rule(rule)
    cost = sum(read_pattern(rule).cost for rule in rules)
    if cost > INSTRUCTIONS_MAX:
        raise InvalidInput(
            f"The globs and regular expressions of a scope compile to at most {INSTRUCTIONS_MAX} "
            f"instructions; these have {cost}. Use fewer wildcards and repetitions, or prefixes.",
            reason="RULES_TOO_COMPLEX",
        )


def check_rule(rule: ScopeRule) -> None:
    """Checks one rule.

    Raises:
        InvalidInput: the pattern is empty, too long, malformed, names no literal host, or is
            spelled so that it matches no URL.
    """
    read_pattern(rule)
    if rule.kind is RuleKind.PREFIX and "*" in rule.pattern:
        raise malformed(rule, RuleFault.PREFIX_WILDCARD)
    if rule.kind is not RuleKind.REGEX:
        return
    if not rule.pattern.isascii():
        raise malformed(rule, RuleFault.REGEX_NOT_ASCII)
    for found in re.finditer(r"%[0-9A-Fa-f]{2}", rule.pattern):
        if normal_escapes(found[0]) != found[0]:
            raise malformed(rule, RuleFault.REGEX_ESCAPE, normal_escapes(found[0]))


class _ReadyRules:
    """The rules of a scope by the hosts that they name: `host`, or `*.host` for those below."""

    def __init__(self, rules: tuple[ScopeRule, ...]) -> None:
        self._excluding: dict[str, list[Indexed]] = {}
        self._including: dict[str, list[Indexed]] = {}
        # Hand-picked pages are many; each is looked up by what it says.
        self._pages: dict[tuple[str, str], list[Indexed]] = {}
        errors = []
        self._shut = False
        for number, rule in enumerate(rules):
            try:
                pattern = read_pattern(rule)
            except InvalidInput as error:
                errors.append(error)
                self._shut |= rule.exclude
                continue
            host = f"*.{pattern.host}" if pattern.below else pattern.host
            if rule.kind is RuleKind.PAGE and not rule.exclude:
                named = self._pages.setdefault((host, pattern.paths[0].head), [])
            else:
                side = self._excluding if rule.exclude else self._including
                named = side.setdefault(host, [])
            named.append((number, rule, pattern))
        self.errors = tuple(errors)

    def names(self, readings: tuple[NormalUrl, ...]) -> bool:
        """Returns whether a rule speaks of a URL, whether it includes or excludes."""
        hosts = tuple(_names(readings[0].host))
        return any(
            pattern.names_origin(readings[0]) and _excludes(pattern, readings)
            for side in (self._excluding, self._including)
            for host in hosts
            for _, _, pattern in side.get(host, ())
        )

    def excluding(self, readings: tuple[NormalUrl, ...]) -> ScopeRule | None:
        """Returns the rule that keeps a URL out."""
        found = (
            named
            for host in _names(readings[0].host)
            for named in self._excluding.get(host, ())
            if named[2].names_origin(readings[0]) and _excludes(named[2], readings)
        )
        first = min(found, key=itemgetter(0), default=None)
        return first[1] if first else None

    def match(self, readings: tuple[NormalUrl, ...]) -> ScopeRule | None:
        """Returns the rule that lets a URL in.

        Args:
            readings: its normal form first.
        """
        if self._shut or self.excluding(readings) is not None:
            return None
        url = readings[0]
        hosts = tuple(_names(url.host))
        found = (
            named
            for host in hosts
            for named in chain(
                self._including.get(host, ()), self._pages.get((host, url.target), ())
            )
            if named[2].paths[0].matches(url) and named[2].names_origin(url)
        )
        first = min(found, key=itemgetter(0), default=None)
        return first[1] if first else None


def _names(host: str) -> Iterator[str]:
    """Yields what patterns may call a host."""
    yield host
    while host := host.partition(".")[2]:
        yield f"*.{host}"


def _excludes(pattern: RulePattern, readings: tuple[NormalUrl, ...]) -> bool:
    return any(path.matches(url) for path in pattern.paths for url in readings)


@kept_for_short(URLS_HELD)
def _readings(url: str) -> tuple[NormalUrl, ...]:
    """Returns how servers may read a URL, its normal form first; empty where no scope holds it."""
    try:
        canonical = page_url(url)
    except InvalidInput:
        return ()
    normal = normal_form(canonical)
    others = other_readings(normal)
    if others is None:
        return ()
    found = (normal, *others, as_written(canonical))
    # A server is not told the route: what a rule keeps it from being asked for has none either.
    asked = (replace(each, route="") for each in found)
    return tuple(dict.fromkeys((*found, *asked)))


_ready = HeldByRules(_ReadyRules)
