"""Compiles scopes to a filter over exact tokens, which a store applies before it ranks.

The filter may let in more than the rules do (a glob narrows to its literal prefix) and never
less; what leaves the system is judged once more by `rules.matching_rule`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import RuleKind, Scope

PUBLIC = "public"
WILD = re.compile(r"\*")
REGEX_HEAD = re.compile(r"\^?https?\??://((?:[\w\-:/]|\\[./\-_])*)")


@dataclass(frozen=True, slots=True)
class ScopeClause:
    """One scope as tokens: a chunk passes with any `include` token and no `exclude` token.

    Attributes:
        include: tokens of `urls.url_prefixes`; never empty.
        exclude: tokens that keep a chunk out.
        access_contexts: what the scope may read; never empty.
    """

    scope_id: ScopeId
    include: frozenset[str]
    exclude: frozenset[str]
    access_contexts: frozenset[str]

    def __post_init__(self) -> None:
        if not self.include or not self.access_contexts:
            raise InvalidInput("A scope without rules filters nothing.", reason="EMPTY_FILTER")

    def admits(self, prefixes: Iterable[str], access_context: str) -> bool:
        """Returns whether a chunk with these tokens passes."""
        tokens = frozenset(prefixes)
        return (
            access_context in self.access_contexts
            and not tokens.isdisjoint(self.include)
            and tokens.isdisjoint(self.exclude)
        )


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """Some scopes as clauses; a chunk passes when any clause admits it. Cannot be empty."""

    clauses: tuple[ScopeClause, ...]

    def __post_init__(self) -> None:
        if not self.clauses:
            raise InvalidInput("A query needs at least one scope.", reason="EMPTY_FILTER")

    def admits(self, prefixes: Iterable[str], access_context: str) -> bool:
        """Returns whether a chunk with these tokens passes."""
        tokens = tuple(prefixes)
        return any(clause.admits(tokens, access_context) for clause in self.clauses)


def compile_filter(scopes: Sequence[Scope]) -> ScopeFilter:
    """Compiles scopes to a filter.

    Raises:
        InvalidInput: no scope, or only deleted ones.
    """
    return ScopeFilter(tuple(_clause(scope) for scope in scopes if not scope.deleted))


def _clause(scope: Scope) -> ScopeClause:
    include = {_token(rule.kind, rule.pattern) for rule in scope.rules if not rule.exclude}
    exclude = {
        _exact(rule.pattern)
        for rule in scope.rules
        # A page's own token would keep out the pages below it, and a glob's prefix far more:
        # both are left to the rule function.
        if rule.exclude and rule.kind is RuleKind.PREFIX
    }
    return ScopeClause(
        scope_id=scope.scope_id,
        include=frozenset(include),
        exclude=frozenset(exclude),
        access_contexts=frozenset({PUBLIC}),
    )


def _token(kind: RuleKind, pattern: str) -> str:
    if kind is RuleKind.GLOB:
        return _glob_token(re.sub(r"^https?://", "", pattern))
    if kind is RuleKind.REGEX:
        return _regex_token(pattern)
    return _exact(pattern)


def _exact(pattern: str) -> str:
    """Returns the token of a prefix or page: a path's trailing slash is not part of it."""
    bare = re.sub(r"^https?://", "", pattern).split("#", 1)[0]
    return bare.rstrip("/") if "?" not in bare else bare


def _glob_token(pattern: str) -> str:
    if pattern.startswith("*."):
        return pattern.split("/", 1)[0]
    found = WILD.search(pattern)
    if found is None:
        return _exact(pattern)
    head = pattern[: found.start()]
    return _up_to_segment(head)


def _regex_token(pattern: str) -> str:
    found = REGEX_HEAD.match(pattern)
    assert found is not None, "check_rule has seen the literal host"
    literal = found.group(1)
    # A quantifier behind the literal belongs to its last character.
    if pattern[found.end() : found.end() + 1] in ("?", "*", "{"):
        literal = literal[:-1]
    return _up_to_segment(re.sub(r"\\(.)", r"\1", literal))


def _up_to_segment(literal: str) -> str:
    """Returns the part before the last slash and before any query: a whole token."""
    path = literal.split("?", 1)[0]
    return path.rsplit("/", 1)[0] if "/" in path else path
