"""A stand-in for Zotero's web API, version 3: libraries, collections, keys, parts and pauses.

Answers have the documented headers: `Total-Results`, `Link` and `Last-Modified-Version`; parts are
of at most `at_once` items, as the API's are of a hundred.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.servers.origin import Origin

KEY, USER = "P9NiFoyLeZu2bZNvvuQPDWsd", 475425


@dataclass
class Zotero:
    """The API on an origin.

    Attributes:
        at_once: items of an answer, at most.
        local: as the program's own: no keys, a list in place of an object.
        backoff: seconds that each answer asks for; 0 tells none.
        busy: how many seconds each of the next answers asks to be left alone, by 429.
        elsewhere: where the next part is said to lie; empty says it as it is.
        damaged: is answered in place of a part; empty answers the part.
        items: CSL items by library and collection, such as `users/475425`.
        before_part: is called before each part is answered.
    """

    origin: Origin
    at_once: int = 2
    local: bool = False
    backoff: int = 0
    busy: list[int] = field(default_factory=list)
    elsewhere: str = ""
    damaged: str = ""
    version: int = 17
    items: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[web.Request] = field(default_factory=list)
    before_part: Callable[[int], None] = lambda _: None

    def __post_init__(self) -> None:
        self.origin.handle_below("/zotero/", self._answer)

    @property
    def url(self) -> str:
        """Of the API."""
        return f"{self.origin.url}/zotero"

    async def _answer(self, request: web.Request) -> web.Response:
        self.asked.append(request)
        if self.busy:
            return web.Response(status=429, headers={"Retry-After": str(self.busy.pop(0))})
        if request.headers.get("Zotero-API-Version") != "3":
            return web.Response(status=400, text="API version not implemented")
        path = request.path.removeprefix("/zotero/")
        is_known = request.headers.get("Authorization") == f"Bearer {KEY}"
        if path == "keys/current":
            if not is_known:
                return web.Response(status=403, text="Invalid key")
            return web.json_response({"key": KEY, "userID": USER, "username": "heron"})
        library, _, _ = path.partition("/items/top")
        if library.startswith("users/") and not (is_known or self.local):
            return web.Response(status=403, text="Forbidden")
        if library not in self.items:
            return web.Response(status=404, text="Not found")
        return self._part(request, library)

    def _part(self, request: web.Request, library: str) -> web.Response:
        start = int(request.query.get("start", "0"))
        self.before_part(start)
        limit = min(int(request.query.get("limit", "25")), self.at_once)
        everything = self.items[library]
        part = everything[start : start + limit]
        headers = {
            "Total-Results": str(len(everything)),
            "Last-Modified-Version": str(self.version),
            "Zotero-API-Version": "3",
        }
        if start + limit < len(everything):
            url = str(request.url.update_query(start=str(start + limit)))
            following = self.elsewhere or url
            headers["Link"] = (
                f'<{following}>; rel="next", <https://www.zotero.org/{library}>; rel="alternate"'
            )
        if self.backoff:
            headers["Backoff"] = str(self.backoff)
        if self.damaged:
            return web.Response(text=self.damaged, content_type="application/json")
        return web.json_response(part if self.local else {"items": part}, headers=headers)
