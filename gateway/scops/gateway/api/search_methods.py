"""The methods of the SearchService as rows."""

from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import search_service_pb2 as search_protos
from scops.common.access.permissions import Permission
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import question
from scops.gateway.api.method import Method
from scops.gateway.api.request_values import (
    answer_request,
    citation_values,
    explain_request,
    retrieve_request,
)
from scops.gateway.handlers import answer_parts, search
from scops.gateway.requests.names import CHATS


def _answering(request: Any) -> dict[str, Any]:
    return {
        **question(answer_request)(request),
        "chat_id": CHATS.optional_id_of(request.chat, field="chat"),
    }


SEARCH_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    search_protos.DESCRIPTOR.services_by_name["SearchService"]: (
        Method(
            "Search",
            search.search,
            question(retrieve_request),
            permissions=(Permission.ASK,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "Answer",
            search.answer,
            _answering,
            permissions=(Permission.ASK, Permission.REVALIDATE),
            cost=CallCost.ANSWER,
        ),
        Method(
            "StreamAnswer",
            answer_parts.stream_answer,
            _answering,
            permissions=(Permission.ASK, Permission.REVALIDATE),
            cost=CallCost.ANSWER,
        ),
        Method(
            "Explain",
            search.explain,
            question(explain_request),
            permissions=(Permission.ASK,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "ResolveCitations",
            search.resolve_citations,
            lambda request: {"citations": citation_values(request.citations)},
            permissions=(Permission.ASK,),
        ),
    ),
}
