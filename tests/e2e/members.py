"""A site that shows its pages to whom it knows, and other things to whom it does not."""

from collections.abc import Mapping

from aiohttp import web

from tests.fakes.servers.origin import Origin

# Everybody sees it, logged in or not: the same text in two access contexts.
SHARED = (
    "<p>Every gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it.</p>"
)
DOOR = (
    "<html><title>Sign in</title><body><h1>Sign in</h1><form action=/login method=post>"
    "<input type=hidden name=csrf value=c-1><input name=user><input type=password name=password>"
    "<button>Sign in</button></form>"
    "</body></html>"
)
# What each page is answered with to whom the site does not know.
WAYS = {
    "/wall": (200, ""),
    "/for-now": (302, "/login"),
    "/for-good": (301, "/login"),
    "/refused": (401, ""),
    "/forbidden": (403, ""),
}
BIRDS = ("Heron", "Dipper", "Grebe", "Teal", "Avocet", "Curlew")


class Members:
    """Pages of an origin that one header opens: `/` links to each way of being turned away.

    Args:
        header: its name; whoever sends `value` in it is known.
    """

    def __init__(self, origin: Origin, header: str, value: str) -> None:
        self.origin = origin
        self.header, self.value = header, value
        self.prices = {path: 70 + number for number, path in enumerate(self.paths)}
        # Pages that are shown before the session ends; None knows no end.
        self.left: int | None = None
        origin.replace("/open", f"<title>Gauges</title><h1>Gauges</h1>{SHARED}")
        # Who may come in by the form of `/login`, or is granted a token: what each request sends.
        self.lets_in: Mapping[str, str] = {}
        self.client = ""
        origin.handle("/login", self._login)
        origin.handle("/token", self._token)
        for path in ("/", *self.paths):
            origin.handle(path, self._page)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of pages with a price each."""
        return ("/away", *WAYS)

    def url(self, path: str) -> str:
        """Returns the URL of a path."""
        return f"{self.origin.url}{path}"

    def fact(self, path: str) -> str:
        """Returns what a page says and no other one does, at its price of now."""
        return f"The {BIRDS[self.paths.index(path)]} tariff costs {self.prices[path]} euros"

    def leads_away(self, target: str) -> None:
        """Has `/away` redirect to another origin where nobody is known, and `/leave` always."""
        self.away = target
        self.origin.redirect("/leave", target, status=302)

    async def _login(self, request: web.Request) -> web.StreamResponse:
        if request.method == "POST" and dict(await request.post()) == self.lets_in:
            headers = {"Location": "/", "Set-Cookie": f"{self.value}; Path=/; HttpOnly"}
            return web.Response(status=303, headers=headers)
        return web.Response(text=DOOR, content_type="text/html")

    async def _token(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != self.client:
            return web.json_response({"error": "invalid_client"}, status=401)
        token = self.value.removeprefix("Bearer ")
        return web.json_response({"access_token": token, "token_type": "bearer"})

    async def _page(self, request: web.Request) -> web.StreamResponse:
        if self.value not in request.headers.get(self.header, "") or self.left == 0:
            return self._turned_away(request.path)
        if self.left is not None:
            self.left -= 1
        # As servers do that draw a new session at each request.
        fresh = {"Set-Cookie": f"next={self.value[::-1]}"}
        return web.Response(text=self._shown(request.path), content_type="text/html", headers=fresh)

    def _shown(self, path: str) -> str:
        if path == "/":
            links = "".join(f'<li><a href="{to}">{to}</a></li>' for to in (*self.paths, "/leave"))
            body = f"<h1>Your account</h1>{SHARED}<ul>{links}</ul>"
        else:
            bird = BIRDS[self.paths.index(path)]
            body = (
                f"<h1>{bird} tariff</h1><p>{self.fact(path)} a month and may be cancelled at the "
                "end of each quarter by a letter to the office of the harbour master.</p>"
                f"<p>Whoever rows a {bird} pays it in spring.</p>"
            )
        return f"<html><head><meta name=robots content=noindex></head><body>{body}</body></html>"

    def _turned_away(self, path: str) -> web.Response:
        if path == "/away":
            return web.Response(status=302, headers={"Location": self.away})
        status, target = WAYS.get(path, (200, ""))
        headers: Mapping[str, str] = {"Location": target} if target else {}
        return web.Response(status=status, text=DOOR, content_type="text/html", headers=headers)
