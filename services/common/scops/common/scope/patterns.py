"""Reads the pattern of a rule: the host that it names, and what it says of path, query and route.

The host is literal (a glob may name all hosts below one) and is never part of an expression, so
that no pattern reaches another host. Globs and regular expressions are matched by RE2
(github.com/google/re2/wiki/Syntax), in time linear in the URL.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import re2

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.types import RuleKind, ScopeRule
from scops.common.scope.normal_form import (
    DEFAULT_PORTS,
    FILE,
    NO_PORT,
    NormalUrl,
    as_written,
    normal_form,
    other_readings,
)
from scops.common.scope.regex_head import split_regex
from scops.common.scope.rule_faults import (
    PATTERN_CHARACTERS_MAX,
    RuleFault,
    UnusablePattern,
    malformed,
)
from scops.common.scope.urls import canonical_url, page_url

PATTERNS_HELD = 4096
# Of one expression, for its program and its automaton; about 680 instructions.
EXPRESSION_BYTES_MAX = 64 * 1024

_PATTERN = re.compile(
    r"(?:(?P<scheme>https?|file)://)?(?P<below>\*\.)?"
    r"(?P<authority>\[[0-9A-Fa-f:.]+\]|[^\s/?#@\\*%:\[\]|]+)(?P<port>:[0-9]{1,5})?"
    r"(?P<rest>(?:[/?#].*)?)",
    re.IGNORECASE,
)
_WILD = re.compile(r"/\*\*/|\*\*|\*")
_UNSUPPORTED = ("invalid perl operator", "invalid escape sequence")
_WILD_MEANS = {"/**/": "/(?:.*/)?", "**": ".*", "*": "[^/]*"}


@dataclass(frozen=True, slots=True)
class PathPattern:
    """What a pattern says of path, query and route, in one spelling.

    Attributes:
        head: how every path, query and route begins that it matches.
        expression: what the whole must match; None where `head` says all.
        below: whether paths below `head` match too, and every route of theirs.
        below_route: whether `head` ends in a route, and what is below that route matches too.
        any_query: whether the path may have any query.
    """

    head: str
    expression: Any = None
    below: bool = False
    below_route: bool = False
    any_query: bool = False

    def matches(self, url: NormalUrl) -> bool:
        """Says whether path, query and route of a URL match."""
        if self.below:
            return _is_below(url.path, self.head, ("", "/"))
        if self.below_route:
            return _is_below(url.target, self.head, ("", "/", "?"))
        if self.expression is None:
            return url.target == self.head
        if self.any_query and self.expression.fullmatch(url.path) is not None:
            return True
        target = url.target
        return target.startswith(self.head) and self.expression.fullmatch(target) is not None


def _is_below(place: str, head: str, ends: tuple[str, ...]) -> bool:
    return place.startswith(head) and place[len(head) :][:1] in ends


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePattern:
    """The pattern of a rule as it is matched.

    Attributes:
        schemes: that it speaks of.
        host: literal, in lower case.
        port: None stands for the default one of either scheme.
        below: whether it names the hosts below `host` instead.
        paths: in normal form, then as servers may read it.
        written: its path, query and route as its URL would be stored; empty for expressions.
    """

    schemes: tuple[str, ...]
    host: str
    port: int | None
    below: bool
    paths: tuple[PathPattern, ...]
    written: str = ""

    def names_origin(self, url: NormalUrl) -> bool:
        """Says whether scheme and port of a URL are named; its host is not looked at."""
        port = DEFAULT_PORTS.get(url.scheme, NO_PORT) if self.port is None else self.port
        return url.port == port and url.scheme in self.schemes

    @property
    def cost(self) -> int:
        """How much time it takes at worst, in instructions a character."""
        found = (path.expression for path in self.paths)
        return sum(each.programsize for each in found if each is not None)


@lru_cache(maxsize=PATTERNS_HELD)
def read_pattern(rule: ScopeRule) -> RulePattern:
    """Returns the pattern of a rule.

    Raises:
        InvalidInput: it is empty, too long, malformed, or names no literal host.
    """
    pattern = rule.pattern
    if not pattern or len(pattern) > PATTERN_CHARACTERS_MAX or re.search(r"\s", pattern):
        raise malformed(rule, RuleFault.LENGTH)
    if rule.kind is RuleKind.UNSPECIFIED:
        raise malformed(rule, RuleFault.KIND_MISSING)
    try:
        return _of_regex(pattern) if rule.kind is RuleKind.REGEX else _of_url(rule)
    except UnusablePattern as error:
        raise malformed(rule, error.fault, error.detail) from error


def _of_url(rule: ScopeRule) -> RulePattern:
    """Raises UnusablePattern."""
    found = _PATTERN.fullmatch(rule.pattern)
    if found is None or (found["below"] and rule.kind is not RuleKind.GLOB):
        raise UnusablePattern(RuleFault.HOST_MISSING)
    scheme = (found["scheme"] or "https").lower()
    try:
        url = page_url(f"{scheme}://{found['authority']}{found['port'] or ''}{found['rest']}")
    except InvalidInput as error:
        raise UnusablePattern(RuleFault.URL_UNREADABLE, error.message) from error
    port = int(found["port"][1:]) if found["port"] else None
    if found["scheme"] and port == DEFAULT_PORTS.get(scheme):
        port = None
    normal = normal_form(url)
    readings = (normal, *(other_readings(normal) or ()))
    return RulePattern(
        schemes=(FILE,) if scheme == FILE else tuple(DEFAULT_PORTS),
        host=normal.host,
        port=port,
        below=found["below"] is not None,
        paths=tuple(
            dict.fromkeys(_path(rule, each, host_alone=not found["rest"]) for each in readings)
        ),
        written=as_written(url).target,
    )


def _path(rule: ScopeRule, url: NormalUrl, *, host_alone: bool) -> PathPattern:
    if host_alone and rule.kind is not RuleKind.PAGE:
        return PathPattern(head="", below=True)
    if rule.kind is RuleKind.GLOB:
        found = _WILD.search(url.target)
        pieces = re.split(r"(/\*\*/|\*\*|\*)", url.target)
        expression = "".join(_WILD_MEANS.get(piece) or re2.escape(piece) for piece in pieces)
        return PathPattern(
            head=url.target[: found.start()] if found else url.target,
            expression=compiled(expression),
            # What is left out is left out whatever follows its path.
            any_query=rule.exclude and not url.query,
        )
    if rule.kind is RuleKind.PREFIX and url.route:
        return PathPattern(head=url.target.rstrip("/"), below_route=True)
    if rule.kind is RuleKind.PREFIX and not url.query:
        return PathPattern(head=url.path.rstrip("/"), below=True)
    return PathPattern(head=url.target)


def _of_regex(pattern: str) -> RulePattern:
    """Raises UnusablePattern."""
    parts = split_regex(pattern)
    try:
        url = as_written(canonical_url(f"https://{parts.authority}/"))
    except InvalidInput as error:
        raise UnusablePattern(RuleFault.REGEX_HOST_UNREADABLE, error.message) from error
    # By itself: a group that closes there must have been opened there.
    compiled(parts.rest)
    port = int(parts.port) if parts.port else None
    if port is not None and {port} == {DEFAULT_PORTS[scheme] for scheme in parts.schemes}:
        port = None
    return RulePattern(
        schemes=parts.schemes,
        host=url.host,
        port=port,
        below=False,
        paths=(
            PathPattern(
                head=parts.head, expression=compiled(f"{re2.escape(parts.head)}(?:{parts.rest})")
            ),
        ),
    )


def compiled(expression: str) -> Any:
    """Returns an expression that is matched in linear time and bounded memory.

    Raises:
        UnusablePattern: it cannot be read, or is too large.
    """
    try:
        return re2.compile(expression, _options())
    except (re2.error, UnicodeEncodeError) as error:
        raise UnusablePattern(RuleFault.EXPRESSION_UNREADABLE, _why(error)) from error


@cache
def _options() -> Any:
    options = re2.Options()
    options.max_mem = EXPRESSION_BYTES_MAX
    options.dot_nl = True
    options.never_capture = True
    options.log_errors = False
    return options


def _why(error: Exception) -> str:
    said = error.args[0]
    text = said.decode("utf-8", errors="replace") if isinstance(said, bytes) else "no UTF-8"
    if text.startswith(_UNSUPPORTED):
        return f"{text[:80]}; look-around and backreferences are not supported"
    return text[:80]
