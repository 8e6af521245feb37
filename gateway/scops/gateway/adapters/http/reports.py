"""The report of a research over HTTP: JSON for programs, Markdown and a page for people."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.common.contract.errors import InvalidInput, ScopsError
from scops.gateway.adapters.http.replies import JSON_TYPE, problem, tagged
from scops.gateway.adapters.http.resources import outcome_of
from scops.gateway.adapters.http.routes import Routes, request_of
from scops.gateway.adapters.research.forms import FORMS, written
from scops.gateway.adapters.research.page import REPORT_HEADERS
from scops.gateway.calls import REQUEST_ID, Call, PublicCalls, failure_of
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import FIELD

SUFFIX, FORMAT = "/report", "format"
TYPES = {"json": JSON_TYPE, "md": "text/markdown", "html": "text/html"}


class ReportDoor:
    """What gives reports out; permissions, budgets and records are those of GetResearch."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls
        self._routes = Routes()

    def routes(self) -> list[Route]:
        """Returns the route."""
        return [Route("/v1/researches/{research}/report", self.report, methods=["GET"])]

    async def report(self, request: Request) -> Response:
        """Serves a report in the form that `format` names, or else that its reader accepts."""
        found, segments = self._routes.of_path(request.url.path.removesuffix(SUFFIX))
        route = found.get("GET")
        if route is None:
            return Response(status_code=404)

        async def work(body: Any, call: Call) -> bytes:
            query = [pair for pair in request.query_params.multi_items() if pair[0] != FORMAT]
            asked = request_of(route, segments, query, body)
            told = await route.bound.answer(self._ports, asked, call)
            return written(told, form).encode()

        path, cost = route.bound.path, route.bound.method.cost
        try:
            form = _form(request)
            outcome = await outcome_of(self._calls, request, path, cost, work)
        except ScopsError as error:
            return problem(request, failure_of(error))
        if outcome.failure is not None:
            return problem(request, outcome.failure, outcome.request_id)
        headers = {**REPORT_HEADERS, REQUEST_ID: outcome.request_id}
        response = tagged(request, outcome.response, TYPES[form], headers=headers)
        response.headers["vary"] += ", Accept"
        return response


def _form(request: Request) -> str:
    """Returns the form that a reader wants.

    Raises:
        InvalidInput: there is none such.
    """
    wanted = request.query_params.get(FORMAT)
    if wanted is None:
        return _accepted(request.headers.get("accept", ""))
    if wanted not in FORMS:
        raise InvalidInput(
            f"A report comes as {', '.join(FORMS)}, not as {wanted[:40]!r}.",
            reason="FIELD_INVALID",
            **{FIELD: FORMAT},
        )
    return wanted


def _accepted(header: str) -> str:
    """Returns the form that is accepted first (RFC 9110, section 12.5.1); JSON where none is.

    Weights are not read: who names several says which one by `format`.
    """
    named = [one.partition(";")[0].strip().lower() for one in header.split(",")]
    forms = {kind: form for form, kind in TYPES.items()}
    return next((forms[kind] for kind in named if kind in forms), "json")
