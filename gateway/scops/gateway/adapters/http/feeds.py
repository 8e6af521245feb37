"""Feeds: what `WhatChanged` tells of a scope and `ListPageChanges` of a page, for feed readers."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.common.contract.errors import ScopsError
from scops.gateway.adapters.http.atom import ATOM_TYPE, changes_feed
from scops.gateway.adapters.http.replies import problem, tagged
from scops.gateway.adapters.http.resources import outcome_of
from scops.gateway.adapters.http.routes import Routes, request_of
from scops.gateway.calls import REQUEST_ID, Call, PublicCalls, failure_of
from scops.gateway.ports import GatewayPorts

SUFFIX = ".atom"
# How far a feed looks back where its reader does not say.
LOOKS_BACK = timedelta(days=30)


class FeedDoor:
    """What feed readers read; permissions, budgets and records are those of the method."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls
        self._routes = Routes()

    def routes(self) -> list[Route]:
        """Returns the routes, all below `/v1`."""
        return [
            Route(f"/v1/{each}/changes.atom", self.changes, methods=["GET"])
            for each in ("scopes/{scope}", "pages/{page}")
        ]

    async def changes(self, request: Request) -> Response:
        """Serves the changes of a scope or page as Atom; the query is that of `GET …/changes`."""
        found, segments = self._routes.of_path(request.url.path.removesuffix(SUFFIX))
        route = found.get("GET")
        if route is None:
            return Response(status_code=404)

        async def work(body: Any, call: Call) -> bytes:
            query = request.query_params.multi_items()
            asked: Any = request_of(route, segments, query, body)
            if not asked.HasField("since"):
                # The beginning of a day, so that the feed stays the same through the day.
                day = (self._ports.clock.now().astimezone(UTC) - LOOKS_BACK).date()
                asked.since.FromDatetime(datetime.combine(day, time(), UTC))
            told = await route.bound.answer(self._ports, asked, call)
            since = asked.since.ToDatetime(UTC)
            about = request.url.path.removeprefix("/v1/").rpartition("/")[0]
            return changes_feed(told, about=about, url=str(request.url), since=since)

        path, cost = route.bound.path, route.bound.method.cost
        try:
            outcome = await outcome_of(self._calls, request, path, cost, work)
        except ScopsError as error:
            return problem(request, failure_of(error))
        if outcome.failure is not None:
            return problem(request, outcome.failure, outcome.request_id)
        headers = {REQUEST_ID: outcome.request_id}
        return tagged(request, outcome.response, ATOM_TYPE, headers=headers)
