"""Answers News: the changes of a scope's pages in the order in which they were recorded."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from scops.change_detector.handlers.queries import INSTANT
from scops.change_detector.handlers.what_changed import counted_change
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.reading.news import PageBetween, rule_of
from scops.change_detector.strategies.port import VOLATILE
from scops.change_detector.timeline.records import PageNewsPlace
from scops.common.contract.messages.change import (
    ChangeRule,
    NewestNewsRequest,
    NewestNewsResponse,
    NewsPlace,
    NewsRequest,
    NewsResponse,
    PageNews,
)
from scops.common.contract.messages.types import Scope
from scops.common.scope.contexts import holds

# Changes that are looked through for one answer, and those of the scope among them that are
# compared: a reply holds 512 KiB.
LOOKED_THROUGH_MAX, PAGES_MAX = 500, 20
# By then what was recorded is committed, by whichever replica, and clocks agree so far.
SETTLED = timedelta(seconds=2)


async def answer_news(request: NewsRequest, ports: ChangeDetectorPorts) -> NewsResponse:
    """Returns what changed on a scope's pages behind a place, each against the version before.

    Raises:
        NotYetKnown: the scope's revision has not arrived yet.
    """
    scope = ports.scopes.get(request.scope)
    rule = rule_of(scope, request.rule)
    until = _until(request, ports.clock.now())
    found = await ports.addresses.news_after(
        scope.organisation_id,
        request.after,
        until=until,
        page_id=request.page_id or None,
        limit=LOOKED_THROUGH_MAX + 1,
    )
    looked_at, more = _first_of_scope(scope, found)
    changes = []
    for news in looked_at:
        page = await _between(news, ports) if _is_inside(scope, news) else None
        if page is None or page.returned or _was_silent(page, news, rule):
            continue
        memory = None
        if news.since is not None:
            memory = (await ports.memories.read(page.page_id)).memory
        changes.append(await counted_change(page, rule, ports, settled=memory))
    return NewsResponse(
        changes=tuple(change for change in changes if change is not None),
        next=looked_at[-1].place if more else until,
        more=more,
    )


async def answer_newest_news(
    request: NewestNewsRequest, ports: ChangeDetectorPorts
) -> NewestNewsResponse:
    """Returns when an organisation's last change was recorded."""
    newest = await ports.addresses.newest_news(request.organisation_id)
    return NewestNewsResponse(recorded_time=newest)


def _until(request: NewsRequest, now: datetime) -> NewsPlace:
    """Returns the last place that is told of, never before the one that is asked behind."""
    settled = now - SETTLED
    if request.until is not None and request.until.recorded_time <= settled:
        return request.until
    return NewsPlace(recorded_time=max(settled, request.after.recorded_time))


def _first_of_scope(
    scope: Scope, found: Sequence[PageNewsPlace]
) -> tuple[Sequence[PageNewsPlace], bool]:
    """Returns what is looked at for one answer, and whether there is more."""
    inside = 0
    for number, news in enumerate(found[:LOOKED_THROUGH_MAX]):
        inside += _is_inside(scope, news)
        if inside > PAGES_MAX:
            return found[:number], True
    return found[:LOOKED_THROUGH_MAX], len(found) > LOOKED_THROUGH_MAX


def _is_inside(scope: Scope, news: PageNewsPlace) -> bool:
    return holds(scope, news.address.canonical_url, news.address.access_context)


async def _between(news: PageNewsPlace, ports: ChangeDetectorPorts) -> PageBetween | None:
    """Returns a page before and in a run; None where nothing is kept to tell."""
    address, opened = news.address, news.observed_from
    then = await ports.histories.standing(address.page_id, at=news.since or opened - INSTANT)
    now = await ports.histories.standing(address.page_id, at=opened)
    standing = now or then
    if standing is None or standing.dropped_time is not None:
        return None
    if news.since is not None and then is None:
        # What readers knew is purged.
        return None
    return PageBetween(
        page_id=address.page_id,
        organisation_id=address.organisation_id,
        canonical_url=address.canonical_url,
        access_context=address.access_context,
        then=then,
        now=standing,
        closed_time=opened if now is None else None,
    )


def _was_silent(page: PageBetween, news: PageNewsPlace, rule: ChangeRule) -> bool:
    """What was no news when it came is none later, but for what is told because it has settled."""
    summary = page.now.summary
    return (
        news.since is None
        and page.news is PageNews.CHANGED
        and VOLATILE in summary.reasons
        and not summary.semantic
        and not rule.with_noise
    )
