"""What a resolver of names answers, for resolvers that tests give to the guarded client."""

import socket
from collections.abc import Iterable

from aiohttp.abc import ResolveResult


def resolved(host: str, port: int, addresses: Iterable[str]) -> list[ResolveResult]:
    """Returns addresses as a resolver answers them."""
    return [
        ResolveResult(
            hostname=host,
            host=address,
            port=port,
            family=socket.AF_INET6 if ":" in address else socket.AF_INET,
            proto=0,
            flags=socket.AI_NUMERICHOST,
        )
        for address in addresses
    ]
