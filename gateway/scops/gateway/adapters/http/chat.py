"""OpenAI's form of asking: models are scopes, and a chat completion is an answer.

Each request is a call of the API's own methods, with their permissions, budgets and records; an
answer has passed its checks as a whole before the first event of a stream leaves.
"""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.errors import TransientError
from scops.gateway.adapters.http.chat_models import ALL, PREFIX, chat_model, model_names
from scops.gateway.adapters.http.chat_values import answer_request, chunks, completion
from scops.gateway.adapters.http.openai_calls import json_of, served
from scops.gateway.adapters.http.replies import NEVER_KEPT
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import REQUEST_ID, Call, CallOutcome, PublicCalls
from scops.gateway.handlers.embeddings import embedder_id
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import PAGE_SIZE_MAX

EVENTS_TYPE = "text/event-stream"
OWNER = "scops"
# Pages of scopes that a list of models reads; who sees more names theirs without the list.
PAGES_MAX = 10


class ChatDoor:
    """What official clients of OpenAI's API call."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls
        bound = {one.method.name: one for service in METHODS for one in bound_methods(service)}
        self._answer, self._scope = bound["Answer"], bound["GetScope"]
        self._scopes = bound["ListScopes"]

    def routes(self) -> list[Route]:
        """Returns the routes, all below `/v1`."""
        return [
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/models/{model:path}", self.model, methods=["GET"]),
            Route("/v1/chat/completions", self.complete, methods=["POST"]),
        ]

    async def models(self, request: Request) -> Response:
        """Lists a model a scope that the caller sees, the one of them all, and the embedder."""

        async def work(_: Any, call: Call) -> list[str]:
            names: list[str] = []
            token = ""
            for _ in range(PAGES_MAX):
                asked = scopes.ListScopesRequest(page_size=PAGE_SIZE_MAX, page_token=token)
                page: Any = await self._scopes.answer(self._ports, asked, call)
                names += [scope.name for scope in page.scopes]
                token = page.next_page_token
                if not token:
                    break
            return [*model_names(names), *await self._embedder(call)]

        def listed(outcome: CallOutcome) -> Response:
            data = [_model(name) for name in outcome.response]
            return json_of(request, {"object": "list", "data": data}, outcome)

        return await self._served(request, self._scopes, work, listed)

    async def model(self, request: Request) -> Response:
        """Says that a model is there: all of its scopes are, or it is the embedder."""
        name: str = request.path_params["model"]

        async def work(_: Any, call: Call) -> None:
            if not name.startswith(PREFIX) and name == await embedder_id(self._ports, call):
                return
            for scope in chat_model(name).scopes:
                if scope != ALL:
                    await self._scope.answer(self._ports, scopes.GetScopeRequest(name=scope), call)

        def found(outcome: CallOutcome) -> Response:
            return json_of(request, _model(name), outcome)

        return await self._served(request, self._scope, work, found)

    async def complete(self, request: Request) -> Response:
        """Answers the last message of a conversation, at once or in chunks."""
        asked: dict[str, Any] = {}

        async def work(body: Any, call: Call) -> Message:
            question = answer_request(body)
            asked.update(body)
            return await self._answer.answer(self._ports, question, call)

        def answered(outcome: CallOutcome) -> Response:
            about = {
                "id": f"chatcmpl-{outcome.request_id}",
                "created": int(self._ports.clock.now().timestamp()),
                "model": asked["model"],
            }
            if asked.get("stream") is not True:
                return json_of(request, completion(outcome.response, about), outcome)
            options = asked.get("stream_options")
            with_usage = isinstance(options, dict) and options.get("include_usage") is True
            told = chunks(outcome.response, about, with_usage=with_usage)
            headers = {REQUEST_ID: outcome.request_id, "cache-control": NEVER_KEPT}
            return StreamingResponse(_events(told), headers=headers, media_type=EVENTS_TYPE)

        return await self._served(request, self._answer, work, answered)

    async def _embedder(self, call: Call) -> list[str]:
        """Returns the embedder's model; none while no retriever answers: scopes are known here."""
        try:
            return [await embedder_id(self._ports, call)]
        except TransientError:
            return []

    async def _served(
        self,
        request: Request,
        bound: BoundMethod,
        work: Callable[[Any, Call], Awaitable[Any]],
        respond: Callable[[CallOutcome], Response],
    ) -> Response:
        return await served(self._calls, request, bound.path, bound.method.cost, work, respond)


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER}


def _events(values: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for value in values:
        yield b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"
