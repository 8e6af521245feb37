"""Who calls, and which scopes they may see and change: the one place that decides."""

from collections.abc import Iterable
from dataclasses import dataclass

from scops.common.contract.messages.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A caller. Identity comes later; until then everybody is `local`."""

    principal_id: str
    organisation_id: str


def local_principal(organisation_id: str) -> Principal:
    """Returns the caller of an installation without identity."""
    return Principal(principal_id="local", organisation_id=organisation_id)


def may_see(principal: Principal, scope: Scope) -> bool:
    """Returns whether a scope exists for the caller: public ones and their own."""
    return (
        scope.organisation_id == principal.organisation_id
        and not scope.deleted
        and (scope.public or scope.owner == principal.principal_id)
    )


def may_change(principal: Principal, scope: Scope) -> bool:
    """Returns whether the caller may change, crawl or remove a scope: the owner."""
    return may_see(principal, scope) and scope.owner == principal.principal_id


def visible_scopes(principal: Principal, scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """Returns the scopes that exist for the caller, in the order given."""
    return tuple(scope for scope in scopes if may_see(principal, scope))
