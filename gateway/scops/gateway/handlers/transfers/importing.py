"""The use case of ImportPages: what pages showed elsewhere, as if it had been fetched here then."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

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
from scops.common.scope.urls import routed_url
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.transfers.capturing import CHARSET_CHARACTERS_MAX, MEDIA_TYPES
from scops.gateway.handlers.transfers.values import (
    SeenPage,
    SeenResponse,
    TakenPage,
    TakenState,
)
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import CAPTURE_BYTES_MAX, CONTENT_BYTES_MAX, about_field

MEDIA_TYPE = "application/vnd.scops.version+gzip"
PAGES_MAX = 50
ALIASES_MAX = 50
# With their aliases they fit a message of the bus, of 512 KiB.
URL_CHARACTERS_MAX = 100_000
# Of a header, and of what a record came by.
TEXT_MAX = 1_000
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
            states[observation.canonical_url] = TakenPage(
                page_id=outcome.page_id,
                state=TakenState(outcome.state.value),
                outcome=outcome.outcome,
                reason=outcome.reason,
            )
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
    said = [
        bool(page.content),
        page.response is not None,
        page.confirmed_time is not None,
        bool(page.gone_reason),
    ]
    if sum(said) != 1:
        raise _unusable("does not say one of content, response, confirmed_time and gone_reason")
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
    if page.response is not None and not page.asks:
        _check_response(page.response)
    if not all(map(str.isprintable, _texts(page))) or max(map(len, _texts(page))) > TEXT_MAX:
        raise _unusable(f"has headers or names of more than {TEXT_MAX} characters, or unprintable")
    gone = GONE_REASONS.get(page.gone_reason, GoneReason.NOT_FOUND)
    return ImportedObservation(
        page_id=page.page_id or NO_PAGE,
        canonical_url=routed_url(page.uri),
        aliases=tuple(dict.fromkeys(map(routed_url, page.aliases))),
        observed_time=page.observed_time,
        confirmed_time=page.confirmed_time,
        gone_reason=gone if page.gone_reason else GoneReason.UNSPECIFIED,
        joined=page.joined,
        as_served=page.response is not None,
        confirmed_url=routed_url(page.confirmed_uri) if page.confirmed_uri else "",
        came_by=page.came_by,
        asks=page.asks,
        **_headers(page.response),
    )


def _check_response(response: SeenResponse) -> None:
    """Checks that a body can be read; that of a capture is held to the same."""
    if not 1 <= len(response.body) <= CAPTURE_BYTES_MAX:
        raise _unusable(f"has a response of none or more than {CAPTURE_BYTES_MAX} bytes")
    if response.media_type not in MEDIA_TYPES:
        raise _unusable(f"has a response that is none of {', '.join(MEDIA_TYPES)}")
    if len(response.charset) > CHARSET_CHARACTERS_MAX:
        raise _unusable("names a charset that is none")


def _texts(page: SeenPage) -> tuple[str, ...]:
    response = page.response
    headers = (response.content_language, response.robots_tag) if response is not None else ()
    return (page.came_by, *headers)


def _headers(response: SeenResponse | None) -> dict[str, Any]:
    if response is None:
        return {}
    return {
        "content_language": response.content_language,
        "robots_tag": response.robots_tag,
        "last_modified_time": response.last_modified_time,
    }


async def _observation(
    ports: GatewayPorts, page: SeenPage, seen: ImportedObservation
) -> ImportedObservation:
    """Returns what the fetcher is told, with the content in the archive."""
    if page.asks:
        return seen
    if (sent := page.response) is not None:
        put = ports.archive.put(sent.body, media_type=sent.media_type, charset=sent.charset)
        return replace(seen, body=await put)
    if not page.content:
        return seen
    return replace(seen, body=await ports.archive.put(page.content, media_type=MEDIA_TYPE))


def _unusable(why: str, field: str = "") -> InvalidInput:
    named = {"field": field} if field else {}
    return InvalidInput(
        f"The import {why}. Send what an export gave, as it is.", reason="IMPORT_MALFORMED", **named
    )
