"""A request and its answer, as they were sent, for the archive."""

import aiohttp

from scops.common.archive.ports import Exchange
from scops.fetcher.ports.page_source import Credential

SESSIONS = (b"set-cookie", b"set-cookie2", b"www-authenticate", b"authentication-info")


def exchange_of(response: aiohttp.ClientResponse, credential: Credential | None) -> Exchange:
    """Returns what was sent for a response, and the head of what came.

    Headers of the credential are left out, whatever their names, and so are cookies that the
    server sets for whom it knows.
    """
    asked = response.request_info
    secret = {name.lower() for name, _ in credential.headers} if credential else set()
    sent = ((name, value) for name, value in asked.headers.items() if name.lower() not in secret)
    version = response.version
    major, minor = (version.major, version.minor) if version else (1, 1)
    return Exchange(
        url=str(asked.url),
        request_line=f"{asked.method} {asked.url.raw_path_qs} HTTP/1.1",
        request_headers=tuple(sent),
        status_line=f"HTTP/{major}.{minor} {response.status} {response.reason or ''}",
        response_headers=tuple(
            (_text(name), _text(value))
            for name, value in response.raw_headers
            if credential is None or name.lower() not in SESSIONS
        ),
    )


def _text(raw: bytes) -> str:
    """Returns a header's bytes as text that turns into the same bytes again."""
    return raw.decode("utf-8", "surrogateescape")
