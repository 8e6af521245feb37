"""The use case of ExportPages: pages of a scope, with what is kept of their versions.

A response holds what fits: `RESPONSE_BYTES` of versions, in the order of URLs and of a page's
versions from the oldest on. Where it ends stands in its token.
"""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta

from scops.common.access.permissions import Permission
from scops.common.contract.errors import NotFound
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import HistoryEntry, HistoryRequest, HistoryResponse
from scops.common.contract.messages.crawl import KnownPage
from scops.common.contract.messages.types import OrderKey
from scops.common.query.ports import HISTORY
from scops.common.scope.contexts import PUBLIC
from scops.gateway.access.known_pages import holding_scopes, rule_prefixes
from scops.gateway.calls import Call
from scops.gateway.handlers.purges import check_unpurged
from scops.gateway.handlers.questions import ask, known_batches
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.transfers.contents import Contents
from scops.gateway.handlers.transfers.values import GivenPage, GivenVersion
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size

# Of one response, which has room for the version that goes over it.
RESPONSE_BYTES = 1024 * 1024
PAGES_AT_ONCE = 100
# Of one page; what is older is not given out.
VERSIONS_MAX = 10_000
HISTORY_AT_ONCE = 100
# A response is put together for at most so long; the rest of its deadline is for its way.
WORK, MARGIN = timedelta(seconds=5), timedelta(seconds=2)
NO_PAGE = PageId("")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an export goes on.

    Attributes:
        token: of the batch of known pages.
        page: behind it, or inside of it where a version is named.
        given: the order key of the last version that was given out; empty for all of the page.
    """

    token: str = ""
    page: PageId = NO_PAGE
    given: str = ""


@dataclass(slots=True)
class _Response:
    """What a response holds so far, and how long it is worked on."""

    ports: GatewayPorts
    until: datetime
    left: int = RESPONSE_BYTES

    def take(self, version: GivenVersion) -> None:
        self.left -= version.size

    @property
    def is_full(self) -> bool:
        return self.left <= 0 or self.ports.clock.now() >= self.until


async def export_pages(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    page_size: int,
    page_token: str,
    with_vectors: bool,
    with_bodies: bool,
) -> tuple[tuple[GivenPage, ...], str]:
    """Returns some pages of a scope with what is kept of their versions, and the next token.

    Args:
        with_vectors: of the chunks of versions that stand.
        with_bodies: in place of content and chunks, where they are kept.

    Raises:
        InvalidInput: the page size is negative, or the token is none of this export.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not take its pages away.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.EXPORT)).scope
    size = checked_page_size(page_size or PAGES_AT_ONCE)
    principal = call.principal
    bound_to = ("ExportPages", principal.organisation_id, principal.principal_id, scope_id)
    opened = await ports.tokens.open(page_token, bound_to=bound_to)
    place = _Place(*json.loads(opened)) if opened else _Place()
    until = min(ports.clock.now() + WORK, call.deadline - MARGIN)
    response = _Response(ports, until)
    contents = Contents(ports, call, with_vectors=with_vectors, with_bodies=with_bodies)
    pages: list[GivenPage] = []
    prefixes = rule_prefixes(scope.rules)
    async for batch in known_batches(ports, call, prefixes=prefixes, token=place.token):
        for page in _behind(batch.pages, place):
            # Captures are the scope's own: another installation would take them for public.
            if page.access_context != PUBLIC or not holding_scopes(page, [scope]):
                continue
            found = await _given_page(page, place, contents, response)
            place = _Place(batch.token, page.page_id)
            if found is not None:
                pages.append(found)
                given = _text_of(found.versions[-1]) if found.continues else ""
                place = _Place(batch.token, page.page_id, given)
            if response.is_full or len(pages) == size:
                return tuple(pages), await _sealed(ports, place, bound_to)
        place = _Place(batch.next_token)
    return tuple(pages), await _sealed(ports, place, bound_to) if place.token else ""


async def _sealed(ports: GatewayPorts, place: _Place, bound_to: Sequence[str]) -> str:
    return await ports.tokens.seal(json.dumps(astuple(place)), bound_to=bound_to)


def _behind(pages: Sequence[KnownPage], place: _Place) -> Sequence[KnownPage]:
    """Returns the pages of a batch that are still to be given out, wholly or in part."""
    ids = [page.page_id for page in pages]
    if place.page not in ids:
        return pages
    return pages[ids.index(place.page) + (0 if place.given else 1) :]


async def _given_page(
    page: KnownPage, place: _Place, contents: Contents, response: _Response
) -> GivenPage | None:
    """Returns a page with the versions that fit; None where a purge covers it."""
    ports = contents.ports
    history = await _history(contents, page.page_id)
    behind = place.given if place.page == page.page_id else ""
    versions: list[GivenVersion] = []
    continues = False
    try:
        await check_unpurged(ports, page)
        for entry in history.versions:
            if behind and _key(entry.order_key) <= behind:
                continue
            if versions and response.is_full:
                continues = True
                break
            stands = not history.closed and entry is history.versions[-1]
            versions.append(await contents.of(entry, stands=stands))
            response.take(versions[-1])
        # A purge may have begun while they were read.
        await check_unpurged(ports, page)
    except NotFound:
        return None
    return GivenPage(
        page_id=page.page_id,
        uri=page.canonical_url,
        aliases=page.aliases,
        versions=tuple(versions),
        closed=history.closed,
        closed_reason=history.closed_reason,
        closed_time=history.closed_time,
        continues=continues,
    )


async def _history(contents: Contents, page_id: PageId) -> HistoryResponse:
    """Returns all versions of a page, oldest first; none where nothing of it was ever read."""
    entries: list[HistoryEntry] = []
    first: HistoryResponse | None = None
    has_more = True
    while has_more and len(entries) < VERSIONS_MAX:
        request = HistoryRequest(
            page_id=page_id,
            limit=HISTORY_AT_ONCE,
            before=entries[-1].order_key if entries else None,
        )
        try:
            found = await ask(contents.ports, HISTORY, request, call=contents.call)
        except NotFound:
            return HistoryResponse(page_id=page_id)
        first = first or found
        entries += found.versions
        has_more = found.truncated and bool(found.versions)
    assert first is not None, "it has been asked for"
    return HistoryResponse(
        page_id=page_id,
        versions=tuple(reversed(entries)),
        closed=first.closed,
        closed_reason=first.closed_reason,
        closed_time=first.closed_time,
    )


def _text_of(version: GivenVersion) -> str:
    return _key(OrderKey(observed_from=version.observed_from_time, revision=version.revision))


def _key(order_key: OrderKey) -> str:
    """Returns an order key as a text; texts of keys are ordered as the keys are."""
    at = order_key.observed_from
    return f"{at:%Y-%m-%dT%H:%M:%S.%f} {order_key.revision:010d}"
