"""Answers WhatChanged: the pages of a scope whose texts differ from then, heaviest first."""

from dataclasses import replace

from scops.change_detector.manifests.apart import worked_apart
from scops.change_detector.manifests.bodies import load_version
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.reading.comparing import count_edits
from scops.change_detector.reading.news import PageBetween, rule_of
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.records import PageAddress
from scops.change_detector.timeline.runs import NO_VERSION
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.change import (
    ChangeRule,
    PageChange,
    PageMemory,
    PageNews,
    TextEdit,
    WhatChangedRequest,
    WhatChangedResponse,
)
from scops.common.contract.messages.types import ChangeSummary
from scops.common.processes.tasks import TaskFailed
from scops.common.scope.contexts import holds

# A page that went takes something away; of a new one, many readers have heard otherwise.
WHOLE_PAGE_WEIGHT = {PageNews.CLOSED: 1.0, PageNews.ADDED: 0.5, PageNews.CHANGED: 0.5}

# Pages in an answer whose caller sets no limit, and at most: a reply holds 512 KiB.
PAGES, PAGES_MAX = 20, 100
# Pages that are looked at, newest changes first.
CANDIDATES_MAX = 500


async def answer_what_changed(
    request: WhatChangedRequest, ports: ChangeDetectorPorts
) -> WhatChangedResponse:
    """Returns what changed on a scope's pages between an instant and now.

    Raises:
        InvalidInput: the limit is negative.
        NotYetKnown: the scope's revision has not arrived yet.
    """
    if request.limit < 0:
        raise InvalidInput(f"The limit is {request.limit}; give 0 or a positive number.")
    limit = min(request.limit or PAGES, PAGES_MAX)
    rule = rule_of(ports.scopes.get(request.scope), request.rule)
    pages, more = await _pages(request, ports)
    differing = [page for page in pages if not page.returned]
    changes: list[PageChange] = []
    suppressed = 0
    for page in sorted(differing, key=lambda page: page.weight, reverse=True):
        if len(changes) == limit:
            more = True
            break
        change = await counted_change(page, rule, ports)
        if change is None:
            suppressed += 1
        else:
            changes.append(change)
    return WhatChangedResponse(
        changes=tuple(sorted(changes, key=_weight, reverse=True)),
        suppressed=suppressed,
        returned=len(pages) - len(differing),
        truncated=more,
    )


def _weight(change: PageChange) -> tuple[float, float]:
    salience = change.summary.salience if change.summary else WHOLE_PAGE_WEIGHT[change.news]
    return salience, change.observed_time.timestamp()


async def _pages(
    request: WhatChangedRequest, ports: ChangeDetectorPorts
) -> tuple[list[PageBetween], bool]:
    """Returns the pages of the scope that moved since then, and whether there are more."""
    scope = ports.scopes.get(request.scope)
    addresses = await ports.addresses.moved_since(
        scope.organisation_id, request.since, limit=CANDIDATES_MAX + 1
    )
    found = [
        await _between(address, request, ports)
        for address in addresses[:CANDIDATES_MAX]
        if holds(scope, address.canonical_url, address.access_context)
    ]
    return [page for page in found if page is not None], len(addresses) > CANDIDATES_MAX


async def _between(
    address: PageAddress, request: WhatChangedRequest, ports: ChangeDetectorPorts
) -> PageBetween | None:
    history = await ports.histories.history(address.page_id, limit=1)
    if history is None or not history.versions:
        return None
    return PageBetween(
        page_id=address.page_id,
        organisation_id=address.organisation_id,
        canonical_url=address.canonical_url,
        access_context=address.access_context,
        then=await ports.histories.standing(address.page_id, at=request.since),
        now=history.versions[0],
        closed_time=history.closed_time,
    )


async def counted_change(
    page: PageBetween,
    rule: ChangeRule,
    ports: ChangeDetectorPorts,
    *,
    settled: PageMemory | None = None,
) -> PageChange | None:
    """Returns the change of a page under a rule, None where nothing counts.

    Args:
        settled: what is remembered of the page; with it, only what was silent and has come to
            stay counts.
    """
    if page.then is not None and page.then.dropped_time is not None:
        # The text of then is not kept: the page is told of without its edits.
        return None if rule.counted_reasons else _change(page)
    if page.news is not PageNews.CHANGED or page.then is None:
        # A page that is new or gone counts as a whole, unless only some reasons do.
        return None if rule.counted_reasons else _change(page)
    mask = await ports.templates.mask(page.organisation_id, host_of(page.canonical_url))
    memory = settled
    if memory is None:
        memory = (await ports.memories.read(page.page_id)).memory
    old = await load_version(ports.archive, page.then.manifest)
    new = await load_version(ports.archive, page.now.manifest)
    try:
        number, summary, *shown = await worked_apart(
            count_edits,
            old,
            new,
            mask,
            memory,
            settled is not None,
            rule,
            characters=old.characters + new.characters,
            ports=ports,
        )
    except TaskFailed:
        # Two texts that take more than a page may: it is told of without its edits.
        return None if rule.counted_reasons else _change(page)
    if not int(number):
        return None
    return replace(
        _change(page),
        summary=wire.decode(ChangeSummary, summary),
        edits=tuple(wire.decode(TextEdit, edit) for edit in shown),
        truncated=int(number) > len(shown),
    )


def _change(page: PageBetween) -> PageChange:
    """Returns the change of a page without its edits."""
    return PageChange(
        page_id=page.page_id,
        canonical_url=page.canonical_url,
        title=page.now.title,
        news=page.news,
        from_version_id=page.then.version_id if page.then else NO_VERSION,
        to_version_id=page.now.version_id,
        changed_after_time=page.now.changed_after if page.closed_time is None else None,
        observed_time=page.closed_time or page.now.order_key.observed_from,
        access_context=page.access_context,
    )
