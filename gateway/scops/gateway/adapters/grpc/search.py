"""SearchService over gRPC."""

from typing import Any

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.api.v1alpha1.search_service_pb2_grpc import SearchServiceServicer
from scops.gateway.adapters.grpc.calls import current_call
from scops.gateway.adapters.grpc.translate_citations import citation_of, resolved_message
from scops.gateway.adapters.grpc.translate_search import (
    answer_message,
    as_of,
    explain_message,
    search_message,
    weights_of,
    wording_of,
)
from scops.gateway.handlers import citations as citation_requests
from scops.gateway.handlers import search
from scops.gateway.ports import GatewayPorts


class SearchServicer(SearchServiceServicer):
    """Translates and calls the use cases."""

    def __init__(self, ports: GatewayPorts) -> None:
        self._ports = ports

    async def Search(self, request: pb.SearchRequest, context: Any) -> pb.SearchResponse:
        response = await search.search(
            self._ports,
            current_call(),
            query=request.query,
            scopes=tuple(request.scopes),
            page_size=request.page_size,
            as_of=as_of(request),
            weights=weights_of(request),
            recipe=request.recipe,
            preferred=tuple((one.scope, one.priority) for one in request.preferred_scopes),
            min_score=request.min_score if request.HasField("min_score") else None,
            page_passages_max=(
                request.page_passages_max if request.HasField("page_passages_max") else None
            ),
        )
        return search_message(response)

    async def Answer(self, request: pb.AnswerRequest, context: Any) -> pb.AnswerResponse:
        response = await search.answer(
            self._ports,
            current_call(),
            query=request.query,
            scopes=tuple(request.scopes),
            as_of=as_of(request),
            explain=request.explain,
            recipe=request.recipe,
            wording=wording_of(request),
        )
        return answer_message(response)

    async def Explain(self, request: pb.ExplainRequest, context: Any) -> pb.ExplainResponse:
        explained, rationale = await search.explain(
            self._ports,
            current_call(),
            query=request.query,
            scopes=tuple(request.scopes),
            page_size=request.page_size,
            as_of=as_of(request),
            bundle=request.evidence_bundle,
            recipe=request.recipe,
        )
        return explain_message(explained, rationale)

    async def ResolveCitations(
        self, request: pb.ResolveCitationsRequest, context: Any
    ) -> pb.ResolveCitationsResponse:
        citations = [
            citation_of(message, f"citations[{index}]")
            for index, message in enumerate(request.citations)
        ]
        resolved = await citation_requests.resolve_citations(self._ports, current_call(), citations)
        return pb.ResolveCitationsResponse(citations=[resolved_message(item) for item in resolved])
