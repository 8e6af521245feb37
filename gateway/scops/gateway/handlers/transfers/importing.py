"""The use case of ImportPages: what pages showed elsewhere, as if it had been fetched here then."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.crawl import (
    GoneReason,
    ImportedObservation,
    ImportPagesRequest,
)
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import IMPORT_PAGES
from scops.common.scope.contexts import PUBLIC, holds
from scops.common.scope.urls import canonical_url
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.transfers.values import SeenPage, TakenPage, TakenState
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import CONTENT_BYTES_MAX, about_field

MEDIA_TYPE = "application/vnd.scops.version+gzip"
PAGES_MAX = 50
ALIASES_MAX = 50
# With their aliases they fit a message of the bus, of 512 KiB.
URL_CHARACTERS_MAX = 100_000
GZIP_MAGIC = b"\x1f\x8b"
NO_PAGE = PageId("")
GONE_REASONS = {reason.value: reason for reason in GoneReason}


async def import_pages(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, pages: Sequence[SeenPage]
) -> tuple[TakenPage, ...]:
    """Has observations of pages taken in, and returns what becomes of each.

    Pages that the scope's rules do not hold are left alone. What is taken in is extracted,
    compared, chunked and indexed as anything that is fetched.

    Raises:
        InvalidInput: an observation says nothing, too much, or what cannot be.
        NotFound: there is no such scope, or it is hidden.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)).scope
    seen = _checked(pages, now=ports.clock.now())
    inside = [one for one in seen if _is_inside(scope, one)]
    observations = tuple([await _observation(ports, page, one) for page, one in inside])
    states: dict[str, TakenPage] = {}
    if observations:
        request = ImportPagesRequest(observations=observations)
        answer = await ask(ports, IMPORT_PAGES, request, call=call)
        for observation, outcome in zip(observations, answer.outcomes, strict=True):
            taken = TakenPage(page_id=outcome.page_id, state=TakenState(outcome.state.value))
            states[observation.canonical_url] = taken
    outside = TakenPage(page_id=NO_PAGE, state=TakenState.OUTSIDE)
    return tuple(states.get(one.canonical_url, outside) for _, one in seen)


def _is_inside(scope: Scope, one: tuple[SeenPage, ImportedObservation]) -> bool:
    return holds(scope, one[1].canonical_url, PUBLIC)


def _checked(
    pages: Sequence[SeenPage], *, now: datetime
) -> list[tuple[SeenPage, ImportedObservation]]:
    """Returns what was sent as the fetcher takes it, without bodies."""
    if not 1 <= len(pages) <= PAGES_MAX:
        raise _unusable(f"names {len(pages)} pages; 1 to {PAGES_MAX} are taken at once", "pages")
    seen: dict[str, tuple[SeenPage, ImportedObservation]] = {}
    characters = 0
    for number, page in enumerate(pages):
        field = f"pages[{number}]"
        with about_field(field):
            observation = _seen(page, now)
        if observation.canonical_url in seen:
            raise _unusable("names a page twice; send its next observation later", field)
        seen[observation.canonical_url] = (page, observation)
        characters += sum(map(len, (observation.canonical_url, *observation.aliases)))
    if characters > URL_CHARACTERS_MAX:
        raise _unusable(f"has URLs of more than {URL_CHARACTERS_MAX} characters", "pages")
    return list(seen.values())


def _seen(page: SeenPage, now: datetime) -> ImportedObservation:
    said = [bool(page.content), page.confirmed_time is not None, bool(page.gone_reason)]
    if sum(said) != 1:
        raise _unusable("says of a page one of content, confirmed_time and gone_reason")
    if page.observed_time is None or page.observed_time > now:
        raise _unusable("lies in the future, or says no observed_time")
    if page.confirmed_time is not None and page.confirmed_time >= page.observed_time:
        raise _unusable("confirms what was observed later")
    if len(page.aliases) > ALIASES_MAX or len(page.content) > CONTENT_BYTES_MAX:
        raise _unusable(
            f"has more than {ALIASES_MAX} aliases of a page, or {CONTENT_BYTES_MAX} bytes of it"
        )
    if page.content and not page.content.startswith(GZIP_MAGIC):
        raise _unusable("has content that is not packed by gzip")
    gone = GONE_REASONS.get(page.gone_reason, GoneReason.NOT_FOUND)
    return ImportedObservation(
        page_id=page.page_id or NO_PAGE,
        canonical_url=canonical_url(page.uri),
        aliases=tuple(dict.fromkeys(map(canonical_url, page.aliases))),
        observed_time=page.observed_time,
        confirmed_time=page.confirmed_time,
        gone_reason=gone if page.gone_reason else GoneReason.UNSPECIFIED,
        joined=page.joined,
    )


async def _observation(
    ports: GatewayPorts, page: SeenPage, seen: ImportedObservation
) -> ImportedObservation:
    """Returns what the fetcher is told, with the content in the archive."""
    if not page.content:
        return seen
    return replace(seen, body=await ports.archive.put(page.content, media_type=MEDIA_TYPE))


def _unusable(why: str, field: str = "") -> InvalidInput:
    named = {"field": field} if field else {}
    return InvalidInput(
        f"The import {why}. Send what an export gave, as it is.", reason="IMPORT_MALFORMED", **named
    )
