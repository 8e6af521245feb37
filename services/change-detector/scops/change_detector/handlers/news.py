"""Answers News: the changes of a scope's pages in the order in which they were recorded."""

from datetime import timedelta

from scops.change_detector.handlers.queries import INSTANT
from scops.change_detector.handlers.what_changed import counted_change
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.reading.news import PageBetween, rule_of
from scops.change_detector.timeline.records import PageNewsPlace
from scops.common.contract.messages.change import NewsPlace, NewsRequest, NewsResponse
from scops.common.scope.contexts import holds

# Pages that are looked at for one answer; their texts may have to be compared.
PAGES_MAX = 20
# By then what was recorded is committed, by whichever replica, and clocks agree so far.
SETTLED = timedelta(seconds=2)


async def answer_news(request: NewsRequest, ports: ChangeDetectorPorts) -> NewsResponse:
    """Returns what changed on a scope's pages behind a place, each against the version before.

    Raises:
        NotYetKnown: the scope's revision has not arrived yet.
    """
    scope = ports.scopes.get(request.scope)
    rule = rule_of(scope, request.rule)
    until = ports.clock.now() - SETTLED
    found = await ports.addresses.news_after(
        scope.organisation_id, request.after, until=until, limit=PAGES_MAX + 1
    )
    looked_at, more = found[:PAGES_MAX], len(found) > PAGES_MAX
    changes = []
    for news in looked_at:
        if not holds(scope, news.address.canonical_url, news.address.access_context):
            continue
        page = await _between(news, ports)
        if page is not None and not page.returned:
            changes.append(await counted_change(page, rule, ports))
    everything = NewsPlace(recorded_time=max(until, request.after.recorded_time))
    return NewsResponse(
        changes=tuple(change for change in changes if change is not None),
        next=looked_at[-1].place if more else everything,
        more=more,
    )


async def _between(news: PageNewsPlace, ports: ChangeDetectorPorts) -> PageBetween | None:
    """Returns a page before and in a run; None where nothing is kept to tell."""
    address, opened = news.address, news.observed_from
    then = await ports.histories.standing(address.page_id, at=opened - INSTANT)
    now = await ports.histories.standing(address.page_id, at=opened)
    standing = now or then
    if standing is None or standing.dropped_time is not None:
        return None
    return PageBetween(
        page_id=address.page_id,
        organisation_id=address.organisation_id,
        canonical_url=address.canonical_url,
        access_context=address.access_context,
        then=then,
        now=standing,
        closed_time=opened if now is None else None,
        appearances=await ports.histories.appearances(address.page_id, standing.text_digest),
    )
