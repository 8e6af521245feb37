"""PageService over gRPC."""

from typing import Any

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.api.v1alpha1.page_service_pb2_grpc import PageServiceServicer
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import PinRequest
from scops.gateway.adapters.grpc.calls import current_call
from scops.gateway.adapters.grpc.translate_changes import (
    changes_message,
    rule_of,
    templates_message,
)
from scops.gateway.adapters.grpc.translate_pages import diff_message, page_message, versions_message
from scops.gateway.adapters.grpc.translate_times import instant, timestamp
from scops.gateway.handlers import pages as page_requests
from scops.gateway.handlers.changes import list_templates, pin_version, rechunk_pages, what_changed
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.names import page_of, scope_of


class PageServicer(PageServiceServicer):
    """Translates and calls the use cases."""

    def __init__(self, ports: GatewayPorts) -> None:
        self._ports = ports

    async def ListPages(self, request: pb.ListPagesRequest, context: Any) -> pb.ListPagesResponse:
        pages, token = await page_requests.list_pages(
            self._ports,
            current_call(),
            scope_id=scope_of(request.scope, field="scope"),
            page_size=request.page_size,
            page_token=request.page_token,
        )
        messages = [page_message(page) for page in pages]
        return pb.ListPagesResponse(pages=messages, next_page_token=token)

    async def GetPage(self, request: pb.GetPageRequest, context: Any) -> pb.GetPageResponse:
        page = await page_requests.get_page(
            self._ports,
            current_call(),
            page_id=page_of(request.name) if request.name else PageId(""),
            uri=request.uri,
        )
        return pb.GetPageResponse(page=page_message(page))

    async def ListPageVersions(
        self, request: pb.ListPageVersionsRequest, context: Any
    ) -> pb.ListPageVersionsResponse:
        history, truncated = await page_requests.list_versions(
            self._ports,
            current_call(),
            page_id=page_of(request.name),
            page_size=request.page_size,
            scope_id=scope_of(request.scope, field="scope") if request.scope else ScopeId(""),
        )
        return versions_message(history, truncated)

    async def DiffPageVersions(
        self, request: pb.DiffPageVersionsRequest, context: Any
    ) -> pb.DiffPageVersionsResponse:
        diff = await page_requests.diff_versions(
            self._ports,
            current_call(),
            page_id=page_of(request.name),
            from_version=request.from_version,
            to_version=request.to_version,
        )
        return diff_message(diff)

    async def WhatChanged(
        self, request: pb.WhatChangedRequest, context: Any
    ) -> pb.WhatChangedResponse:
        found = await what_changed(
            self._ports,
            current_call(),
            scope_id=scope_of(request.scope, field="scope"),
            since=instant(request.since, "since") if request.HasField("since") else None,
            rule=rule_of(request),
            page_size=request.page_size,
        )
        return changes_message(found)

    async def RechunkPages(
        self, request: pb.RechunkPagesRequest, context: Any
    ) -> pb.RechunkPagesResponse:
        done = await rechunk_pages(
            self._ports,
            current_call(),
            scope_id=scope_of(request.scope, field="scope"),
            dry_run=request.dry_run,
        )
        return pb.RechunkPagesResponse(
            outdated=done.outdated,
            asked=done.asked,
            waiting=done.waiting,
            truncated=done.truncated,
        )

    async def PinPageVersion(
        self, request: pb.PinPageVersionRequest, context: Any
    ) -> pb.PinPageVersionResponse:
        done = await pin_version(
            self._ports,
            current_call(),
            request=PinRequest(
                page_id=page_of(request.name),
                version=request.version,
                days=request.days,
                note=request.note,
                unpin=request.unpin,
            ),
        )
        return pb.PinPageVersionResponse(
            version=done.version_id, until_time=timestamp(done.until_time)
        )

    async def ListTemplates(
        self, request: pb.ListTemplatesRequest, context: Any
    ) -> pb.ListTemplatesResponse:
        found = await list_templates(
            self._ports,
            current_call(),
            scope_id=scope_of(request.scope, field="scope") if request.scope else ScopeId(""),
            page_id=page_of(request.page, "page") if request.page else PageId(""),
        )
        return templates_message(found)
