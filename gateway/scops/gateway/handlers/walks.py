"""Walks over the pages that the fetcher knows, a batch at a time and never without end."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from scops.common.contract.messages.crawl import KnownPage, KnownUrlsRequest
from scops.common.query.ports import KNOWN_URLS
from scops.gateway.call import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.ports import GatewayPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
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
) -> AsyncIterator[Batch]:
    """Yields batches of known pages below some prefixes, at most `known_pages_max` pages.

    There are more when the last batch has a `next_token`.
    """
    settings = ports.settings
    for _ in range(max(settings.known_pages_max // settings.known_pages_batch, 1)):
        request = KnownUrlsRequest(
            prefixes=tuple(prefixes), page_size=settings.known_pages_batch, page_token=token
        )
        response = await ask(ports, KNOWN_URLS, request, call=call)
        yield Batch(pages=response.pages, token=token, next_token=response.next_page_token)
        token = response.next_page_token
        if not token:
            return
