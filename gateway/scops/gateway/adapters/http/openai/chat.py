"""OpenAI's form of asking: models are scopes, and a completion or a response is an answer.

Each request is a call of the API's own methods, with their permissions, budgets and records; an
answer has passed its checks as a whole before the first event of a stream leaves.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.errors import TransientError
from scops.gateway.adapters.http.openai.calls import (
    CHUNKS_END,
    event_of,
    json_of,
    served,
    streamed,
)
from scops.gateway.adapters.http.openai.chat_models import ALL, PREFIX, chat_model, model_names
from scops.gateway.adapters.http.openai.chat_values import answer_request, chunks, completion
from scops.gateway.adapters.http.openai.response_values import events, response_request, whole
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import Call, CallOutcome, PublicCalls
from scops.gateway.handlers.embeddings import embedder_id
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import PAGE_SIZE_MAX

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
            Route("/v1/responses", self.respond, methods=["POST"]),
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
        """Answers the last message of a conversation as a completion, at once or in chunks."""

        def told(body: Mapping[str, Any], outcome: CallOutcome) -> Response:
            about = {
                "id": f"chatcmpl-{outcome.request_id}",
                "created": self._seconds(),
                "model": body["model"],
            }
            if body.get("stream") is not True:
                return json_of(request, completion(outcome.response, about), outcome)
            options = body.get("stream_options")
            with_usage = isinstance(options, dict) and options.get("include_usage") is True
            chunked = chunks(outcome.response, about, with_usage=with_usage)
            return streamed(outcome, (*map(event_of, chunked), CHUNKS_END))

        return await self._answered(request, answer_request, told)

    async def respond(self, request: Request) -> Response:
        """Answers an input as a response, at once or in events."""

        def told(body: Mapping[str, Any], outcome: CallOutcome) -> Response:
            about = {
                "id": f"resp_{outcome.request_id}",
                "created_at": self._seconds(),
                "model": body["model"],
            }
            if body.get("stream") is not True:
                return json_of(request, whole(outcome.response, about), outcome)
            named = (event_of(one, one["type"]) for one in events(outcome.response, about))
            return streamed(outcome, named)

        return await self._answered(request, response_request, told)

    async def _answered(
        self,
        request: Request,
        read: Callable[[Any], Message],
        told: Callable[[Mapping[str, Any], CallOutcome], Response],
    ) -> Response:
        """Asks what a body says, and returns the answer as it is to be told.

        Args:
            read: makes the question of the body, or refuses it.
            told: makes the response of the body and what the call ended with.
        """
        asked: dict[str, Any] = {}

        async def work(body: Any, call: Call) -> Message:
            question = read(body)
            asked.update(body)
            return await self._answer.answer(self._ports, question, call)

        return await self._served(request, self._answer, work, lambda outcome: told(asked, outcome))

    def _seconds(self) -> int:
        return int(self._ports.clock.now().timestamp())

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
