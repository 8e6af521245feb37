"""One request to a page source, and what must come of it."""

from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.ports.page_source import Failed, Fetched, FetchRequest, FetchResult
from tests.fakes.page_source import OpenGate


async def fetch(source: HttpPageSource, url: str, **fields: str) -> FetchResult:
    """Asks for a page; fields of the request are set by name."""
    return await source.fetch(FetchRequest(url=url, **fields), OpenGate())


async def failed(source: HttpPageSource, url: str) -> Failed:
    """Asks for a page and returns the failure that must come."""
    result = await fetch(source, url)
    assert isinstance(result, Failed), result
    return result


async def fetched(source: HttpPageSource, url: str) -> Fetched:
    """Asks for a page and returns the body that must come."""
    result = await fetch(source, url)
    assert isinstance(result, Fetched), result
    return result
