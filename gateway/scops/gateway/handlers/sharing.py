"""Use cases of sharing: grants, a new owner, a scope made from another."""

from functools import partial

from scops.common.access.permissions import Permission
from scops.common.access.principal import Principal
from scops.common.access.visibility import granted_by, may
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Grant, Scope
from scops.gateway.access.installation import check_installation
from scops.gateway.calls import Call
from scops.gateway.handlers.scope_access import change_scope, check_permission, scope_for
from scops.gateway.handlers.scopes import create_scope
from scops.gateway.ports import GatewayPorts
from scops.gateway.scopes.grants import checked_grant, checked_subject, with_grant, with_owner
from scops.gateway.scopes.stored_scope import StoredScope, forked


async def share_scope(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, grant: Grant, etag: str
) -> StoredScope:
    """Gives somebody a role in a scope, changes it, or takes it back.

    Raises:
        InvalidInput: the grant names nobody, or what cannot be granted.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not share it, or not give so much.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    checked = checked_grant(grant)

    def change(scope: Scope) -> Scope:
        before = next((one for one in scope.grants if one.subject == checked.subject), Grant())
        for one in (before, checked):
            _check_not_above(call.principal, scope, one)
        return with_grant(scope, checked)

    return await change_scope(
        ports, call, scope_id=scope_id, etag=etag, permission=Permission.SHARE, change=change
    )


def _check_not_above(principal: Principal, scope: Scope, grant: Grant) -> None:
    """Checks that a caller gives or takes back nothing that they may not do themselves.

    Raises:
        NotPermitted: it is more.
    """
    if may(principal, Permission.TRANSFER, scope):
        # Its owner, and administrators, who may make themselves its owner.
        return
    for permission in sorted(granted_by(grant)):
        check_permission(principal, permission, scope)


async def transfer_scope(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, owner: str, etag: str
) -> StoredScope:
    """Makes somebody else the owner; the owner before becomes an editor.

    Raises:
        InvalidInput: the new owner is nobody.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller neither owns it nor administers the installation.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    change = partial(with_owner, owner=checked_subject(owner, field="owner", groups=False))
    return await change_scope(
        ports, call, scope_id=scope_id, etag=etag, permission=Permission.TRANSFER, change=change
    )


async def fork_scope(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    new_id: str,
    display_name: str,
    request_id: str,
) -> StoredScope:
    """Creates a scope of the caller's own, with rules and limits of another, shared with nobody.

    Raises:
        InvalidInput: the id cannot be used.
        NotFound: there is no such scope, or it is hidden.
        AlreadyExists: the id is taken.
        NotPermitted: the caller may make no scopes.
    """
    check_installation(call.principal, Permission.CREATE_SCOPE)
    source = (await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)).scope
    wanted = forked(source, display_name=display_name)
    return await create_scope(ports, call, scope_id=new_id, wanted=wanted, request_id=request_id)
