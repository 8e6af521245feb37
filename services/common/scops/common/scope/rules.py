"""The rule function: the only judge of whether a page belongs to a scope.

It looks at the canonical URL alone and shares no code with the filter that narrows a store
query, so that a mistake in one cannot hide in the other.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule

PATTERN_CHARACTERS_MAX = 500
RULES_MAX = 1000


def matching_rule(rules: Sequence[ScopeRule], url: str) -> ScopeRule | None:
    """Returns the including rule that lets a page in; excluding rules win.

    Args:
        url: the page's canonical URL.
    """
    target, bare = _without_marks(url)
    if any(rule.exclude and _matches(rule, url, target, bare) for rule in rules):
        return None
    included = (rule for rule in rules if not rule.exclude and _matches(rule, url, target, bare))
    return next(included, None)


def in_scope(scope: Scope, url: str) -> bool:
    """Returns whether a page belongs to a scope; a deleted scope holds nothing."""
    return not scope.deleted and matching_rule(scope.rules, url) is not None


def check_rules(rules: Sequence[ScopeRule]) -> None:
    """Checks the rules of a scope before they are stored.

    Raises:
        InvalidInput: no including rule, too many, or a malformed pattern.
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


def check_rule(rule: ScopeRule) -> None:
    """Checks one rule.

    Raises:
        InvalidInput: the pattern is empty, too long, malformed, or names no host.
    """
    pattern = rule.pattern
    if not pattern or len(pattern) > PATTERN_CHARACTERS_MAX or re.search(r"\s", pattern):
        raise _malformed(rule, f"it must be 1 to {PATTERN_CHARACTERS_MAX} characters, no spaces")
    if rule.kind is RuleKind.REGEX:
        _check_regex(rule)
        return
    if rule.kind is RuleKind.UNSPECIFIED:
        raise _malformed(rule, "its kind must be prefix, glob, regex or page")
    host = _without_scheme(pattern).split("/", 1)[0]
    literal = host.removeprefix("*.") if rule.kind is RuleKind.GLOB else host
    if not re.fullmatch(r"[^\s/*?#@]+|\[[0-9a-fA-F:.]+\](:\d+)?", literal):
        raise _malformed(rule, "it must start with a host, such as docs.example.org/guide")


def _check_regex(rule: ScopeRule) -> None:
    try:
        re.compile(rule.pattern)
    except re.error as error:
        raise _malformed(rule, f"{error}") from error
    if not re.match(r"\^?https?(\?)?://(\w|\\\.|\\-|-|:)+/", rule.pattern):
        raise _malformed(
            rule,
            r"it must start with a literal host and slash, such as https://docs\.example\.org/",
        )
    if "|" in re.sub(r"\\.|\[[^\]]*\]|\([^()]*\)", "", rule.pattern):
        raise _malformed(rule, "alternatives (|) must stand inside parentheses after the host")


def _matches(rule: ScopeRule, url: str, target: str, bare: str) -> bool:
    """Says whether a rule names a URL.

    Args:
        target: the URL without its scheme; `bare` without its query too.
    """
    if rule.kind is RuleKind.PREFIX:
        prefix = _without_scheme(rule.pattern)
        # Of many rules nearly all end here.
        if not target.startswith(prefix):
            return False
        if prefix in (target, bare):
            return True
        return target.startswith(prefix if prefix.endswith("/") else f"{prefix}/")
    if rule.kind is RuleKind.PAGE:
        wanted = _without_scheme(rule.pattern).split("#", 1)[0]
        return target == (wanted if "/" in wanted else f"{wanted}/")
    if rule.kind is RuleKind.GLOB:
        return _glob(_without_scheme(rule.pattern)).fullmatch(target) is not None
    return re.fullmatch(rule.pattern, url) is not None


@lru_cache(maxsize=4096)
def _without_marks(url: str) -> tuple[str, str]:
    """Returns a URL without scheme and fragment, with its query and without."""
    parts = urlsplit(url)
    bare = f"{parts.netloc}{parts.path or '/'}"
    return f"{bare}?{parts.query}" if parts.query else bare, bare


@lru_cache(maxsize=4096)
def _glob(pattern: str) -> re.Pattern[str]:
    """Translates `**` (across segments) and `*` (within one); everything else is literal."""
    pieces = re.split(r"(\*\*|\*)", pattern)
    wild = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(wild.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)


def _without_scheme(pattern: str) -> str:
    return pattern.removeprefix("https://").removeprefix("http://")


def _malformed(rule: ScopeRule, why: str) -> InvalidInput:
    return InvalidInput(
        f"The {rule.kind} rule {rule.pattern[:80]!r} cannot be used: {why}.",
        reason="MALFORMED_RULE",
        pattern=rule.pattern[:80],
    )
