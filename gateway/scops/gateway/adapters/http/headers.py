"""What the HTTP door reads of the headers of a call, and says in those of its response."""

from collections.abc import Iterable, Mapping

from scops.common.contract.errors import InvalidInput
from scops.gateway.calls import CallFailure

TIMEOUT = "connect-timeout-ms"
TIMEOUT_DIGITS_MAX = 10
MILLISECONDS = 1000.0
# What a budget says of itself, by the header that clients look for (draft-ietf-httpapi-ratelimit).
BUDGET = {
    "limit": "ratelimit-limit",
    "remaining": "ratelimit-remaining",
    "reset_seconds": "ratelimit-reset",
}


def call_headers(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Returns headers by their names in lower case; the first of each counts."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(name.lower(), value)
    return found


def peer_address(peer: str) -> str:
    """Returns the address of `address:port`."""
    return peer.rpartition(":")[0].strip("[]")


def remaining_seconds(headers: Mapping[str, str]) -> float | None:
    """Returns how long a caller waits; None where it does not say.

    Raises:
        InvalidInput: it says so in no number.
    """
    value = headers.get(TIMEOUT)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= TIMEOUT_DIGITS_MAX):
        raise InvalidInput(
            f"{TIMEOUT} is no number of milliseconds: {value[:40]!r}.", reason="TIMEOUT_INVALID"
        )
    return int(value) / MILLISECONDS


def failure_headers(failure: CallFailure) -> dict[str, str]:
    """Returns what HTTP clients act on: when to come again, and what the budget is."""
    headers = {}
    if failure.retry_after_seconds is not None:
        # Whole seconds; a caller who comes too early is refused again.
        headers["retry-after"] = str(-int(-failure.retry_after_seconds // 1))
    for key, name in BUDGET.items():
        if key in failure.metadata:
            headers[name] = failure.metadata[key]
    if failure.code == "UNAUTHENTICATED":
        headers["www-authenticate"] = 'Bearer realm="scops"'
    return headers
