"""The methods of the public API that read the audit, as rows."""

from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from scops.api.v1alpha1 import audit_service_pb2 as protos
from scops.common.access.permissions import Permission
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import results, same
from scops.gateway.api.method import Method
from scops.gateway.api.request_values import instant
from scops.gateway.audit.entry import AuditFilter
from scops.gateway.handlers import audits


def _filter(request: Any) -> AuditFilter:
    return AuditFilter(
        **same("principal", "action", "resource")(request),
        start=instant(request, "start_time"),
        end=instant(request, "end_time"),
    )


AUDIT_METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    protos.DESCRIPTOR.services_by_name["AuditService"]: (
        Method(
            "ListAuditEntries",
            audits.list_entries,
            lambda request: {"wanted": _filter(request), **results(request)},
            permissions=(Permission.READ_AUDIT,),
        ),
        Method(
            "VerifyAudit",
            audits.verify_chain,
            same("after_sequence", "after_hash"),
            permissions=(Permission.READ_AUDIT,),
            cost=CallCost.SEARCH,
        ),
    ),
}
