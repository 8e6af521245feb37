"""Which access contexts a scope holds: the one judge of whether it may see how a page was fetched.

A page belongs to a scope when the scope's rules match its URL and the scope holds the access
context that it was fetched in. A page of two contexts is two pages, with a history each.
"""

from scops.common.contract.messages.types import Scope, ScopeRule
from scops.common.scope.rules import in_scope, matching_rule

PUBLIC = "public"
# What a scope's readers captured for it; the rest is drawn, once a scope.
_CAPTURES = "captures-"
# What was fetched with a credential of a scope; the rest is drawn, once a scope and origin.
_CREDENTIAL = "credential-"


def access_contexts(scope: Scope) -> frozenset[str]:
    """Returns what a scope may read: what is public, was captured, or its credentials fetched.

    A name that is empty stands for nothing: a page without a context belongs to nobody.
    """
    fetched = (credential.access_context for credential in scope.credentials)
    return frozenset({PUBLIC, *scope.access_contexts, *fetched}) - {""}


def capture_context(drawn: str) -> str:
    """Returns the context of what is captured for one scope, by a word that was drawn for it."""
    return f"{_CAPTURES}{drawn}"


def credential_context(drawn: str) -> str:
    """Returns the context of what a credential fetches, by a word that was drawn for it."""
    return f"{_CREDENTIAL}{drawn}"


def is_credential_context(access_context: str) -> bool:
    """Returns whether pages of a context are fetched with a credential, and never without."""
    return access_context.startswith(_CREDENTIAL)


def is_capture_context(access_context: str) -> bool:
    """Returns whether a context is that of a scope's captures."""
    return access_context.startswith(_CAPTURES)


def fetched_in(named: str) -> str:
    """Returns the access context of what a role or an evidence bundle shows.

    Roles of version 0.1.0 name none, and know nothing that is not public.
    """
    return named or PUBLIC


def holding_rule(scope: Scope, url: str, access_context: str) -> ScopeRule | None:
    """Returns the rule by which a scope holds a page; None where it does not."""
    if access_context not in access_contexts(scope):
        return None
    return matching_rule(scope.rules, url)


def holds(scope: Scope, url: str, access_context: str) -> bool:
    """Returns whether a page belongs to a scope; a deleted scope holds nothing."""
    return access_context in access_contexts(scope) and in_scope(scope, url)
