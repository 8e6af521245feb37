"""Use cases about the versions of a scope's pages: what changed, and chunking them anew."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.common.access.permissions import Permission
from scops.common.access.visibility import may
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import (
    ChangeRule,
    HostMask,
    NewsPlace,
    NewsRequest,
    PageChange,
    PinRequest,
    PinResponse,
    RechunkRequest,
    RechunkResponse,
    TemplateBlock,
    TemplatesRequest,
    TemplatesResponse,
    VolatileRequest,
    VolatileResponse,
    WhatChangedRequest,
    WhatChangedResponse,
)
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import NEWS, PIN, RECHUNK, TEMPLATES, VOLATILE, WHAT_CHANGED
from scops.common.scope.contexts import fetched_in, holds
from scops.common.scope.rules import in_scope
from scops.gateway.calls import Call
from scops.gateway.handlers.pages import get_page
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import check_permission, scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.scopes.stored_scope import ref_of

# How far back changes are told in order, and questions for those of one page.
NEWS_KEPT = timedelta(days=30)
QUESTIONS_MAX = 10


async def what_changed(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    since: datetime | None,
    rule: ChangeRule,
    page_size: int,
) -> WhatChangedResponse:
    """Returns what changed on a scope's pages between an instant and now, heaviest first.

    Each page is matched by the scope's rules and access contexts once more before it leaves.

    Raises:
        InvalidInput: no instant is given.
        NotFound: there is no such scope, or it is hidden.
    """
    if since is None:
        raise InvalidInput(
            "Name the instant to compare with.", reason="SINCE_NOT_GIVEN", field="since"
        )
    scope = (await scope_for(ports, call, scope_id, Permission.ASK)).scope
    request = WhatChangedRequest(
        scope=ref_of(scope),
        since=since,
        rule=rule,
        limit=checked_page_size(page_size) if page_size else 0,
    )
    found = await ask(ports, WHAT_CHANGED, request, call=call)
    inside = tuple(
        page
        for page in found.changes
        if holds(scope, page.canonical_url, fetched_in(page.access_context))
    )
    return replace(found, changes=inside)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChanges:
    """What changed on a page, newest first; `truncated` where there are later changes."""

    changes: tuple[PageChange, ...]
    truncated: bool


async def list_page_changes(
    ports: GatewayPorts,
    call: Call,
    *,
    page_id: PageId,
    since: datetime | None,
    rule: ChangeRule,
) -> PageChanges:
    """Returns what changed on a page as it was recorded, each time against the version before.

    A change that was told stays what it is, whatever comes after it.

    Raises:
        NotFound: there is no such page, or no scope that the caller may read holds it.
    """
    scope = (await get_page(ports, call, page_id=page_id)).scopes[0]
    changes: list[PageChange] = []
    place, more = NewsPlace(recorded_time=since or ports.clock.now() - NEWS_KEPT), False
    for _ in range(QUESTIONS_MAX):
        request = NewsRequest(scope=ref_of(scope), after=place, rule=rule, page_id=page_id)
        found = await ask(ports, NEWS, request, call=call)
        changes += [
            change
            for change in found.changes
            if change.page_id == page_id
            and holds(scope, change.canonical_url, fetched_in(change.access_context))
        ]
        place, more = found.next, found.more
        if not more:
            break
    return PageChanges(changes=tuple(reversed(changes)), truncated=more)


async def rechunk_pages(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, dry_run: bool
) -> RechunkResponse:
    """Has the standing versions of a scope's pages chunked anew; no news of the pages.

    Raises:
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not have it chunked anew.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.RECHUNK)).scope
    request = RechunkRequest(scope=ref_of(scope), dry_run=dry_run)
    return await ask(ports, RECHUNK, request, call=call)


async def pin_version(
    ports: GatewayPorts,
    call: Call,
    *,
    page_id: PageId,
    version: str,
    days: int,
    note: str,
    unpin: bool,
) -> PinResponse:
    """Keeps a version of a page whatever its age, or lets go of it.

    Raises:
        InvalidInput: days or note cannot be used.
        NotFound: there is no such page or version, or no visible scope holds the page.
        NotPermitted: in none of the scopes that hold the page the caller may pin.
    """
    page = await get_page(ports, call, page_id=page_id)
    if not any(may(call.principal, Permission.PIN, scope) for scope in page.scopes):
        check_permission(call.principal, Permission.PIN, page.scopes[0])
    request = PinRequest(page_id=page_id, version=version, days=days, note=note, unpin=unpin)
    return await ask(ports, PIN, request, call=call)


async def list_volatile_blocks(
    ports: GatewayPorts, call: Call, *, page_id: PageId
) -> VolatileResponse:
    """Returns the blocks of a page whose changes are no news, by the page's own history.

    Raises:
        NotFound: there is no such page, or no visible scope holds it.
    """
    await get_page(ports, call, page_id=page_id)
    return await ask(ports, VOLATILE, VolatileRequest(page_id=page_id), call=call)


async def set_volatile_block(
    ports: GatewayPorts, call: Call, *, page_id: PageId, block: str, loud: bool
) -> VolatileResponse:
    """Has the changes of a volatile block be news whatever its history, or judged by it again.

    Raises:
        InvalidInput: no block is named.
        NotFound: there is no such page or block, or no visible scope holds the page.
        NotPermitted: in none of the scopes that hold the page the caller may say what counts.
    """
    if not block:
        raise InvalidInput("Name the block.", reason="BLOCK_NOT_GIVEN", field="block")
    page = await get_page(ports, call, page_id=page_id)
    if not any(may(call.principal, Permission.CHANGE_RULES, scope) for scope in page.scopes):
        check_permission(call.principal, Permission.CHANGE_RULES, page.scopes[0])
    request = VolatileRequest(page_id=page_id, block=block, loud=loud)
    return await ask(ports, VOLATILE, request, call=call)


async def list_templates(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId | None, page_id: PageId | None
) -> TemplatesResponse:
    """Returns what the hosts of a scope repeat, or what a page leaves out of its chunks.

    Of a host, only blocks that stand on a page of the scope leave.

    Raises:
        InvalidInput: neither or both are named.
        NotFound: there is no such scope or page, or it is hidden.
    """
    if (scope_id is None) == (page_id is None):
        raise InvalidInput(
            "Name a scope or a page, one of them.", reason="SCOPE_OR_PAGE", field="scope"
        )
    if page_id is not None:
        await get_page(ports, call, page_id=page_id)
        return await ask(ports, TEMPLATES, TemplatesRequest(page_id=page_id), call=call)
    assert scope_id is not None, "a scope is named where no page is"
    scope = (await scope_for(ports, call, scope_id, Permission.ASK)).scope
    found = await ask(ports, TEMPLATES, TemplatesRequest(scope=ref_of(scope)), call=call)
    hosts = (replace(host, blocks=_blocks_inside(scope, host)) for host in found.hosts)
    return replace(found, hosts=tuple(host for host in hosts if host.blocks))


def _blocks_inside(scope: Scope, host: HostMask) -> tuple[TemplateBlock, ...]:
    return tuple(
        block for block in host.blocks if block.keeper_url and in_scope(scope, block.keeper_url)
    )
