"""Which known pages a caller may see, and where to look for those of a scope."""

from collections.abc import Sequence

from scops.common.contract.messages.crawl import KnownPage
from scops.common.contract.messages.types import Scope, ScopeRule
from scops.common.scope.contexts import holds
from scops.common.scope.filter import compile_filter


def holding_scopes(page: KnownPage, scopes: Sequence[Scope]) -> tuple[Scope, ...]:
    """Returns the scopes that hold a page, in the order given."""
    return tuple(scope for scope in scopes if holds(scope, page.canonical_url, page.access_context))


def rule_prefixes(rules: Sequence[ScopeRule]) -> tuple[str, ...]:
    """Returns the literal beginnings of including rules, as tokens of `urls.url_prefixes`.

    They narrow what the fetcher is asked for; the rule function decides about each page.
    """
    return tuple(sorted(compile_filter([Scope(rules=tuple(rules))]).clauses[0].include))


def host_prefixes(rules: Sequence[ScopeRule]) -> tuple[str, ...]:
    """Returns the hosts that including rules speak of, with what lies beside the rules."""
    return tuple(sorted({token.split("/", 1)[0] for token in rule_prefixes(rules)}))
