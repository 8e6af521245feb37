"""Compiles scopes to a filter over exact tokens, which a store applies before it ranks.

The filter may let in more than the rules do (a glob narrows to its literal prefix) and never
less; what leaves the system is judged once more by `rules.matching_rule`. Both see a pattern as
`patterns.read_pattern` reads it, and a URL in its normal form.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.contexts import access_contexts
from scops.common.scope.held import HeldByRules
from scops.common.scope.normal_form import DEFAULT_PORTS, FILE
from scops.common.scope.patterns import PathPattern, RulePattern, read_pattern

# A token that no page has: of a scope whose rules admit nothing.
NOTHING = frozenset({"!"})


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
    include, exclude = _narrowed.of(scope.rules)
    return ScopeClause(
        scope_id=scope.scope_id,
        include=include,
        exclude=exclude,
        access_contexts=access_contexts(scope),
    )


def _narrow(rules: tuple[ScopeRule, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the tokens that rules include and exclude."""
    include: set[str] = set()
    exclude: set[str] = set()
    for rule in rules:
        try:
            pattern = read_pattern(rule)
        except InvalidInput:
            if rule.exclude:
                # The rule function lets nothing in then.
                return NOTHING, frozenset()
            continue
        if not rule.exclude:
            include |= _tokens(pattern)
        elif rule.kind is RuleKind.PREFIX and _is_below(pattern.paths[0]):
            # A page's own token would keep out the pages below it, and a glob's prefix far more:
            # both are left to the rule function.
            exclude.add(f"{_authority(pattern)}{pattern.paths[0].head}")
    return frozenset(include) or NOTHING, frozenset(exclude)


_narrowed = HeldByRules(_narrow)


def _tokens(pattern: RulePattern) -> set[str]:
    """Returns tokens of which every page has one that the pattern matches."""
    authorities = {_authority(pattern)}
    if pattern.port in DEFAULT_PORTS.values():
        # The port is not named in URLs of the scheme that it belongs to.
        authorities.add(pattern.host)
    if pattern.below:
        return {f"*.{authority}" for authority in authorities}
    path = pattern.paths[0]
    heads = {_token(path, path.head)}
    if path.expression is None and not path.below:
        # Objects that an earlier spelling was stored with, until the indexer has replaced it.
        heads.add(_token(path, pattern.written))
    elif path.below:
        heads.add(pattern.written.rstrip("/"))
    return {f"{authority}{head}" for authority in authorities for head in heads}


def _is_below(path: PathPattern) -> bool:
    return path.below or path.below_route


def _token(path: PathPattern, head: str) -> str:
    if path.expression is not None:
        # The part before the last slash and before any query or route: whole segments.
        return re.split(r"[?#]", head, maxsplit=1)[0].rpartition("/")[0]
    # A path's trailing slash is not part of its token.
    return head if "?" in head else head.rstrip("/")


def _authority(pattern: RulePattern) -> str:
    if pattern.schemes == (FILE,):
        return f"{FILE}:{pattern.host}"
    return pattern.host if pattern.port is None else f"{pattern.host}:{pattern.port}"
