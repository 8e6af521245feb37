"""OpenAI's form of asking: models are scopes, and a completion or a response is an answer.

Each request is a call of the API's own methods, with their permissions, budgets and records. Of a
stream each part leaves as it comes: what was found, and then what is said, once it is checked.
A model of research begins a run, whose pages are told as they come, and its answer at last.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.api.v1alpha1 import research_service_pb2 as researches
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.errors import TransientError
from scops.gateway.adapters.http.arrivals import arrival_of
from scops.gateway.adapters.http.event_stream import EventStream, PartSource, ReadBody
from scops.gateway.adapters.http.openai.calls import Telling, TellingForm, json_of, served
from scops.gateway.adapters.http.openai.chat_models import ALL, PREFIX, chat_model, model_names
from scops.gateway.adapters.http.openai.chat_values import Chunks, answer_request, completion
from scops.gateway.adapters.http.openai.research import (
    BegunResearch,
    ResearchTelling,
    followed,
)
from scops.gateway.adapters.http.openai.research_values import research_request
from scops.gateway.adapters.http.openai.response_values import Events, response_request, whole
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import Call, CallOutcome, PublicCalls
from scops.gateway.handlers.embeddings import embedder_id
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import PAGE_SIZE_MAX
from scops.gateway.streams import OpenStream, PublicStreams

OWNER = "scops"
# Pages of scopes that a list of models reads; who sees more names theirs without the list.
PAGES_MAX = 10


class ChatDoor:
    """What official clients of OpenAI's API call."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams) -> None:
        self._ports = ports
        self._calls = calls
        self._streams = streams
        bound = {one.method.name: one for service in METHODS for one in bound_methods(service)}
        self._answer, self._stream = bound["Answer"], bound["StreamAnswer"]
        self._scope = bound["GetScope"]
        self._scopes = bound["ListScopes"]
        self._begin, self._watch = bound["CreateResearch"], bound["WatchResearch"]

    def routes(self) -> list[Route]:
        """Returns the routes, all below `/v1`."""
        return [
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/models/{model:path}", self.model, methods=["GET"]),
            Route("/v1/chat/completions", self.complete, methods=["POST"]),
            Route("/v1/responses", self.respond, methods=["POST"]),
        ]

    async def models(self, request: Request) -> Response:
        """Lists a model a scope that the caller sees, of all, of research, and the embedder."""

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
            return json_of(request, {"object": "list", "data": data}, outcome.request_id)

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
            return json_of(request, _model(name), outcome.request_id)

        return await self._served(request, self._scope, work, found)

    async def complete(self, request: Request) -> EventStream:
        """Answers the last message of a conversation as a completion, at once or in chunks."""

        def telling(body: Mapping[str, Any], about: Mapping[str, Any]) -> Telling:
            options = body.get("stream_options")
            with_usage = isinstance(options, dict) and options.get("include_usage") is True
            return Chunks(about, with_usage=with_usage)

        names = {"id": "chatcmpl-{}", "time": "created"}
        return self._answered(request, answer_request, completion, telling, names)

    async def respond(self, request: Request) -> EventStream:
        """Answers an input as a response, at once or in events."""
        names = {"id": "resp_{}", "time": "created_at"}
        return self._answered(
            request, response_request, whole, lambda _, about: Events(about), names
        )

    def _answered(
        self,
        request: Request,
        read: Callable[[Any], search.AnswerRequest],
        told: Callable[[Any, Mapping[str, Any]], dict[str, Any]],
        telling: Callable[[Mapping[str, Any], Mapping[str, Any]], Telling],
        names: Mapping[str, str],
    ) -> EventStream:
        """Answers what a body asks, at once or part by part, as it wants.

        Args:
            read: makes the question of the body, or refuses it.
            told: makes the response of an answer and of what each says of itself.
            telling: says how the parts are told, of the body and of what each says of itself.
            names: of what each says of itself: the form of its id, and what its time is called.
        """
        form = TellingForm(request)

        def opening(read_body: ReadBody) -> AbstractAsyncContextManager[PartSource]:
            arrival = arrival_of(request)

            async def parts(call: Call) -> AsyncIterator[Any]:
                body = await read_body()
                question = read(body)
                about: dict[str, Any] = {
                    "id": names["id"].format(call.request_id),
                    names["time"]: self._seconds(),
                    "model": body["model"],
                }
                if body.get("stream") is True:
                    form.telling = telling(body, about)

                def whole(answer: Any) -> Response:
                    return json_of(request, told(answer, about), call.request_id)

                if chat_model(body["model"]).is_research:
                    wanted = research_request(question, body)
                    begun: Any = await self._begin.answer(self._ports, wanted, call)
                    about["research"] = begun.research.name
                    telling_run = ResearchTelling(about, form.telling, whole)
                    yield BegunResearch(begun.research.name, telling_run)
                    return
                if form.telling is None:
                    yield whole(await self._answer.answer(self._ports, question, call))
                    return
                # The two questions have the same fields.
                asked = self._stream.request.FromString(question.SerializeToString())
                async for part in self._stream.parts(self._ports, asked, call):
                    yield b"".join(form.telling.of(part))

            def watch(name: str) -> AbstractAsyncContextManager[OpenStream]:
                async def named() -> Message:
                    return researches.WatchResearchRequest(name=name)

                return self._streams.serve(self._watch, self._ports, named, arrival)

            bound = self._answer
            first = self._streams.open(bound.path, parts, bound.method.cost, arrival)
            return followed(first, watch)

        return EventStream(request, opening, form)

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
