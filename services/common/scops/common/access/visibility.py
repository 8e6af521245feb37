"""What a principal may in a scope, and which scopes there are for it: decided here alone.

Gateway, retriever and explainer ask the same functions with what they hold, each at its time.
"""

from collections.abc import Iterable
from functools import reduce

from scops.common.access.permissions import (
    ANYBODY,
    BEARER,
    EVERYBODY,
    GRANTABLE,
    IN_EVERY_SCOPE,
    IN_SCOPE,
    OF_INSTALLATION,
    Permission,
    higher,
    lower,
)
from scops.common.access.principal import ANONYMOUS, Principal
from scops.common.contract.messages.types import Grant, Scope, ScopeRole

NOTHING: frozenset[Permission] = frozenset()


def role_in(principal: Principal, scope: Scope) -> ScopeRole:
    """Returns what a principal is in a scope; UNSPECIFIED where it is nothing there."""
    if not _is_reachable(principal, scope):
        return ScopeRole.UNSPECIFIED
    shared = ScopeRole.VIEWER if scope.public else ScopeRole.UNSPECIFIED
    if scope.owner in principal.subjects:
        shared = ScopeRole.OWNER
    granted = (grant.role for grant in _grants(principal, scope))
    return lower(reduce(higher, granted, shared), principal.ceiling)


def permissions_in(principal: Principal, scope: Scope) -> frozenset[Permission]:
    """Returns everything that a principal may in a scope."""
    if not _is_reachable(principal, scope):
        return NOTHING
    role = role_in(principal, scope)
    allowed = IN_SCOPE[role]
    if role is not ScopeRole.UNSPECIFIED:
        allowed |= _rights(principal, scope)
    if _is_whole(principal):
        allowed = allowed.union(*(IN_EVERY_SCOPE[one] for one in principal.roles))
    return allowed


def may(principal: Principal, permission: Permission, scope: Scope) -> bool:
    """Returns whether a principal may do something in a scope."""
    return permission in permissions_in(principal, scope)


def may_in_installation(principal: Principal, permission: Permission) -> bool:
    """Returns whether a principal may do something that belongs to no scope."""
    if principal.principal_id == ANONYMOUS:
        return permission in ANYBODY
    if not _is_whole(principal):
        return permission in BEARER
    return permission in EVERYBODY.union(*(OF_INSTALLATION[one] for one in principal.roles))


def granted_by(grant: Grant) -> frozenset[Permission]:
    """Returns what a grant gives."""
    return IN_SCOPE[grant.role] | {right for right in GRANTABLE if right.value in grant.rights}


def visible_scopes(principal: Principal, scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """Returns the scopes whose pages a principal may read, in the order given."""
    return tuple(scope for scope in scopes if may(principal, Permission.ASK, scope))


def _is_whole(principal: Principal) -> bool:
    """Returns whether a credential is for all that its bearer may.

    One that is for less carries no role of the installation.
    """
    return principal.ceiling is ScopeRole.OWNER and principal.limited_to is None


def _is_reachable(principal: Principal, scope: Scope) -> bool:
    return (
        scope.organisation_id == principal.organisation_id
        and principal.principal_id != ANONYMOUS
        and not scope.deleted
        and (principal.limited_to is None or scope.scope_id in principal.limited_to)
    )


def _grants(principal: Principal, scope: Scope) -> tuple[Grant, ...]:
    if not scope.grants:
        return ()
    subjects = principal.subjects
    return tuple(grant for grant in scope.grants if grant.subject in subjects)


def _rights(principal: Principal, scope: Scope) -> frozenset[Permission]:
    """Returns the rights that grants name beside their role, as far as the credential goes."""
    if principal.ceiling is not ScopeRole.OWNER:
        return NOTHING
    named = {right for grant in _grants(principal, scope) for right in grant.rights}
    return frozenset(right for right in GRANTABLE if right.value in named)
