"""The methods of the ResearchService as rows."""

from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import research_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import results
from scops.gateway.api.method import Method
from scops.gateway.handlers.research import asking
from scops.gateway.handlers.research.asking import WantedResearch
from scops.gateway.requests.names import research_of

LOOK_SECONDS = 0.3


def _wanted(request: protos.CreateResearchRequest) -> dict[str, Any]:
    research = request.research
    wanted = WantedResearch(
        question=research.question,
        uri=research.uri,
        scope=research.scope,
        scopes=tuple(research.scopes),
        hosts=tuple(research.hosts),
        pages=research.budget.pages,
        seconds=research.budget.seconds,
        bytes=research.budget.bytes,
        keep_days=research.keep_days if research.HasField("keep_days") else None,
    )
    return {"wanted": wanted, "request_id": request.request_id}


def _named(request: Any) -> dict[str, Any]:
    return {"research_id": research_of(request.name)}


RESEARCH_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["ResearchService"]: (
        Method(
            "CreateResearch",
            asking.create_research,
            _wanted,
            permissions=(Permission.REVALIDATE,),
            cost=CallCost.ANSWER,
            read_only=False,
        ),
        Method("GetResearch", asking.get_research, _named, permissions=(Permission.KEEP_CHATS,)),
        Method(
            "WatchResearch",
            asking.watch_research,
            _named,
            permissions=(Permission.KEEP_CHATS,),
            every=LOOK_SECONDS,
        ),
        Method(
            "ListResearches",
            asking.list_researches,
            results,
            permissions=(Permission.KEEP_CHATS,),
        ),
        Method(
            "CancelResearch",
            asking.cancel_research,
            _named,
            permissions=(Permission.KEEP_CHATS,),
            read_only=False,
        ),
        Method(
            "DeleteResearch",
            asking.delete_research,
            _named,
            permissions=(Permission.KEEP_CHATS,),
            read_only=False,
        ),
    ),
}
