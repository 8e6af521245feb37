"""Which scopes a call may see, and how a change of one is stored: asked by every use case."""

from collections.abc import Callable, Collection
from dataclasses import replace

from scops.common.access.permissions import Permission
from scops.common.access.principal import Principal
from scops.common.access.visibility import may, permissions_in, role_in, visible_scopes
from scops.common.contract.errors import Conflict, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.gateway.calls import Call
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.names import scope_name
from scops.gateway.scopes.revisions import ScopeChange, check_reason
from scops.gateway.scopes.stored_scope import StoredScope, check_etag, next_revision

# Attempts of an update without etag that others overtake.
UPDATE_ATTEMPTS_MAX = 5


async def scope_for(
    ports: GatewayPorts, call: Call, scope_id: ScopeId, permission: Permission
) -> StoredScope:
    """Returns a scope in which the caller may do something.

    Raises:
        NotFound: there is none, or it is hidden.
        NotPermitted: the caller sees it, and may not do this.
    """
    stored = await ports.scopes.get(call.principal.organisation_id, scope_id)
    if stored is None or not may(call.principal, Permission.VIEW_SCOPE, stored.scope):
        raise scope_not_found(scope_id)
    check_permission(call.principal, permission, stored.scope)
    return stored


def check_permission(principal: Principal, permission: Permission, scope: Scope) -> None:
    """Checks that the caller may do something in a scope that it may see.

    Raises:
        NotPermitted: it may not.
    """
    if not may(principal, permission, scope):
        name, role = scope_name(scope.scope_id), role_in(principal, scope)
        raise NotPermitted(
            f"In {name} you are {'nothing' if role == 'unspecified' else role}, which does not "
            f"give {permission}. Ask {scope.owner}, its owner, to share it with that right, or "
            "create a scope of your own.",
            reason="PERMISSION_MISSING",
            resource=name,
            permission=permission.value,
        )


async def all_visible(ports: GatewayPorts, call: Call) -> tuple[Scope, ...]:
    """Returns every scope whose pages the caller may read, by id, in its newest revision."""
    stored = await ports.scopes.all(call.principal.organisation_id)
    return visible_scopes(call.principal, (item.scope for item in stored))


async def visible_among(
    ports: GatewayPorts, call: Call, scope_ids: Collection[ScopeId]
) -> tuple[Scope, ...]:
    """Returns those of some scopes whose pages the caller may read, by id, newest revisions."""
    stored = await ports.scopes.some(call.principal.organisation_id, scope_ids)
    return visible_scopes(call.principal, (item.scope for item in stored))


def seen_by(principal: Principal, stored: StoredScope) -> StoredScope:
    """Returns a scope as its caller is shown it: with their role, and whom else it is shared with.

    The second is for those who may share it.
    """
    scope = stored.scope
    if Permission.SHARE not in permissions_in(principal, scope):
        scope = replace(scope, grants=())
    return replace(stored, scope=scope, role=role_in(principal, stored.scope))


async def change_scope(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    etag: str,
    permission: Permission,
    change: Callable[[Scope], Scope],
    reason: str = "",
) -> StoredScope:
    """Stores the caller's change of a scope as its next revision; no change has none.

    Args:
        permission: what the caller needs at least; `change` may check for more.

    Raises:
        InvalidInput: the reason is too long, or as `change` raised it.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not change it so.
        QuotaReached: its owner would own more than each may.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    made = ScopeChange(principal=call.principal.principal_id, reason=check_reason(reason))
    for _ in range(UPDATE_ATTEMPTS_MAX):
        stored = await scope_for(ports, call, scope_id, permission)
        check_etag(stored, etag)
        changed = change(stored.scope)
        if changed == stored.scope:
            return seen_by(call.principal, stored)
        await check_held(ports, changed)
        updated = replace(stored, scope=next_revision(changed), updated_time=ports.clock.now())
        expected = stored.scope.revision
        if await ports.scopes.replace(updated, expected_revision=expected, change=made):
            ports.projection_wakeup.notify()
            ports.outbox_wakeup.notify()
            return seen_by(call.principal, updated)
    raise Conflict(
        f"{scope_name(scope_id)} was changed by others each time this change was tried. "
        "Read it again, then repeat the change.",
        reason="SCOPE_CHANGED",
        resource=scope_name(scope_id),
    )


async def check_held(ports: GatewayPorts, scope: Scope) -> None:
    """Checks that a scope's owner has room for it as it is to be.

    Raises:
        QuotaReached: they would own more than each may.
    """
    if ports.held_quotas.bounds_anybody:
        standing = await ports.scopes.all(scope.organisation_id)
        ports.held_quotas.check(scope, (one.scope for one in standing))


def scope_not_found(scope_id: ScopeId, field: str = "name") -> NotFound:
    """Returns the error for a scope that is absent or hidden: the caller cannot tell."""
    return NotFound(
        f"Scope {scope_id} was not found, or you may not see it. List the scopes to see which "
        "there are.",
        reason="SCOPE_NOT_FOUND",
        field=field,
        resource=scope_name(ScopeId(scope_id)),
    )
