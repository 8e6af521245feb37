"""OpenAI's form of embedding: texts of the caller as vectors of the embedder."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scops.common.contract.messages.retrieval import EmbedResponse
from scops.gateway.adapters.http.openai.calls import json_of, served
from scops.gateway.adapters.http.openai.embedding_values import (
    EmbeddingRequest,
    check_dimensions,
    embedding_request,
    embeddings,
)
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import Call, CallOutcome, PublicCalls
from scops.gateway.handlers.embeddings import embed
from scops.gateway.ports import GatewayPorts

PATH = "/v1/embeddings"


class EmbeddingDoor:
    """What official clients of OpenAI's API call to embed."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls

    def routes(self) -> list[Route]:
        """Returns the route."""
        return [Route(PATH, self.embed, methods=["POST"])]

    async def embed(self, request: Request) -> Response:
        """Embeds a text or some."""

        async def work(body: Any, call: Call) -> tuple[EmbedResponse, EmbeddingRequest]:
            asked = embedding_request(body)
            response = await embed(self._ports, call, texts=asked.texts, embedder_id=asked.model)
            check_dimensions(response, asked)
            return response, asked

        def embedded(outcome: CallOutcome) -> Response:
            return json_of(request, embeddings(*outcome.response), outcome.request_id)

        return await served(self._calls, request, PATH, CallCost.EMBED, work, embedded)
