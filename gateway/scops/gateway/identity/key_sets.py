"""Fetches the key sets of issuers over HTTPS: bounded in time and bytes, following nothing."""

from typing import Any

import httpx

from scops.gateway.identity.issuer import LOOPBACK, Issuer

TIMEOUT_SECONDS = 5.0
BYTES_MAX = 512 * 1024
DISCOVERY = "/.well-known/openid-configuration"


async def fetch_key_set(issuer: Issuer) -> Any:
    """Returns the key set of an issuer, as JSON.

    Raises:
        OSError, TimeoutError, ValueError: there is none, or it is none.
    """
    async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS, trust_env=True) as client:
        uri = issuer.jwks_uri or await _discovered(client, issuer)
        return await _json(client, uri)


async def _discovered(client: httpx.AsyncClient, issuer: Issuer) -> str:
    document = await _json(client, f"{issuer.issuer.rstrip('/')}{DISCOVERY}")
    if document["issuer"] != issuer.issuer:
        raise ValueError(f"the discovery document is of {document['issuer']!r}")
    uri = str(document["jwks_uri"])
    if not uri.startswith(("https://", *LOOPBACK)):
        raise ValueError(f"keys at {uri!r} come unprotected")
    return uri


async def _json(client: httpx.AsyncClient, url: str) -> Any:
    try:
        async with client.stream("GET", url, headers={"accept": "application/json"}) as response:
            response.raise_for_status()
            content = b""
            async for part in response.aiter_bytes():
                content += part
                if len(content) > BYTES_MAX:
                    raise ValueError(f"{url} has more than {BYTES_MAX} bytes")
    except httpx.HTTPError as error:
        raise OSError(repr(error)) from error
    return httpx.Response(200, content=content).json()
