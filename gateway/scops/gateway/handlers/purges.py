"""Use cases of the PurgeService, what its owners report, and what none of them lets out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.common.access.permissions import Permission
from scops.common.access.principal import Principal
from scops.common.access.visibility import may_in_installation
from scops.common.bus.ports import Cause
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, PurgeId, ScopeId, uuid7
from scops.common.contract.messages.crawl import KnownPage
from scops.common.contract.messages.purge import (
    PurgeApplied,
    PurgeCount,
    PurgeCountsRequest,
    PurgePreviewRequest,
    PurgeSelector,
)
from scops.common.contract.messages.types import RuleKind, ScopeRule
from scops.common.observe.log import get_logger
from scops.common.query.ports import PURGE_COUNTS, PURGE_PREVIEW
from scops.common.scope.rules import check_rule
from scops.common.scope.selection import is_empty
from scops.gateway.access.installation import check_installation
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.purges.purge import Purge, start_command
from scops.gateway.requests.limits import about_field, checked_page_size
from scops.gateway.requests.request_keys import request_key

ENTROPY_BYTES = 10
# Together they fit a message, which stays under 64 KiB.
PAGES_MAX, PREFIXES_MAX, RULES_BYTES_MAX = 500, 100, 32 * 1024
REASON_CHARACTERS_MAX = 500
EXAMPLES_MAX = 20
# A purge of which nothing was heard for so long is begun anew.
SILENT = timedelta(minutes=10)
# Longer than any question takes.
ON_ITS_WAY = timedelta(minutes=5)
log = get_logger("gateway")


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeAnswer:
    """An accepted purge, or what one would drop."""

    purge: Purge | None = None
    counts: tuple[PurgeCount, ...] = ()
    example_urls: tuple[str, ...] = ()


async def purge_pages(
    ports: GatewayPorts,
    call: Call,
    *,
    page_ids: Sequence[PageId],
    url_prefixes: Sequence[str],
    scope_id: ScopeId | None,
    before_time: datetime | None,
    reason: str,
    dry_run: bool,
    request_id: str,
) -> PurgeAnswer:
    """Marks what was observed of some pages as purged, and has every owner drop it.

    From the mark on nothing of it is answered. A page may be fetched again after it: what is
    observed then is kept, unless its scope excludes the page.

    Raises:
        InvalidInput: nothing is selected, or a part of the selection cannot be used.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not purge that scope, or more than a scope.
    """
    if scope_id is None or page_ids or url_prefixes:
        check_installation(call.principal, Permission.PURGE_ANYTHING)
    selector = await _selector(ports, call, page_ids, url_prefixes, scope_id)
    now = ports.clock.now()
    _check(selector, before_time, reason, now)
    before = before_time or now
    if dry_run:
        return await _preview(ports, call, selector, before)
    principal = call.principal
    arguments = ("PurgePages", repr(selector), str(before_time), reason)
    purge = Purge(
        purge_id=PurgeId(uuid7(now, ports.random.randbytes(ENTROPY_BYTES))),
        organisation_id=principal.organisation_id,
        principal=principal.principal_id,
        selector=selector,
        scope_id=scope_id or ScopeId(""),
        before_time=before,
        reason=reason,
        created_time=now,
        sent_time=now,
    )
    key = request_key(principal, request_id, *arguments)
    accepted = await ports.purges.accept(purge, start_command(purge), key=key)
    ports.outbox_wakeup.notify()
    log.info("purge_accepted", purge_id=accepted.purge_id, principal=principal.principal_id)
    return PurgeAnswer(purge=accepted)


async def get_purge(ports: GatewayPorts, call: Call, purge_id: PurgeId) -> Purge:
    """Returns a purge as it stands.

    Raises:
        NotFound: there is no such purge, or somebody else asked for it.
    """
    found = await ports.purges.get(purge_id)
    if found is None or not _is_shown(call.principal, found):
        raise NotFound(
            f"There is no purge {purge_id}; `scops purge list` shows which there are.",
            reason="PURGE_NOT_FOUND",
            field="name",
        )
    return found


async def list_purges(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[Purge, ...], str]:
    """Returns purges, newest first, and the next token: the caller's own, or for operators all.

    There may be fewer than asked for, even none, with a token.
    """
    size, principal = checked_page_size(page_size), call.principal
    bound_to = ("ListPurges", principal.organisation_id, principal.principal_id)
    before = PurgeId(await ports.tokens.open(page_token, bound_to=bound_to))
    found = await ports.purges.newest(principal.organisation_id, before=before, limit=size + 1)
    cursor = found[size - 1].purge_id if len(found) > size else ""
    shown = tuple(one for one in found[:size] if _is_shown(principal, one))
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)


def _is_shown(principal: Principal, purge: Purge) -> bool:
    return purge.organisation_id == principal.organisation_id and (
        purge.principal == principal.principal_id
        or may_in_installation(principal, Permission.PURGE_ANYTHING)
    )


async def handle_purge_applied(
    event: PurgeApplied, cause: Cause, ports: GatewayPorts
) -> Sequence[object]:
    """Notes what an owner has dropped; the last report ends the purge."""
    await ports.purges.note(event, now=ports.clock.now())
    return ()


async def repair_purges(ports: GatewayPorts) -> None:
    """Begins purges anew of which nothing was heard for long: a message may have been lost."""
    now = ports.clock.now()
    for purge in await ports.purges.under_way():
        if now - purge.sent_time >= SILENT:
            again = replace(purge, attempt=purge.attempt + 1)
            await ports.purges.resend(again, start_command(again), now=now)
            ports.outbox_wakeup.notify()


async def standing_purges(ports: GatewayPorts) -> tuple[Purge, ...]:
    """Returns the purges whose text may still be on its way to a caller.

    A question that began before the last owner was done may bring what it had read.
    """
    return await ports.purges.under_way(ended_after=ports.clock.now() - ON_ITS_WAY)


async def check_unpurged(ports: GatewayPorts, page: KnownPage) -> None:
    """Checks that no purge that is under way covers a page.

    Raises:
        NotFound: one does, and nothing was fetched of the page since.
    """
    for purge in await ports.purges.under_way():
        if purge.covers(page.page_id, page.canonical_url, observed=page.last_fetch_time):
            raise NotFound(
                f"Page {page.canonical_url} is being purged (purge {purge.purge_id}).",
                reason="PAGE_BEING_PURGED",
                field="name",
            )


async def _selector(
    ports: GatewayPorts,
    call: Call,
    page_ids: Sequence[PageId],
    url_prefixes: Sequence[str],
    scope_id: ScopeId | None,
) -> PurgeSelector:
    rules: tuple[ScopeRule, ...] = ()
    if scope_id is not None:
        rules = (await scope_for(ports, call, scope_id, Permission.PURGE)).scope.rules
    for index, prefix in enumerate(url_prefixes):
        with about_field(f"uri_prefixes[{index}]"):
            check_rule(ScopeRule(kind=RuleKind.PREFIX, pattern=prefix))
    return PurgeSelector(page_ids=tuple(page_ids), url_prefixes=tuple(url_prefixes), rules=rules)


def _check(
    selector: PurgeSelector, before_time: datetime | None, reason: str, now: datetime
) -> None:
    if is_empty(selector) and before_time is None:
        raise InvalidInput(
            "Nothing is selected: name pages, URL prefixes, a scope or an instant.",
            reason="PURGE_EMPTY",
        )
    if before_time is not None and before_time > now:
        raise InvalidInput(
            "A purge drops what was observed; before_time lies in the future.",
            reason="PURGE_AHEAD",
            field="before_time",
        )
    rules = sum(len(rule.pattern.encode()) for rule in selector.rules)
    prefixes = sum(len(prefix.encode()) for prefix in selector.url_prefixes)
    if (
        len(selector.page_ids) > PAGES_MAX
        or len(selector.url_prefixes) > PREFIXES_MAX
        or rules + prefixes > RULES_BYTES_MAX
    ):
        raise InvalidInput(
            f"A purge names at most {PAGES_MAX} pages, {PREFIXES_MAX} prefixes and "
            f"{RULES_BYTES_MAX} bytes of rules; purge in parts, such as by prefix.",
            reason="PURGE_TOO_LARGE",
        )
    if len(reason) > REASON_CHARACTERS_MAX:
        raise InvalidInput(
            f"The reason has more than {REASON_CHARACTERS_MAX} characters.",
            reason="REASON_TOO_LONG",
            field="reason",
        )


async def _preview(
    ports: GatewayPorts, call: Call, selector: PurgeSelector, before: datetime
) -> PurgeAnswer:
    counts: Counter[str] = Counter()
    urls: list[str] = []
    after = PageId("")
    while True:
        request = PurgePreviewRequest(selector=selector, before_time=before, after_page=after)
        part = await ask(ports, PURGE_PREVIEW, request, call=call)
        kept = PurgeCountsRequest(page_ids=part.page_ids, before_time=before)
        dropped = await ask(ports, PURGE_COUNTS, kept, call=call)
        for one in (*part.counts, *dropped.counts):
            counts[one.kind] += one.count
        urls += part.urls[: EXAMPLES_MAX - len(urls)]
        after = part.next_page
        if not after:
            break
    return PurgeAnswer(
        counts=tuple(PurgeCount(kind=kind, count=count) for kind, count in counts.items()),
        example_urls=tuple(urls),
    )
