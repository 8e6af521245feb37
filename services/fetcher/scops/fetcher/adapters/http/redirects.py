"""The way of one fetch through redirects."""

from typing import Any

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url, host_key, origin_of
from scops.fetcher.adapters.http.failures import WebFailure
from scops.fetcher.adapters.http.headers import location_text
from scops.fetcher.ports.page_source import Redirect

PERMANENT = frozenset({301, 308})
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class RedirectChain:
    """Where one fetch stands, and how it came there.

    Attributes:
        url: what is requested now, canonical.
        redirects: answered so far; the last one leads to `url`.
        seconds: spent on the network so far.
        response_seconds: of them, on the last request.
    """

    def __init__(self, url: str, *, redirects_max: int) -> None:
        self.url = self._start_url = url
        self.redirects: tuple[Redirect, ...] = ()
        self.seconds = 0.0
        self.response_seconds = 0.0
        self._seen = {url}
        self._redirects_max = redirects_max

    @property
    def outcome(self) -> dict[str, Any]:
        """What every result says of the way to it."""
        return {
            "final_url": self.url,
            "redirects": self.redirects,
            "response_seconds": self.response_seconds,
        }

    @property
    def on_first_host(self) -> bool:
        """Whether `url` has the host clock that the fetch began under."""
        return host_key(self.url) == host_key(self._start_url)

    def has_stayed_on(self, origin: str) -> bool:
        """Returns whether every URL from the first one on is of an origin."""
        urls = (self._start_url, *(redirect.url for redirect in self.redirects))
        return {origin} == {origin_of(url) for url in urls}

    @property
    def permanent(self) -> bool:
        """Whether every redirect so far was permanent."""
        return all(redirect.permanent for redirect in self.redirects)

    def start(self) -> None:
        """Brings the first URL into its canonical form.

        Raises:
            WebFailure: it is no usable URL.
        """
        try:
            self.url = self._start_url = canonical_url(self.url)
        except InvalidInput as error:
            # It may hold a password, which must not travel on with the failure.
            self.url = ""
            raise WebFailure(reason="INVALID_URL", detail=error.message) from error
        self._seen = {self.url}

    def follow(self, status: int, location: str) -> None:
        """Moves on to a redirect's target; nothing is requested yet.

        Raises:
            WebFailure: there is no target, it was seen, or is one too many.
        """
        if not location.strip():
            raise WebFailure(
                reason="BAD_RESPONSE",
                detail=f"The server answered {status} without saying where to. It needs repair.",
                status=status,
            )
        try:
            target = canonical_url(location_text(location), base=self.url)
        except InvalidInput as error:
            raise WebFailure(
                reason="REDIRECT_DENIED", detail=f"A redirect is not followed. {error.message}"
            ) from error
        self.redirects += (Redirect(url=target, permanent=status in PERMANENT),)
        self.url = target
        self._check_bounds(target)

    def _check_bounds(self, target: str) -> None:
        if target in self._seen:
            raise WebFailure(
                reason="REDIRECT_LOOP",
                detail="The page redirects in a circle. The server needs repair; it may also "
                "insist on cookies, which are never sent.",
            )
        self._seen.add(target)
        if len(self.redirects) > self._redirects_max:
            raise WebFailure(
                reason="TOO_MANY_REDIRECTS",
                detail=f"The page redirects more than {self._redirects_max} times. Use the "
                "address it ends at.",
            )
