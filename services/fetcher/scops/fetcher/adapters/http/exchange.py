"""A request and its answer, as they were sent, for the archive."""

import aiohttp

from scops.common.archive.ports import Exchange


def exchange_of(response: aiohttp.ClientResponse) -> Exchange:
    """Returns what was sent for a response, and the head of what came."""
    asked = response.request_info
    version = response.version
    major, minor = (version.major, version.minor) if version else (1, 1)
    return Exchange(
        url=str(asked.url),
        request_line=f"{asked.method} {asked.url.raw_path_qs} HTTP/1.1",
        request_headers=tuple(asked.headers.items()),
        status_line=f"HTTP/{major}.{minor} {response.status} {response.reason or ''}",
        response_headers=tuple((_text(name), _text(value)) for name, value in response.raw_headers),
    )


def _text(raw: bytes) -> str:
    """Returns a header's bytes as text that turns into the same bytes again."""
    return raw.decode("utf-8", "surrogateescape")
