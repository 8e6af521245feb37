"""The web page: what `clients/web` is built to, as it lies in the package; nothing else is served.

Its scripts and styles come from here alone, and no page may frame it. It frames nothing but what it
made itself: the PDF of a citation, in the browser's own viewer.
"""

from collections.abc import Awaitable, Callable
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.gateway.adapters.http.replies import tagged

BUILT = files("scops.gateway").joinpath("web")
ENTRY = "index.html"
# Addresses that the page itself shows a place for; it is the same file for all of them.
PLACES = ("/", "/new", "/ask", "/explain", "/scopes", "/jobs", "/operate", "/me", "/pair")
PLACES_BELOW = (
    "/chats/{rest:path}",
    "/scopes/{rest:path}",
    "/pages/{rest:path}",
    "/jobs/{rest:path}",
    "/researches/{rest:path}",
)
KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "md": "text/markdown; charset=utf-8",
}
SECURITY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; frame-src blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def web_routes() -> list[Route]:
    """Returns the routes of the page and of each file that it is made of."""
    routes = [
        Route(f"/{name}", _serving(file))
        for name, file in _built(BUILT, "").items()
        if name != ENTRY
    ]
    entry = _serving(BUILT.joinpath(ENTRY))
    return routes + [Route(path, entry) for path in (*PLACES, *PLACES_BELOW)]


def _built(folder: Traversable, prefix: str) -> dict[str, Traversable]:
    """Returns every built file by its path."""
    found: dict[str, Traversable] = {}
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        found |= _built(entry, f"{name}/") if entry.is_dir() else {name: entry}
    return found


def _serving(file: Traversable) -> Callable[[Request], Awaitable[Response]]:
    body, kind = file.read_bytes(), KINDS[file.name.rpartition(".")[2]]

    async def serve(request: Request) -> Response:
        return tagged(request, body, kind, headers=SECURITY)

    return serve
