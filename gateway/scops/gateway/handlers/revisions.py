"""Use cases of a scope's history: what it was, and back to it."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.access.permissions import Permission
from scops.common.access.visibility import may
from scops.common.contract.errors import NotFound
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.gateway.calls import Call
from scops.gateway.handlers.scope_access import change_scope, scope_for
from scops.gateway.handlers.scopes import permitted
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.requests.names import scope_name
from scops.gateway.scopes.revisions import ScopeRevision
from scops.gateway.scopes.scope_check import checked_scope
from scops.gateway.scopes.stored_scope import SETTABLE, StoredScope, with_fields


async def list_revisions(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, page_size: int, page_token: str
) -> tuple[tuple[ScopeRevision, ...], str]:
    """Returns revisions of a scope, newest first, and the next token.

    Raises:
        NotFound: there is no such scope, or it is hidden.
    """
    stored = await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)
    size, principal = checked_page_size(page_size), call.principal
    bound_to = ("Revisions", principal.organisation_id, principal.principal_id, scope_id)
    cursor = await ports.tokens.open(page_token, bound_to=bound_to)
    before = int(cursor) if cursor else stored.scope.revision + 1
    found = await ports.scopes.revisions(
        principal.organisation_id, scope_id, before=before, limit=size + 1
    )
    cursor = str(found[size - 1].scope.revision) if len(found) > size else ""
    shown = _shown(call, stored, found[:size])
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)


async def revert_scope(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, revision: int, etag: str, reason: str
) -> StoredScope:
    """Makes rules and limits of an earlier revision those of a new one; owner and grants stay.

    Raises:
        NotFound: there is no such scope or revision, or the scope is hidden.
        NotPermitted: the caller may not change it so.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    stored = await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)
    # Beyond the newest may be more than a database counts.
    before = min(revision, stored.scope.revision) + 1
    found = await ports.scopes.revisions(
        call.principal.organisation_id, scope_id, before=max(before, 0), limit=1
    )
    if not found or found[0].scope.revision != revision:
        raise NotFound(
            f"{scope_name(scope_id)} has no revision {revision} that is kept. List its revisions.",
            reason="REVISION_NOT_FOUND",
            field="revision",
        )
    earlier = found[0].scope

    def change(scope: Scope) -> Scope:
        changed = checked_scope(with_fields(scope, earlier, tuple(SETTABLE)))
        return permitted(call.principal, scope, changed)

    return await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag=etag,
        permission=Permission.CHANGE_RULES,
        change=change,
        reason=reason or f"back to revision {revision}",
    )


def _shown(
    call: Call, stored: StoredScope, found: Sequence[ScopeRevision]
) -> tuple[ScopeRevision, ...]:
    """Returns revisions without whom the scope was shared with, unless the caller may share it."""
    if may(call.principal, Permission.SHARE, stored.scope):
        return tuple(found)
    return tuple(
        replace(
            one,
            scope=replace(one.scope, grants=()),
            before=replace(one.before, grants=()) if one.before is not None else None,
        )
        for one in found
    )
