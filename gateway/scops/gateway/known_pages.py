"""Which known pages a caller may see, and where to look for those of a scope."""

from collections.abc import Sequence

from scops.common.messages.crawl import KnownPage
from scops.common.messages.types import Scope, ScopeRule
from scops.common.scope.filter import PUBLIC, compile_filter
from scops.common.scope.rules import in_scope


def holding_scopes(page: KnownPage, scopes: Sequence[Scope]) -> tuple[Scope, ...]:
    """Returns the scopes that hold a page, in the order given.

    A page that was fetched with a credential is held by none: no scope has one yet.
    """
    if page.access_context != PUBLIC:
        return ()
    return tuple(scope for scope in scopes if in_scope(scope, page.canonical_url))


def host_prefixes(rules: Sequence[ScopeRule]) -> tuple[str, ...]:
    """Returns the hosts that rules speak of, or nothing when they speak of any subdomain.

    They narrow what the fetcher is asked for; the rule function decides about each page.
    """
    clause = compile_filter([Scope(rules=tuple(rules))]).clauses[0]
    hosts = {token.split("/", 1)[0] for token in clause.include}
    return () if any(host.startswith("*.") for host in hosts) else tuple(sorted(hosts))
