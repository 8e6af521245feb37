"""Hosts that an operator lets be crawled at all, whatever scopes say.

    docs.example.org     that host, on every port
    *.example.org        every host below example.org
    192.0.2.7, [::1]     an address as it stands in a URL

Where nothing is allowed by name, everything is but what is denied; a denied host stays denied.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url

BELOW = "*."
REASON = "HOST_DENIED"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLists:
    """Which hosts may be crawled.

    Attributes:
        allowed, denied: hosts in canonical form, `*.` before those that stand for all below.
    """

    allowed: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()

    def refusal(self, url: str) -> str | None:
        """Returns why the host of a canonical URL is not crawled; None where it is."""
        if not self.allowed and not self.denied:
            return None
        host = _host(url)
        names = {host, *_above(host)}
        if names & self.denied:
            return f"{host} is not crawled here: SCOPS_HOSTS_DENIED names it."
        if self.allowed and not names & self.allowed:
            return f"{host} is not crawled here: SCOPS_HOSTS_ALLOWED does not name it."
        return None

    def check(self, url: str, *, field: str) -> None:
        """Checks that a canonical URL may be crawled.

        Raises:
            InvalidInput: its host may not.
        """
        refusal = self.refusal(url)
        if refusal is not None:
            raise InvalidInput(
                f"{refusal} Leave it out, or ask an operator of this installation.",
                reason=REASON,
                field=field,
            )


EVERY_HOST = HostLists()


def parse_hosts(texts: Sequence[str]) -> frozenset[str]:
    """Parses `SCOPS_HOSTS_ALLOWED` or `SCOPS_HOSTS_DENIED`.

    Raises:
        InvalidInput: an entry is no host.
    """
    return frozenset(_parsed(text.strip()) for text in texts if text.strip())


def _parsed(text: str) -> str:
    prefix = BELOW if text.startswith(BELOW) else ""
    name = text[len(prefix) :]
    try:
        url = canonical_url(f"https://{name}/")
    except InvalidInput as error:
        raise _no_host(text) from error
    parts = urlsplit(url)
    if parts.path != "/" or parts.query or parts.port is not None or "*" in name or not name:
        raise _no_host(text)
    return f"{prefix}{_host(url)}"


def _host(url: str) -> str:
    """Returns a host without the dot that a name may end with."""
    return (urlsplit(url).hostname or "").removesuffix(".")


def _above(host: str) -> list[str]:
    labels = host.split(".")
    return [BELOW + ".".join(labels[start:]) for start in range(1, len(labels))]


def _no_host(text: str) -> InvalidInput:
    return InvalidInput(
        f"{text[:80]!r} is no host, such as docs.example.org, or *.example.org for all below; "
        "hosts have no scheme, port or path here.",
        reason="HOST_INVALID",
    )
