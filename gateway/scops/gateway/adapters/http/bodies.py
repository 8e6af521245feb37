"""Bodies as they came: of a version, and of all that an answer cites as a WARC file.

They are foreign: only a PDF is shown in place, which no browser runs in our name; all else is a
file to be kept, in a sandbox without scripts, whatever it says that it is.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.common.contract.errors import ScopsError
from scops.gateway.adapters.http.replies import NEVER_KEPT, READ_AGAIN, problem
from scops.gateway.adapters.http.resources import outcome_of
from scops.gateway.adapters.http.routes import Routes, request_of
from scops.gateway.adapters.http.warc import WARC_TYPE, warc_of
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.api.request_values import citation_values
from scops.gateway.calls import REQUEST_ID, Call, CallOutcome, PublicCalls, failure_of
from scops.gateway.handlers.transfers.bodies import StoredVersion, cited_versions, read_body
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.names import page_of

PDF, PDF_BEGINS, PDF_BEGINS_WITHIN = "application/pdf", b"%PDF-", 1024
CITED_NAME = "cited.warc.gz"
FOREIGN = {
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class BodyDoor:
    """What gives bodies out; permissions, budgets and records are those of the methods."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls
        self._routes = Routes()
        bound = {one.method.name: one for service in METHODS for one in bound_methods(service)}
        self._read, self._resolve = bound["ReadPage"], bound["ResolveCitations"]

    def routes(self) -> list[Route]:
        """Returns the routes, all below `/v1`."""
        return [
            Route("/v1/pages/{page}/body", self.body, methods=["GET"]),
            Route("/v1/citations.warc", self.cited, methods=["POST"]),
        ]

    async def body(self, request: Request) -> Response:
        """Serves the body of a version, by default of the newest."""

        found, segments = self._routes.of_path(f"/v1/pages/{request.path_params['page']}:read")
        route = found["GET"]

        async def work(body: Any, call: Call) -> StoredVersion:
            query = request.query_params.multi_items()
            asked: Any = request_of(route, segments, query, body)
            # No more of the text than has to be: the body is what is wanted.
            asked.character_limit = 1
            await self._read.answer(self._ports, asked, call)
            page_id = page_of(asked.name)
            return await read_body(self._ports, call, page_id=page_id, version=asked.version)

        return await self._served(request, self._read, work, _given)

    async def cited(self, request: Request) -> Response:
        """Serves what citations name as a WARC file; the body is that of `citations:resolve`."""
        found, segments = self._routes.of_path("/v1/citations:resolve")
        route = found["POST"]

        async def work(body: Any, call: Call) -> bytes:
            asked: Any = request_of(route, segments, (), body)
            await self._resolve.answer(self._ports, asked, call)
            citations = citation_values(asked.citations)
            versions = await cited_versions(self._ports, call, citations=citations)
            return await asyncio.to_thread(warc_of, versions, name=CITED_NAME)

        return await self._served(request, self._resolve, work, _archived)

    async def _served(
        self,
        request: Request,
        method: BoundMethod,
        work: Callable[[Any, Call], Awaitable[Any]],
        told: Callable[[Any], Response],
    ) -> Response:
        try:
            outcome: CallOutcome = await outcome_of(
                self._calls, request, method.path, method.method.cost, work
            )
        except ScopsError as error:
            return problem(request, failure_of(error))
        if outcome.failure is not None:
            return problem(request, outcome.failure, outcome.request_id)
        response = told(outcome.response)
        response.headers[REQUEST_ID] = outcome.request_id
        return response


def _given(stored: StoredVersion) -> Response:
    begin = stored.data[:PDF_BEGINS_WITHIN]
    is_pdf = stored.body.media_type == PDF and PDF_BEGINS in begin
    kept = f'attachment; filename="{stored.version_id}"'
    headers = {
        **FOREIGN,
        "cache-control": READ_AGAIN,
        "content-disposition": "inline" if is_pdf else kept,
        "content-type": PDF if is_pdf else "application/octet-stream",
    }
    return Response(stored.data, headers=headers)


def _archived(file: bytes) -> Response:
    headers = {
        **FOREIGN,
        "cache-control": NEVER_KEPT,
        "content-disposition": f'attachment; filename="{CITED_NAME}"',
        "content-type": WARC_TYPE,
    }
    return Response(file, headers=headers)
