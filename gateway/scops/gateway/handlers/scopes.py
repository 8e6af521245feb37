"""Use cases of the ScopeService."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from scops.common.contract.errors import Conflict, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope, ScopeRule
from scops.common.scope.rules import in_scope
from scops.gateway.access.known_pages import holding_scopes, host_prefixes
from scops.gateway.access.principal import may_change, may_see, visible_scopes
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import known_batches
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.requests.names import checked_scope_id, scope_name
from scops.gateway.requests.request_keys import request_key
from scops.gateway.scopes.scope_check import checked_rules, checked_scope
from scops.gateway.scopes.stored_scope import (
    StoredScope,
    check_etag,
    masked_fields,
    new_scope,
    next_revision,
    with_fields,
)

# Attempts of an update without etag that others overtake.
UPDATE_ATTEMPTS_MAX = 5
# Of each kind in a preview.
EXAMPLES_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePreview:
    """How many known pages some rules match."""

    matched_count: int = 0
    known_count: int = 0
    matched_examples: tuple[str, ...] = ()
    unmatched_examples: tuple[str, ...] = ()
    truncated: bool = False


async def create_scope(
    ports: GatewayPorts, call: Call, *, scope_id: str, wanted: Scope, request_id: str
) -> StoredScope:
    """Creates a scope owned by the caller.

    Raises:
        InvalidInput: the id, a rule, a seed or a limit cannot be used.
        AlreadyExists: the id is taken.
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
    stored = StoredScope(scope=checked, created_time=now, updated_time=now)
    created = await ports.scopes.create(stored, key=key, now=now)
    ports.projection_wakeup.notify()
    return created


async def get_scope(ports: GatewayPorts, call: Call, scope_id: ScopeId) -> StoredScope:
    """Returns a scope that the caller may see.

    Raises:
        NotFound: there is none, or it is hidden.
    """
    stored = await ports.scopes.get(call.principal.organisation_id, scope_id)
    if stored is None or not may_see(call.principal, stored.scope):
        raise scope_not_found(scope_id)
    return stored


async def owned_scope(ports: GatewayPorts, call: Call, scope_id: ScopeId) -> StoredScope:
    """Returns a scope that the caller may change.

    Raises:
        NotFound: there is none, or it is hidden.
        NotPermitted: somebody else owns it.
    """
    stored = await get_scope(ports, call, scope_id)
    if not may_change(call.principal, stored.scope):
        raise NotPermitted(
            f"{scope_name(scope_id)} belongs to {stored.scope.owner}; only its owner may change "
            "or crawl it. Ask them, or create a scope of your own.",
            reason="SCOPE_NOT_OWNED",
            resource=scope_name(scope_id),
        )
    return stored


async def all_visible(ports: GatewayPorts, call: Call) -> tuple[Scope, ...]:
    """Returns every scope that the caller may see, by id, in its newest revision."""
    stored = await ports.scopes.all(call.principal.organisation_id)
    return visible_scopes(call.principal, (item.scope for item in stored))


async def visible_among(
    ports: GatewayPorts, call: Call, scope_ids: Collection[ScopeId]
) -> tuple[Scope, ...]:
    """Returns those of some scopes that the caller may see, by id, in their newest revision."""
    stored = await ports.scopes.some(call.principal.organisation_id, scope_ids)
    return visible_scopes(call.principal, (item.scope for item in stored))


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
        if stored.scope.scope_id > after and may_see(call.principal, stored.scope)
    ]
    shown = tuple(rest[:size])
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
) -> StoredScope:
    """Changes the fields that the mask names; an update that changes nothing has no revision.

    Raises:
        InvalidInput: the mask or the changed scope cannot be used.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: somebody else owns it.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    names = masked_fields(mask, wanted)

    def changed(scope: Scope) -> Scope:
        return checked_scope(with_fields(scope, wanted, names))

    return await _store(ports, call, scope_id, etag, changed)


async def delete_scope(ports: GatewayPorts, call: Call, *, scope_id: ScopeId, etag: str) -> None:
    """Removes a scope and cancels its open jobs; pages and history stay.

    Raises:
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: somebody else owns it.
        Conflict: the etag is not the stored one, or others keep changing the scope.
    """
    await _store(ports, call, scope_id, etag, partial(replace, deleted=True))


async def preview_scope(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId | None, rules: Sequence[ScopeRule]
) -> RulePreview:
    """Counts the known pages that some rules match, among the pages of visible scopes.

    Args:
        scope_id: takes the rules of a stored scope when `rules` is empty.
    """
    visible = await all_visible(ports, call)
    if not rules and scope_id is not None:
        rules = (await get_scope(ports, call, scope_id)).scope.rules
    tried = Scope(rules=checked_rules(rules, field="rules"))
    matched: list[str] = []
    unmatched: list[str] = []
    truncated = False
    async for batch in known_batches(ports, call, prefixes=host_prefixes(tried.rules)):
        for page in batch.pages:
            if holding_scopes(page, visible):
                side = matched if in_scope(tried, page.canonical_url) else unmatched
                side.append(page.canonical_url)
        truncated = bool(batch.next_token)
    return RulePreview(
        matched_count=len(matched),
        known_count=len(matched) + len(unmatched),
        matched_examples=tuple(matched[:EXAMPLES_MAX]),
        unmatched_examples=tuple(unmatched[:EXAMPLES_MAX]),
        truncated=truncated,
    )


def scope_not_found(scope_id: str, field: str = "name") -> NotFound:
    """Returns the error for a scope that is absent or hidden: the caller cannot tell."""
    return NotFound(
        f"Scope {scope_id} was not found, or you may not see it. List the scopes to see which "
        "there are.",
        reason="SCOPE_NOT_FOUND",
        field=field,
        resource=scope_name(ScopeId(scope_id)),
    )


async def _store(
    ports: GatewayPorts,
    call: Call,
    scope_id: ScopeId,
    etag: str,
    change: Callable[[Scope], Scope],
) -> StoredScope:
    """Stores the caller's change of a scope as its next revision; no change has none."""
    for _ in range(UPDATE_ATTEMPTS_MAX):
        stored = await owned_scope(ports, call, scope_id)
        check_etag(stored, etag)
        changed = change(stored.scope)
        if changed == stored.scope:
            return stored
        updated = replace(stored, scope=next_revision(changed), updated_time=ports.clock.now())
        if await ports.scopes.replace(updated, expected_revision=stored.scope.revision):
            ports.projection_wakeup.notify()
            ports.outbox_wakeup.notify()
            return updated
    raise Conflict(
        f"{scope_name(scope_id)} was changed by others each time this change was tried. "
        "Read it again, then repeat the change.",
        reason="SCOPE_CHANGED",
        resource=scope_name(scope_id),
    )
