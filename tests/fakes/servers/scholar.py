"""A stand-in for scholarly services: recorded answers, and answers made as they document them.

Each service lies below a path of its own. Answers are found by path and the parameters that were
named for them; of several alike the first is given first, and the last one goes on.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from aiohttp import web

from tests.fakes.servers.origin import Origin

# Where the API of each begins on its own host.
ROOTS = {
    "openalex": "",
    "crossref": "",
    "arxiv": "/api/query",
    "unpaywall": "/v2",
    "europe-pmc": "/europepmc/webservices/rest",
    "semantic-scholar": "/graph/v1",
    "core": "/v3",
}


@dataclass(frozen=True)
class Answer:
    """What is answered to requests of a path with these parameters, at least."""

    path: str
    params: Mapping[str, str]
    body: str
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """A request, as it came."""

    at: float
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass
class Scholar:
    """The services on an origin.

    Attributes:
        busy: by service, how many seconds each of the next answers asks to be left alone; None
            answers 429 without saying so.
        asked: requests by service, in their order.
    """

    origin: Origin
    busy: dict[str, list[float | None]] = field(default_factory=dict)
    asked: dict[str, list[Asked]] = field(default_factory=dict)
    answers: dict[str, list[Answer]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for service, root in ROOTS.items():
            base = f"/scholar/{service}{root}"

            async def answering(request: web.Request, service: str = service) -> web.Response:
                return self._answer(service, request)

            self.origin.handle(base, answering)
            self.origin.handle_below(f"{base}/", answering)

    def url(self, service: str) -> str:
        """Of a service's API."""
        return f"{self.origin.url}/scholar/{service}{ROOTS[service]}"

    def servers(self) -> list[str]:
        """Returns all services as the command's option names them."""
        return [f"{service}={self.url(service)}" for service in ROOTS]

    def words(self) -> list[str]:
        """Returns words of a command that ask all services here."""
        return [word for server in self.servers() for word in ("--server", server)]

    def answer(
        self,
        service: str,
        path: str,
        body: Any,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **params: str,
    ) -> None:
        """Answers requests of a path from now on.

        Args:
            path: below the API, decoded.
            body: text, or what JSON can say.
            params: that a request must have; `_` is kept.
        """
        text = body if isinstance(body, str) else json.dumps(body)
        made = Answer(path, params, text, status, dict(headers or {}))
        self.answers.setdefault(service, []).append(made)

    def load(self, file: Path, **params: str) -> None:
        """Gives a recorded answer to the path that it was recorded of.

        Args:
            params: that a request must have.
        """
        told = json.loads(file.read_text())
        parts = urlsplit(told["request"]["url"])
        service = next(name for name in ROOTS if file.name.startswith(f"{name}-"))
        path = unquote(parts.path).removeprefix(ROOTS[service]).strip("/")
        response = told["response"]
        self.answer(
            service,
            path,
            response["body"],
            status=response["status"],
            headers=response["headers"],
            **params,
        )

    def gaps_seconds(self, service: str) -> list[float]:
        """Returns the time between each request to a service and the next one."""
        times = [one.at for one in self.asked.get(service, ())]
        return [later - earlier for earlier, later in pairwise(times)]

    def _answer(self, service: str, request: web.Request) -> web.Response:
        base = f"/scholar/{service}{ROOTS[service]}"
        path = request.path.removeprefix(base).strip("/")
        params = dict(parse_qsl(urlsplit(request.path_qs).query, keep_blank_values=True))
        seen = Asked(time.monotonic(), path, params, dict(request.headers))
        self.asked.setdefault(service, []).append(seen)
        if self.busy.get(service):
            seconds = self.busy[service].pop(0)
            told = {"Retry-After": f"{seconds:g}"} if seconds is not None else {}
            return web.Response(status=429, headers=told, text="Too many requests.")
        found = self._found(service, path, params)
        if found is None:
            return web.Response(status=404, text="Resource not found.")
        kept = {name: value for name, value in found.headers.items() if name != "content-length"}
        return web.Response(status=found.status, headers=kept, body=found.body.encode())

    def _found(self, service: str, path: str, params: Mapping[str, str]) -> Answer | None:
        answers = self.answers.get(service, [])
        met = [
            one
            for one in answers
            if one.path == path and all(params.get(key) == said for key, said in one.params.items())
        ]
        # One that names more is meant more.
        met.sort(key=lambda one: len(one.params), reverse=True)
        if not met:
            return None
        alike = [one for one in met if one.params == met[0].params]
        if len(alike) > 1:
            answers.remove(alike[0])
        return alike[0]
