"""Asks other services on behalf of a call."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from scops.common.contract.errors import NotYetKnown
from scops.common.contract.messages.crawl import KnownPage, KnownUrlsRequest
from scops.common.query.ports import KNOWN_URLS, QueryMethod
from scops.gateway.calls import Call
from scops.gateway.ports import GatewayPorts

# Questions to a service that has not got a scope's revision yet: it follows within a second.
ATTEMPTS_MAX = 5
RETRY_SECONDS = 0.1
# Known pages that the fetcher is asked for at once, and that one listing or preview reads.
KNOWN_PAGES_BATCH = 500
KNOWN_PAGES_MAX = 20_000

Request = TypeVar("Request")
Response = TypeVar("Response")


async def ask(
    ports: GatewayPorts, method: QueryMethod[Request, Response], request: Request, *, call: Call
) -> Response:
    """Returns the answer, within the call's own deadline.

    A service that has not got a scope's revision yet is asked again: right after a change the
    projection is under way.

    Raises:
        TransientError: nobody answered in time.
        ScopsError: the error of the service that was asked.
    """
    for _ in range(ATTEMPTS_MAX - 1):
        try:
            return await ports.query_client.call(method, request, deadline=call.deadline)
        except NotYetKnown:
            if ports.clock.now() + timedelta(seconds=RETRY_SECONDS) >= call.deadline:
                raise
            await ports.clock.sleep(RETRY_SECONDS)
    return await ports.query_client.call(method, request, deadline=call.deadline)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPagesBatch:
    """Known pages, by URL.

    Attributes:
        token: the fetcher's token that gave this batch; empty for the first.
        next_token: the one of the batch after it; empty at the end.
    """

    pages: tuple[KnownPage, ...]
    token: str
    next_token: str


async def known_batches(
    ports: GatewayPorts, call: Call, *, prefixes: Sequence[str], token: str = ""
) -> AsyncIterator[KnownPagesBatch]:
    """Yields batches of known pages below some prefixes, at most `KNOWN_PAGES_MAX` pages.

    There are more when the last batch has a `next_token`.
    """
    for _ in range(max(KNOWN_PAGES_MAX // KNOWN_PAGES_BATCH, 1)):
        request = KnownUrlsRequest(
            prefixes=tuple(prefixes), page_size=KNOWN_PAGES_BATCH, page_token=token
        )
        response = await ask(ports, KNOWN_URLS, request, call=call)
        yield KnownPagesBatch(
            pages=response.pages, token=token, next_token=response.next_page_token
        )
        token = response.next_page_token
        if not token:
            return
