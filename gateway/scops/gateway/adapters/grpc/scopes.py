"""ScopeService over gRPC."""

from typing import Any

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.api.v1alpha1.scope_service_pb2_grpc import ScopeServiceServicer
from scops.gateway.adapters.grpc.calls import current_call
from scops.gateway.adapters.grpc.translate_scopes import (
    fields_of,
    preview_message,
    rules_of,
    scope_message,
)
from scops.gateway.handlers import scopes as scope_requests
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.names import scope_of


class ScopeServicer(ScopeServiceServicer):
    """Translates and calls the use cases."""

    def __init__(self, ports: GatewayPorts) -> None:
        self._ports = ports

    async def CreateScope(
        self, request: pb.CreateScopeRequest, context: Any
    ) -> pb.CreateScopeResponse:
        stored = await scope_requests.create_scope(
            self._ports,
            current_call(),
            scope_id=request.scope_id,
            fields=fields_of(request.scope),
            request_id=request.request_id,
        )
        return pb.CreateScopeResponse(scope=scope_message(stored))

    async def GetScope(self, request: pb.GetScopeRequest, context: Any) -> pb.GetScopeResponse:
        scope_id = scope_of(request.name)
        stored = await scope_requests.get_scope(self._ports, current_call(), scope_id)
        return pb.GetScopeResponse(scope=scope_message(stored))

    async def ListScopes(
        self, request: pb.ListScopesRequest, context: Any
    ) -> pb.ListScopesResponse:
        scopes, token = await scope_requests.list_scopes(
            self._ports,
            current_call(),
            page_size=request.page_size,
            page_token=request.page_token,
        )
        messages = [scope_message(stored) for stored in scopes]
        return pb.ListScopesResponse(scopes=messages, next_page_token=token)

    async def UpdateScope(
        self, request: pb.UpdateScopeRequest, context: Any
    ) -> pb.UpdateScopeResponse:
        stored = await scope_requests.update_scope(
            self._ports,
            current_call(),
            scope_id=scope_of(request.scope.name, field="scope.name"),
            fields=fields_of(request.scope),
            mask=tuple(request.update_mask.paths),
            etag=request.scope.etag,
        )
        return pb.UpdateScopeResponse(scope=scope_message(stored))

    async def DeleteScope(
        self, request: pb.DeleteScopeRequest, context: Any
    ) -> pb.DeleteScopeResponse:
        await scope_requests.delete_scope(
            self._ports, current_call(), scope_id=scope_of(request.name), etag=request.etag
        )
        return pb.DeleteScopeResponse()

    async def PreviewScope(
        self, request: pb.PreviewScopeRequest, context: Any
    ) -> pb.PreviewScopeResponse:
        preview = await scope_requests.preview_scope(
            self._ports,
            current_call(),
            scope_id=scope_of(request.name) if request.name else None,
            rules=rules_of(request.rules),
        )
        return preview_message(preview)
