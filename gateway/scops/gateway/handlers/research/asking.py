"""Use cases of the ResearchService: a run is begun, read, watched, cancelled and deleted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import ScopeId, uuid7
from scops.common.contract.messages.explanation import AnswerResponse
from scops.common.contract.messages.types import Scope
from scops.common.scope.urls import routed_url
from scops.gateway.calls import Call
from scops.gateway.handlers.chats.keeping import create_chat
from scops.gateway.handlers.chats.reading import get_turn
from scops.gateway.handlers.research.dropping import drop_due, is_changed
from scops.gateway.handlers.research.own_scope import checked_hosts, own_scope
from scops.gateway.handlers.scope_access import scope_for, scope_not_found, visible_among
from scops.gateway.handlers.watching import Look
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import about_field, checked_page_size, checked_query
from scops.gateway.requests.names import scope_name, scope_of
from scops.gateway.requests.request_keys import request_key
from scops.gateway.research.keeping import HELD
from scops.gateway.research.research import (
    BYTES_MAX,
    KEEP_DAYS_MAX,
    PAGES_DEFAULT,
    PAGES_MAX,
    SECONDS_DEFAULT,
    SECONDS_MAX,
    Research,
    ResearchBudget,
    ResearchId,
)
from scops.gateway.research.store import ResearchFilter
from scops.gateway.scopes.scope_check import check_inside, check_range
from scops.gateway.watches.watch import WatchBounds

ENTROPY_BYTES = 10
# Of one owner.
OPEN_MAX = 20
ASKED_MAX = 20
TITLE_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedResearch:
    """A run as a caller wants it.

    Attributes:
        question: as it was put.
        uri: that it starts from; empty where a scope is named.
        scope: name of the scope that its pages are fetched for; empty has one made of the host of
            the URL, the same for each run of the caller there.
        scopes: names of further scopes that are asked.
        hosts: that its own scope reaches to beside that of the URL; none where a scope is named,
            whose rules say how far it reaches.
        pages, seconds, bytes: that it may spend; 0 takes the default, which for bytes is no bound.
        keep_days: that its own scope is kept after its end; None for good.
    """

    question: str
    uri: str = ""
    scope: str = ""
    scopes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    pages: int = 0
    seconds: int = 0
    bytes: int = 0
    keep_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchWithAnswer:
    """A run with its answer as the caller may read it; None where there is none yet.

    Attributes:
        kept_until: when its own scope is deleted; None while it goes on, or where that is kept.
    """

    run: Research
    answer: AnswerResponse | None = None
    withheld_statements: int = 0
    kept_until: datetime | None = None


async def create_research(
    ports: GatewayPorts, call: Call, *, wanted: WantedResearch, request_id: str
) -> ResearchWithAnswer:
    """Begins a run.

    Raises:
        InvalidInput: question, URL, scope, hosts or budget cannot be used.
        NotFound: a scope is absent or hidden.
        NotPermitted: the caller may not have pages fetched in the scope.
        QuotaReached: as many runs of the caller go on as may.
    """
    question = checked_query(wanted.question)
    budget = _checked_budget(wanted)
    url = _checked_url(ports, wanted)
    hosts = _checked_hosts(ports, wanted, url)
    _check_keep_days(wanted)
    scope = await _scope(ports, call, wanted, url, hosts)
    if url:
        check_inside(scope, url, field="research.uri")
    asked = await _asked(ports, call, wanted)
    key = request_key(call.principal, request_id, "CreateResearch", repr(wanted))
    chat = await create_chat(ports, call, title=question[:TITLE_CHARACTERS])
    now, principal = ports.clock.now(), call.principal
    run = Research(
        research_id=ResearchId(uuid7(now, ports.random.randbytes(ENTROPY_BYTES))),
        organisation_id=principal.organisation_id,
        principal_id=principal.principal_id,
        bounds=WatchBounds(
            key_id=call.key.key_id if call.key is not None else "",
            limited_to=principal.limited_to,
            ceiling=principal.ceiling,
        ),
        question=question,
        start_url=url,
        hosts=hosts,
        scope_id=scope.scope_id,
        asked=asked,
        chat_id=chat.chat_id,
        budget=budget,
        created_time=now,
        keep_days=wanted.keep_days,
    )
    kept = None
    try:
        kept = await ports.research.create(run, key=key, open_max=OPEN_MAX, is_own=not wanted.scope)
    finally:
        if kept is None or kept.research_id != run.research_id:
            await ports.chats.delete(chat.chat_id)
    ports.research_wakeup.notify()
    return await _with_answer(ports, call, kept)


async def get_research(
    ports: GatewayPorts, call: Call, research_id: ResearchId
) -> ResearchWithAnswer:
    """Returns a run of the caller, with its answer once there is one.

    Raises:
        NotFound: there is no such run, or it is somebody else's.
    """
    return await _with_answer(ports, call, await own_research(ports, call, research_id))


async def list_researches(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[ResearchWithAnswer, ...], str]:
    """Returns the caller's runs without their answers, newest first, and the next token."""
    principal, size = call.principal, checked_page_size(page_size)
    bound_to = ("ListResearches", principal.organisation_id, principal.principal_id)
    wanted = ResearchFilter(
        organisation_id=principal.organisation_id,
        principal_id=principal.principal_id,
        before=await ports.tokens.open(page_token, bound_to=bound_to),
    )
    found = await ports.research.newest(wanted, limit=size + 1)
    cursor = found[size - 1].research_id if len(found) > size else ""
    kept = await _kept_until(ports, call, found[:size])
    shown = tuple(
        ResearchWithAnswer(run=run, kept_until=kept.get(run.research_id)) for run in found[:size]
    )
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)


async def cancel_research(
    ports: GatewayPorts, call: Call, research_id: ResearchId
) -> ResearchWithAnswer:
    """Ends a run; what it has fetched stays. One that has ended stays as it is.

    Raises:
        NotFound: there is no such run, or it is somebody else's.
    """
    await own_research(ports, call, research_id)
    await ports.research.cancel(research_id, now=ports.clock.now())
    await drop_due(ports)
    return await get_research(ports, call, research_id)


async def delete_research(ports: GatewayPorts, call: Call, research_id: ResearchId) -> None:
    """Deletes a run; its scope and the chat of its answer stay.

    Raises:
        NotFound: there is no such run, or it is somebody else's.
    """
    await own_research(ports, call, research_id)
    await ports.research.delete(research_id)


async def watch_research(
    ports: GatewayPorts, call: Call, told: Research | None, *, research_id: ResearchId
) -> Look:
    """Looks at a run; one that has ended comes with its answer, and is the last.

    Args:
        told: the run as the caller knows it.

    Raises:
        NotFound: there is no such run, or it is somebody else's.
    """
    run = await own_research(ports, call, research_id)
    if run == told:
        return Look(parts=(), told=run)
    seen = await _with_answer(ports, call, run)
    return Look(parts=(seen,), told=run, is_over=not run.is_open)


async def own_research(ports: GatewayPorts, call: Call, research_id: ResearchId) -> Research:
    """Returns a run of the caller.

    Raises:
        NotFound: there is no such run, or it is somebody else's.
    """
    run, principal = await ports.research.get(research_id), call.principal
    mine = (principal.organisation_id, principal.principal_id)
    if run is None or (run.organisation_id, run.principal_id) != mine:
        raise NotFound(
            f"researches/{research_id} was not found, or it is somebody else's. List the "
            "researches to see which there are.",
            reason="RESEARCH_NOT_FOUND",
            field="name",
            resource=f"researches/{research_id}",
        )
    return run


async def _with_answer(ports: GatewayPorts, call: Call, run: Research) -> ResearchWithAnswer:
    kept_until = (await _kept_until(ports, call, (run,))).get(run.research_id)
    seen = ResearchWithAnswer(run=run, kept_until=kept_until)
    if not run.turn:
        return seen
    try:
        turn = await get_turn(ports, call, chat_id=run.chat_id, number=run.turn, share="")
    except NotFound:
        # Its owner has deleted the chat.
        return seen
    return replace(seen, answer=turn.answer, withheld_statements=turn.withheld_statements)


async def _kept_until(
    ports: GatewayPorts, call: Call, runs: Sequence[Research]
) -> dict[ResearchId, datetime]:
    """Returns when the scopes of runs that have ended are deleted, where they are."""
    organisation_id = call.principal.organisation_id
    bounded = {run.scope_id for run in runs if run.keep_days is not None and not run.is_open}
    if not bounded:
        return {}
    due = await ports.research.keepings(organisation_id, bounded)
    stored = await ports.scopes.some(organisation_id, due)
    standing = {one.scope.scope_id for one in stored if not is_changed(one)}
    return {
        run.research_id: due[run.scope_id].due_time
        for run in runs
        if run.scope_id in bounded & standing and run.dropped_time is None
    }


def _check_keep_days(wanted: WantedResearch) -> None:
    if wanted.keep_days is None:
        return
    if wanted.scope:
        raise InvalidInput(
            "A scope that is named is kept as its owner says. Leave out keep_days, or scope.",
            reason="KEEP_DAYS_WITH_SCOPE",
            field="research.keep_days",
        )
    check_range("research.keep_days", wanted.keep_days, KEEP_DAYS_MAX)


def _checked_hosts(ports: GatewayPorts, wanted: WantedResearch, url: str) -> tuple[str, ...]:
    if wanted.hosts and (wanted.scope or not url):
        raise InvalidInput(
            "Hosts are named beside a URL to start from (uri), and without a scope: the rules of a "
            "scope say how far it reaches. Leave out hosts, or scope.",
            reason="HOSTS_WITH_SCOPE",
            field="research.hosts",
        )
    return checked_hosts(ports, wanted.hosts, url=url) if wanted.hosts else ()


async def _scope(
    ports: GatewayPorts, call: Call, wanted: WantedResearch, url: str, hosts: tuple[str, ...]
) -> Scope:
    if wanted.scope:
        scope_id = scope_of(wanted.scope, "research.scope")
        until = ports.clock.now() + HELD
        await ports.research.hold(call.principal.organisation_id, scope_id, until=until)
        return (await scope_for(ports, call, scope_id, Permission.REVALIDATE)).scope
    if not url:
        raise InvalidInput(
            "Name a URL to start from (uri), or a scope in which to look further (scope).",
            reason="FIELD_MISSING",
            field="research.uri",
        )
    return await own_scope(ports, call, url=url, hosts=hosts, keep_days=wanted.keep_days)


async def _asked(ports: GatewayPorts, call: Call, wanted: WantedResearch) -> tuple[ScopeId, ...]:
    if len(wanted.scopes) > ASKED_MAX:
        raise InvalidInput(
            f"The research names {len(wanted.scopes)} further scopes; at most {ASKED_MAX} are "
            "asked.",
            reason="TOO_MANY_SCOPES",
            field="research.scopes",
        )
    ids = [scope_of(name, "research.scopes") for name in dict.fromkeys(wanted.scopes)]
    seen = {scope.scope_id for scope in await visible_among(ports, call, ids)}
    for scope_id in ids:
        if scope_id not in seen:
            raise scope_not_found(scope_id, "research.scopes")
    return tuple(ids)


def _checked_url(ports: GatewayPorts, wanted: WantedResearch) -> str:
    if not wanted.uri:
        return ""
    with about_field("research.uri"):
        url = routed_url(wanted.uri)
    ports.hosts.check(url, field="research.uri")
    return url


def _checked_budget(wanted: WantedResearch) -> ResearchBudget:
    check_range("research.budget.pages", wanted.pages, PAGES_MAX)
    check_range("research.budget.seconds", wanted.seconds, SECONDS_MAX)
    check_range("research.budget.bytes", wanted.bytes, BYTES_MAX)
    return ResearchBudget(
        pages=wanted.pages or PAGES_DEFAULT,
        seconds=wanted.seconds or SECONDS_DEFAULT,
        bytes=wanted.bytes,
    )


def asked_names(run: Research) -> tuple[str, ...]:
    """Returns the names of the scopes that a run asks."""
    return tuple(scope_name(one) for one in dict.fromkeys((run.scope_id, *run.asked)))
