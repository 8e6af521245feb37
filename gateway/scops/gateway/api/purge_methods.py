"""The methods of the public API that purge, as rows."""

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import purge_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import results, same
from scops.gateway.api.method import Method
from scops.gateway.api.request_values import instant
from scops.gateway.handlers import purges
from scops.gateway.requests.names import SCOPES, page_of, purge_of

PURGE_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["PurgeService"]: (
        Method(
            "PurgePages",
            purges.purge_pages,
            lambda request: {
                "page_ids": tuple(
                    page_of(name, f"pages[{index}]") for index, name in enumerate(request.pages)
                ),
                "url_prefixes": tuple(request.uri_prefixes),
                "scope_id": SCOPES.optional_id_of(request.scope, "scope"),
                "before_time": instant(request, "before_time"),
                **same("reason", "dry_run", "request_id")(request),
            },
            permissions=(
                Permission.PURGE,
                Permission.PURGE_ANYTHING,
            ),
            cost=CallCost.SEARCH,
            read_only=False,
        ),
        Method(
            "GetPurge",
            purges.get_purge,
            lambda request: {"purge_id": purge_of(request.name)},
            permissions=(
                Permission.PURGE,
                Permission.PURGE_ANYTHING,
            ),
        ),
        Method(
            "ListPurges",
            purges.list_purges,
            results,
            permissions=(
                Permission.PURGE,
                Permission.PURGE_ANYTHING,
            ),
        ),
    ),
}
