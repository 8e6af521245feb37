"""Use cases of streams that last: each looks once, and says what is new since the look before.

Whoever carries the stream looks again and again, each time as a call of its own: who calls and
what they may do is known anew, so that what is taken back ends a stream.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId, PageId, ScopeId
from scops.common.contract.messages.change import ChangeRule, NewsPlace, NewsRequest, PageChange
from scops.common.query.ports import NEWS
from scops.common.scope.contexts import fetched_in, holds
from scops.gateway.calls import Call
from scops.gateway.handlers.jobs import JobWithOutcomes, get_job, visible_job
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.jobs.job import OPEN_STATES, Job
from scops.gateway.ports import GatewayPorts
from scops.gateway.scopes.stored_scope import ref_of

# After so long without news a stream says how far it is.
QUIET = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a look saw.

    Attributes:
        parts: of the stream, in order.
        told: what the next look is told of this one.
        is_over: whether there is nothing more to see.
        has_more: whether there is more to see at once.
    """

    parts: tuple[Any, ...]
    told: Any
    is_over: bool = False
    has_more: bool = False


async def watch_job(ports: GatewayPorts, call: Call, told: Job | None, *, job_id: JobId) -> Look:
    """Looks at a job; one that has ended comes with the outcome of each page, and is the last.

    Args:
        told: the job as the caller knows it.

    Raises:
        NotFound: there is no such job, or it is hidden.
    """
    job = await visible_job(ports, call, job_id)
    if job.state not in OPEN_STATES:
        ended = await get_job(ports, call, job_id)
        return Look(parts=(ended,), told=job, is_over=True)
    is_news = told is None or _shown(told) != _shown(job)
    return Look(parts=(JobWithOutcomes(job=job),) if is_news else (), told=job)


def _shown(job: Job) -> tuple[object, ...]:
    return job.state, job.counts, job.cancel_reason


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChanges:
    """Changes as they were recorded, and from where a later stream goes on."""

    changes: tuple[PageChange, ...]
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToldUntil:
    """Up to where changes were told, and when anything was last."""

    place: NewsPlace
    time: datetime


async def watch_changes(
    ports: GatewayPorts,
    call: Call,
    told: _ToldUntil | None,
    *,
    scope_id: ScopeId,
    since: datetime | None,
    cursor: str,
    rule: ChangeRule,
) -> Look:
    """Looks at what was recorded of a scope's pages since the look before.

    Each page is matched by the scope's rules and access contexts once more before it leaves. The
    first look tells where it begins, and now and then one tells how far it is.

    Raises:
        InvalidInput: the cursor was not given for this caller and scope.
        NotFound: there is no such scope, or it is hidden.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.ASK)).scope
    principal, now = call.principal, ports.clock.now()
    bound_to = ("WatchChanges", principal.organisation_id, principal.principal_id, scope_id)
    if told is not None:
        after = told.place
    elif cursor:
        after = _place_of(await _opened(ports, cursor, bound_to))
    else:
        after = NewsPlace(recorded_time=since or now)
    request = NewsRequest(scope=ref_of(scope), after=after, rule=rule)
    found = await ask(ports, NEWS, request, call=call)
    inside = tuple(
        page
        for page in found.changes
        if holds(scope, page.canonical_url, fetched_in(page.access_context))
    )
    is_due = told is None or now - told.time >= QUIET
    parts: tuple[NewChanges, ...] = ()
    if inside or is_due:
        sealed = await ports.tokens.seal(_text_of(found.next), bound_to=bound_to)
        parts = (NewChanges(changes=inside, cursor=sealed),)
    last = now if parts or told is None else told.time
    return Look(parts=parts, told=_ToldUntil(place=found.next, time=last), has_more=found.more)


async def _opened(ports: GatewayPorts, cursor: str, bound_to: Sequence[str]) -> str:
    try:
        return await ports.tokens.open(cursor, bound_to=bound_to)
    except InvalidInput as error:
        raise InvalidInput(
            "The cursor was not given for this scope and caller. Begin without it, or with "
            "`since`.",
            reason="CURSOR_INVALID",
            field="cursor",
        ) from error


def _text_of(place: NewsPlace) -> str:
    return f"{place.recorded_time.isoformat()} {place.page_id}"


def _place_of(text: str) -> NewsPlace:
    """Returns the place of a cursor, which nobody but us has written."""
    time, _, page_id = text.partition(" ")
    return NewsPlace(recorded_time=datetime.fromisoformat(time), page_id=PageId(page_id))
