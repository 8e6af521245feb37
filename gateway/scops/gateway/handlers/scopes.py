"""Use cases of the ScopeService."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from scops.common.access.permissions import Permission
from scops.common.access.principal import Principal
from scops.common.access.visibility import may
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import ScopeUseRequest, ScopeUseResponse
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.query.ports import SCOPE_USE
from scops.common.scope.rules import matching_rule
from scops.common.scope.urls import routed_url
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import (
    change_scope,
    check_held,
    check_permission,
    scope_for,
    seen_by,
)
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import about_field, checked_page_size
from scops.gateway.requests.names import checked_scope_id
from scops.gateway.requests.request_keys import request_key
from scops.gateway.scopes.revisions import ScopeChange
from scops.gateway.scopes.scope_check import check_crawlable, checked_scope
from scops.gateway.scopes.stored_scope import (
    StoredScope,
    masked_fields,
    needed_for,
    new_scope,
    own_rules,
    ref_of,
    with_fields,
)

# Hand-picked pages that one call adds.
PAGES_ADDED_MAX = 100


async def create_scope(
    ports: GatewayPorts, call: Call, *, scope_id: str, wanted: Scope, request_id: str
) -> StoredScope:
    """Creates a scope owned by the caller.

    Raises:
        InvalidInput: the id, a rule, a seed or a limit cannot be used.
        AlreadyExists: the id is taken.
        QuotaReached: the caller would own more than each may.
    """
    principal = call.principal
    new_id = checked_scope_id(scope_id)
    key = request_key(principal, request_id, "CreateScope", new_id, repr(wanted))
    scope = new_scope(
        new_id,
        wanted,
        organisation_id=principal.organisation_id,
        owner=principal.principal_id,
    )
    now = ports.clock.now()
    checked = checked_scope(scope)
    check_crawlable(ports.hosts, checked)
    await check_held(ports, checked)
    stored = StoredScope(scope=checked, created_time=now, updated_time=now)
    made = ScopeChange(principal=principal.principal_id, reason="created")
    created = await ports.scopes.create(stored, key=key, now=now, change=made)
    ports.projection_wakeup.notify()
    return seen_by(principal, created)


async def get_scope(ports: GatewayPorts, call: Call, scope_id: ScopeId) -> StoredScope:
    """Returns a scope that the caller may see, with what they are in it.

    Raises:
        NotFound: there is none, or it is hidden.
    """
    stored = await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)
    return seen_by(call.principal, stored)


async def get_scope_use(ports: GatewayPorts, call: Call, scope_id: ScopeId) -> ScopeUseResponse:
    """Returns what a scope has used today of what a browser may show for it.

    Raises:
        NotFound: there is no such scope, or it is hidden.
        TransientError: the fetcher does not answer.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)).scope
    return await ask(ports, SCOPE_USE, ScopeUseRequest(scope=ref_of(scope)), call=call)


async def list_scopes(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[StoredScope, ...], str]:
    """Returns some of the scopes that the caller may see, by id, and the next token."""
    size = checked_page_size(page_size)
    bound_to = ("ListScopes", call.principal.organisation_id, call.principal.principal_id)
    after = await ports.tokens.open(page_token, bound_to=bound_to)
    rest = [
        stored
        for stored in await ports.scopes.all(call.principal.organisation_id)
        if stored.scope.scope_id > after
        and may(call.principal, Permission.VIEW_SCOPE, stored.scope)
    ]
    shown = tuple(seen_by(call.principal, stored) for stored in rest[:size])
    cursor = shown[-1].scope.scope_id if len(rest) > size else ""
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)


async def update_scope(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    wanted: Scope,
    mask: Sequence[str],
    etag: str,
    reason: str = "",
) -> StoredScope:
    """Changes the fields that the mask names; an update that changes nothing has no revision.

    Raises:
        InvalidInput: the mask or the changed scope cannot be used.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not change all of these fields.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    names = masked_fields(mask, wanted)

    def change(scope: Scope) -> Scope:
        changed = checked_scope(with_fields(scope, wanted, names))
        check_crawlable(ports.hosts, changed, scope)
        return permitted(call.principal, scope, changed)

    return await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag=etag,
        permission=Permission.VIEW_SCOPE,
        change=change,
        reason=reason,
    )


async def add_pages(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, uris: Sequence[str], reason: str
) -> StoredScope:
    """Adds hand-picked pages to a scope; those that it holds already change nothing.

    Raises:
        InvalidInput: none or too many are given, or one is no URL.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not add pages to it.
        Conflict: others keep changing the scope.
    """
    if not 1 <= len(uris) <= PAGES_ADDED_MAX:
        raise InvalidInput(
            f"{len(uris)} pages are given; name 1 to {PAGES_ADDED_MAX} at once.",
            reason="PAGES_ADDED_COUNT",
            field="uris",
        )
    picked = []
    for index, uri in enumerate(uris):
        with about_field(f"uris[{index}]"):
            picked.append(ScopeRule(kind=RuleKind.PAGE, pattern=routed_url(uri)))
            ports.hosts.check(picked[-1].pattern, field=f"uris[{index}]")

    def change(scope: Scope) -> Scope:
        fresh = tuple(rule for rule in picked if matching_rule(scope.rules, rule.pattern) is None)
        if not fresh:
            return scope
        wanted = replace(scope, rules=tuple(dict.fromkeys((*own_rules(scope), *fresh))))
        return checked_scope(with_fields(scope, wanted, ("rules",)))

    return await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag="",
        permission=Permission.ADD_PAGES,
        change=change,
        reason=reason,
    )


async def delete_scope(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, etag: str, reason: str = ""
) -> None:
    """Removes a scope and cancels its open jobs; pages and history stay.

    Raises:
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not delete it.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag=etag,
        permission=Permission.DELETE_SCOPE,
        change=partial(replace, deleted=True),
        reason=reason,
    )


def permitted(principal: Principal, before: Scope, after: Scope) -> Scope:
    """Returns a changed scope whose caller may change every field in which it differs.

    Raises:
        NotPermitted: they may not.
    """
    for permission in sorted(needed_for(before, after)):
        check_permission(principal, permission, before)
    return after
