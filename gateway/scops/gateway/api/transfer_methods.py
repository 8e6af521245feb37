"""The methods of the TransferService as rows, and the one that takes captures in."""

from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import transfer_service_pb2 as transfer_protos
from scops.common.access.permissions import Permission
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import same
from scops.gateway.api.method import Method
from scops.gateway.api.request_values import instant
from scops.gateway.handlers.transfers import capturing, exporting, importing
from scops.gateway.handlers.transfers.values import SeenPage, SeenResponse
from scops.gateway.requests.names import PAGES, scope_of


def _seen(number: int, page: Any) -> SeenPage:
    return SeenPage(
        page_id=PAGES.optional_id_of(page.name, f"pages[{number}].name"),
        uri=page.uri,
        aliases=tuple(page.aliases),
        observed_time=instant(page, "observed_time"),
        content=page.content,
        confirmed_time=instant(page, "confirmed_time"),
        gone_reason=page.gone_reason,
        joined=page.joined,
        response=_response(page.response) if page.HasField("response") else None,
        **same("confirmed_uri", "came_by", "asks")(page),
    )


def _response(response: Any) -> SeenResponse:
    return SeenResponse(
        last_modified_time=instant(response, "last_modified_time"),
        **same("body", "media_type", "charset", "content_language", "robots_tag")(response),
    )


CAPTURE_METHOD = Method(
    "PutPageCapture",
    capturing.put_page_capture,
    lambda request: {
        "scope_id": scope_of(request.scope, "scope"),
        "captured_time": instant(request, "capture_time"),
        "last_modified_time": instant(request, "last_modified_time"),
        **same("uri", "content", "charset", "media_type", "gone")(request),
    },
    permissions=(Permission.CAPTURE,),
    cost=CallCost.SEARCH,
    read_only=False,
)
TRANSFER_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    transfer_protos.DESCRIPTOR.services_by_name["TransferService"]: (
        Method(
            "ExportPages",
            exporting.export_pages,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                **same("page_size", "page_token", "with_vectors", "with_bodies")(request),
            },
            permissions=(Permission.EXPORT,),
            cost=CallCost.SEARCH,
            recorded=True,
        ),
        Method(
            "ImportPages",
            importing.import_pages,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                "pages": tuple(_seen(n, page) for n, page in enumerate(request.pages)),
            },
            permissions=(Permission.IMPORT_PAGES,),
            cost=CallCost.SEARCH,
            read_only=False,
        ),
    ),
}
