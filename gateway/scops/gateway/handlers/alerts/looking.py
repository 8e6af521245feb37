"""What a watch has to tell of the news between two places: asked for its owner as they are then.

So what they may not see any more, or what was purged, is not told, and the texts are those that
are kept. Between the same two places lies the same at each attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from scops.common.access.permissions import Permission
from scops.common.access.principal import Principal
from scops.common.contract.messages.change import NewsPlace, NewsRequest
from scops.common.contract.messages.crawl import PagePlanRequest
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import NEWS, PAGE_PLAN
from scops.common.scope.contexts import fetched_in, holds
from scops.gateway.access.known_pages import holding_scopes
from scops.gateway.calls import Call
from scops.gateway.handlers.pages import get_page
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.scopes.stored_scope import ref_of
from scops.gateway.watches.condition import Alert, counted, rule_of
from scops.gateway.watches.watch import News, PageFailure, Watch

QUESTION_SECONDS = 20.0
# Changes from which on a message is full, and questions for one; what is behind is the next's.
ALERTS_MAX, QUESTIONS_MAX = 30, 10
# Failures to fetch that one look goes through; what is behind is the next one's.
FAILURES_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsSeen:
    """What lies behind a place.

    Attributes:
        alerts: what the watch tells of it, in the order in which it was recorded.
        until: behind everything that was looked at.
        more: there is more behind that.
    """

    alerts: tuple[Alert, ...]
    until: NewsPlace
    more: bool


async def look(
    ports: GatewayPorts,
    watch: Watch,
    owner: Principal,
    *,
    after: NewsPlace,
    until: NewsPlace | None = None,
) -> NewsSeen:
    """Returns what a watch tells of the news between two places.

    Args:
        until: None looks as far as a message goes.

    Raises:
        NotFound: there is no such scope or page, or its owner may not see it.
        NotPermitted: its owner may see the scope, and not read its pages.
        TransientError: a service does not answer.
    """
    call = Call(
        principal=owner,
        deadline=ports.clock.now() + timedelta(seconds=QUESTION_SECONDS),
        request_id=watch.watch_id,
    )
    scope = await readable_scope(ports, call, watch)
    failures, cut = await _failures(ports, watch, after=after, until=until)
    bound = cut or until
    alerts: list[Alert] = []
    place, more = after, False
    for _ in range(QUESTIONS_MAX):
        request = NewsRequest(
            scope=ref_of(scope),
            after=place,
            rule=rule_of(watch.condition),
            page_id=watch.page_id,
            until=bound,
        )
        found = await ask(ports, NEWS, request, call=call)
        alerts += [
            alert
            for change in found.changes
            if holds(scope, change.canonical_url, fetched_in(change.access_context))
            and watch.page_id in ("", change.page_id)
            and (alert := counted(watch.condition, change)) is not None
        ]
        place, more = found.next, found.more
        if not more or (until is None and len(alerts) >= ALERTS_MAX):
            break
    reached = [one for one in failures if one.recorded_time <= place.recorded_time]
    alerts += await _errors(ports, call, scope, reached)
    return NewsSeen(alerts=tuple(alerts), until=place, more=more or cut is not None)


async def readable_scope(ports: GatewayPorts, call: Call, watch: Watch) -> Scope:
    """Returns the scope of a watch, or one that its owner may read and that holds its page.

    Raises:
        NotFound: there is none, or it is hidden.
        NotPermitted: its owner may see it, and not read its pages.
    """
    if watch.scope_id:
        return (await scope_for(ports, call, watch.scope_id, Permission.ASK)).scope
    return (await get_page(ports, call, page_id=watch.page_id)).scopes[0]


async def _failures(
    ports: GatewayPorts, watch: Watch, *, after: NewsPlace, until: NewsPlace | None
) -> tuple[Sequence[PageFailure], NewsPlace | None]:
    """Returns the first failures behind a place, and where they end if there are more of them."""
    if not watch.condition.wants(News.ERROR):
        return (), None
    found = await ports.alerts.store.failures(
        watch.organisation_id,
        after=after.recorded_time,
        until=until.recorded_time if until else ports.clock.now(),
        page_id=watch.page_id or None,
        limit=FAILURES_MAX + 1,
    )
    if len(found) <= FAILURES_MAX:
        return found, None
    cut = NewsPlace(recorded_time=found[FAILURES_MAX - 1].recorded_time)
    return found[:FAILURES_MAX], cut


async def _errors(
    ports: GatewayPorts, call: Call, scope: Scope, failures: Sequence[PageFailure]
) -> list[Alert]:
    alerts = []
    for failure in failures:
        plan = await ask(ports, PAGE_PLAN, PagePlanRequest(page_id=failure.page_id), call=call)
        if plan.page is not None and holding_scopes(plan.page, (scope,)):
            alerts.append(
                Alert(
                    news=News.ERROR,
                    page_id=failure.page_id,
                    url=plan.page.canonical_url,
                    observed_time=failure.failed_time,
                    failure=failure.detail,
                )
            )
    return alerts
