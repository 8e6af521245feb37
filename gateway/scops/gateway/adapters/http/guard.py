"""Keeps web pages of others out: a browser sends their calls with what its user may do.

A page elsewhere may post to an address of this machine, and one whose name is made to point here
(DNS rebinding) may read too. So a call that names the page it comes from is served only where that
page is ours or an operator's setting names it, and on loopback without identity only calls to the
machine itself are.

A browser's extension names itself as such a page, by an id that is another one in each browser.
What it may reach, its user has said: without that a browser asks the server first before it sends
a header that only scripts set, and is refused. So a call that carries one comes from an extension
that may call this server, and from no page: pages cannot name an extension as their origin.
"""

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from scops.common.contract.errors import NotPermitted
from scops.gateway.access.exposure import is_loopback
from scops.gateway.adapters.http.replies import problem
from scops.gateway.calls import failure_of
from scops.gateway.settings import GatewaySettings

# Origins of browsers' extensions, and the header by which one says that it is no page.
EXTENSIONS = ("chrome-extension://", "moz-extension://", "safari-web-extension://")
EXTENSION = "x-scops-extension"
# What hubs call by a public name; whoever calls proves by each body that they know a secret.
CALLBACKS = "/websub/"


class OriginGuard:
    """Serves an application to callers that are no foreign pages."""

    def __init__(self, app: ASGIApp, settings: GatewaySettings) -> None:
        self._app = app
        self._origins = frozenset(settings.http_origins)
        self._machine_only = settings.identity == "none"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_guarded = scope["type"] == "http" and not scope["path"].startswith(CALLBACKS)
        refusal = self._refusal(Headers(scope=scope)) if is_guarded else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        await problem(Request(scope), failure_of(refusal))(scope, receive, send)

    def _refusal(self, headers: Headers) -> NotPermitted | None:
        host = headers.get("host", "")
        if self._machine_only and not is_loopback(_name(host)):
            return NotPermitted(
                f"Without identity the gateway answers to this machine's names alone, not to "
                f"{host[:80]!r}. Call it at 127.0.0.1, or set SCOPS_GATEWAY_IDENTITY=required.",
                reason="HOST_UNKNOWN",
            )
        origin = headers.get("origin")
        if origin is None or origin in self._origins or origin.partition("://")[2] == host:
            return None
        if origin.startswith(EXTENSIONS) and EXTENSION in headers:
            return None
        return NotPermitted(
            f"Pages of {origin[:80]!r} may not call this API. An operator can let them in by "
            "SCOPS_GATEWAY_HTTP_ORIGINS.",
            reason="ORIGIN_REFUSED",
        )


def _name(host: str) -> str:
    """Returns the name of a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
