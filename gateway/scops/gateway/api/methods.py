"""The methods of the public API as rows, which every door binds in its own way.

A row names the use case and how its arguments come from the request; `api.responses` makes the
response of what it returns, and `scops.gateway.calls` says what happens around a call.
"""

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass

from scops.api.v1alpha1 import job_service_pb2 as job_protos
from scops.api.v1alpha1 import page_service_pb2 as page_protos
from scops.api.v1alpha1 import scope_service_pb2 as scope_protos
from scops.common.access.permissions import Permission
from scops.common.contract import wire
from scops.common.contract.messages.change import ChangeRule
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.arguments import results, same
from scops.gateway.api.audit_methods import AUDIT_METHODS
from scops.gateway.api.chat_methods import CHAT_METHODS
from scops.gateway.api.credential_methods import CREDENTIAL_METHODS
from scops.gateway.api.identity_methods import IDENTITY_METHODS
from scops.gateway.api.method import BoundMethod, Method
from scops.gateway.api.operations_methods import OPERATIONS_METHODS
from scops.gateway.api.purge_methods import PURGE_METHODS
from scops.gateway.api.request_values import (
    grant_value,
    instant,
    rule_values,
    scope_value,
)
from scops.gateway.api.research_methods import RESEARCH_METHODS
from scops.gateway.api.search_methods import SEARCH_METHODS
from scops.gateway.api.transfer_methods import CAPTURE_METHOD, TRANSFER_METHODS
from scops.gateway.api.watch_methods import WATCH_METHODS
from scops.gateway.handlers import (
    changes,
    jobs,
    pages,
    previews,
    revisions,
    scopes,
    sharing,
    signals,
    watching,
)
from scops.gateway.requests.names import PAGES, SCOPES, job_of, page_of, scope_of

# Between two looks of a stream.
JOB_LOOK_SECONDS, CHANGES_LOOK_SECONDS = 0.5, 2.0

METHODS: dict[ServiceDescriptor, tuple[Method, ...]] = {
    **IDENTITY_METHODS,
    **AUDIT_METHODS,
    **SEARCH_METHODS,
    **TRANSFER_METHODS,
    **WATCH_METHODS,
    **CHAT_METHODS,
    **RESEARCH_METHODS,
    scope_protos.DESCRIPTOR.services_by_name["ScopeService"]: (
        Method(
            "CreateScope",
            scopes.create_scope,
            lambda request: {
                "scope_id": request.scope_id,
                "wanted": scope_value(request.scope),
                "request_id": request.request_id,
            },
            permissions=(Permission.CREATE_SCOPE,),
            read_only=False,
        ),
        Method(
            "GetScope",
            scopes.get_scope,
            lambda request: {"scope_id": scope_of(request.name)},
            permissions=(Permission.VIEW_SCOPE,),
        ),
        Method(
            "GetScopeUse",
            scopes.get_scope_use,
            lambda request: {"scope_id": scope_of(request.name)},
            permissions=(Permission.VIEW_SCOPE,),
        ),
        Method("ListScopes", scopes.list_scopes, results, permissions=(Permission.VIEW_SCOPE,)),
        Method(
            "UpdateScope",
            scopes.update_scope,
            lambda request: {
                "scope_id": scope_of(request.scope.name, field="scope.name"),
                "wanted": scope_value(request.scope),
                "mask": tuple(request.update_mask.paths),
                "etag": request.scope.etag,
                "reason": request.reason,
            },
            permissions=(
                Permission.CHANGE_RULES,
                Permission.SHARE,
                Permission.PURGE,
            ),
            read_only=False,
        ),
        Method(
            "DeleteScope",
            scopes.delete_scope,
            lambda request: {"scope_id": scope_of(request.name), "etag": request.etag},
            permissions=(Permission.DELETE_SCOPE,),
            read_only=False,
        ),
        Method(
            "PreviewScope",
            previews.preview_scope,
            lambda request: {
                "scope_id": SCOPES.optional_id_of(request.name),
                "rules": rule_values(request.rules),
            },
            permissions=(Permission.VIEW_SCOPE,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "AddPages",
            scopes.add_pages,
            lambda request: {
                "scope_id": scope_of(request.name),
                "uris": tuple(request.uris),
                "reason": request.reason,
            },
            permissions=(Permission.ADD_PAGES,),
            read_only=False,
        ),
        Method(
            "ShareScope",
            sharing.share_scope,
            lambda request: {
                "scope_id": scope_of(request.name),
                "grant": grant_value(request.grant),
                "etag": request.etag,
            },
            permissions=(Permission.SHARE,),
            read_only=False,
        ),
        Method(
            "TransferScope",
            sharing.transfer_scope,
            lambda request: {"scope_id": scope_of(request.name), **same("owner", "etag")(request)},
            permissions=(Permission.TRANSFER,),
            read_only=False,
        ),
        Method(
            "ForkScope",
            sharing.fork_scope,
            lambda request: {
                "scope_id": scope_of(request.name),
                "new_id": request.scope_id,
                **same("display_name", "request_id")(request),
            },
            permissions=(Permission.VIEW_SCOPE,),
            read_only=False,
        ),
        Method(
            "ListScopeRevisions",
            revisions.list_revisions,
            lambda request: {"scope_id": scope_of(request.name), **results(request)},
            permissions=(Permission.VIEW_SCOPE,),
        ),
        Method(
            "RevertScope",
            revisions.revert_scope,
            lambda request: {
                "scope_id": scope_of(request.name),
                **same("revision", "etag", "reason")(request),
            },
            permissions=(Permission.CHANGE_RULES, Permission.SHARE, Permission.PURGE),
            read_only=False,
        ),
        *CREDENTIAL_METHODS,
    ),
    page_protos.DESCRIPTOR.services_by_name["PageService"]: (
        Method(
            "ListPages",
            pages.list_pages,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                "prefix": request.prefix,
                **results(request),
            },
            permissions=(Permission.ASK,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "GetPage",
            pages.get_page,
            lambda request: {"page_id": PAGES.optional_id_of(request.name), "uri": request.uri},
            permissions=(Permission.ASK,),
        ),
        CAPTURE_METHOD,
        Method(
            "SignalPages",
            signals.signal_pages,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                "uris": tuple(request.uris),
                "sent_time": instant(request, "send_time"),
            },
            permissions=(Permission.REVALIDATE,),
            cost=CallCost.SEARCH,
            read_only=False,
            signed=True,
        ),
        Method("LocatePage", pages.locate_page, same("uri"), permissions=(Permission.ASK,)),
        Method(
            "ReadPage",
            pages.read_page,
            lambda request: {
                "page_id": PAGES.optional_id_of(request.name),
                "as_of": instant(request, "as_of_time"),
                **same("uri", "version", "section", "start", "character_limit")(request),
            },
            permissions=(Permission.ASK,),
        ),
        Method(
            "ListPageVersions",
            pages.list_versions,
            lambda request: {
                "page_id": page_of(request.name),
                "page_size": request.page_size,
                "scope_id": SCOPES.optional_id_of(request.scope, "scope"),
            },
            permissions=(Permission.ASK,),
        ),
        Method(
            "DiffPageVersions",
            pages.diff_versions,
            lambda request: {
                "page_id": page_of(request.name),
                "from_version": request.from_version,
                "to_version": request.to_version,
            },
            permissions=(Permission.ASK,),
        ),
        Method(
            "WhatChanged",
            changes.what_changed,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                "since": instant(request, "since"),
                "rule": wire.from_proto(ChangeRule, request),
                "page_size": request.page_size,
            },
            permissions=(Permission.ASK,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "ListPageChanges",
            changes.list_page_changes,
            lambda request: {
                "page_id": page_of(request.name),
                "since": instant(request, "since"),
                "rule": wire.from_proto(ChangeRule, request),
            },
            permissions=(Permission.ASK,),
            cost=CallCost.SEARCH,
        ),
        Method(
            "WatchChanges",
            watching.watch_changes,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                "since": instant(request, "since"),
                "cursor": request.cursor,
                "rule": wire.from_proto(ChangeRule, request),
            },
            permissions=(Permission.ASK,),
            every=CHANGES_LOOK_SECONDS,
        ),
        Method(
            "RechunkPages",
            changes.rechunk_pages,
            lambda request: {
                "scope_id": scope_of(request.scope, "scope"),
                "dry_run": request.dry_run,
            },
            permissions=(Permission.RECHUNK,),
            cost=CallCost.SEARCH,
            read_only=False,
        ),
        Method(
            "PinPageVersion",
            changes.pin_version,
            lambda request: {
                "page_id": page_of(request.name),
                **same("version", "days", "note", "unpin")(request),
            },
            permissions=(Permission.PIN,),
            read_only=False,
        ),
        Method(
            "ListVolatileBlocks",
            changes.list_volatile_blocks,
            lambda request: {"page_id": page_of(request.name)},
            permissions=(Permission.ASK,),
        ),
        Method(
            "SetVolatileBlock",
            changes.set_volatile_block,
            lambda request: {
                "page_id": page_of(request.name),
                **same("block", "loud")(request),
            },
            permissions=(Permission.CHANGE_RULES,),
            read_only=False,
        ),
        Method(
            "ListTemplates",
            changes.list_templates,
            lambda request: {
                "scope_id": SCOPES.optional_id_of(request.scope, "scope"),
                "page_id": PAGES.optional_id_of(request.page, "page"),
            },
            permissions=(Permission.ASK,),
        ),
    ),
    job_protos.DESCRIPTOR.services_by_name["JobService"]: (
        Method(
            "CreateJob",
            jobs.create_job,
            lambda request: {
                "scope_id": scope_of(request.job.scope, field="job.scope"),
                "urls": tuple(request.job.urls),
                "page_limit": request.job.page_limit,
                "request_id": request.request_id,
            },
            permissions=(
                Permission.CRAWL,
                Permission.REVALIDATE,
            ),
            read_only=False,
        ),
        Method(
            "GetJob",
            jobs.get_job,
            lambda request: {"job_id": job_of(request.name)},
            permissions=(Permission.ASK,),
        ),
        Method(
            "WatchJob",
            watching.watch_job,
            lambda request: {"job_id": job_of(request.name)},
            permissions=(Permission.ASK,),
            every=JOB_LOOK_SECONDS,
        ),
        Method(
            "ListJobs",
            jobs.list_jobs,
            lambda request: {
                "scope_id": SCOPES.optional_id_of(request.scope, "scope"),
                **results(request),
            },
            permissions=(Permission.ASK,),
        ),
        Method(
            "CancelJob",
            jobs.cancel_job,
            lambda request: {"job_id": job_of(request.name)},
            permissions=(Permission.CRAWL,),
            cost=CallCost.NOTHING,
            read_only=False,
        ),
    ),
    **PURGE_METHODS,
    **OPERATIONS_METHODS,
}


def bound_methods(service: ServiceDescriptor) -> tuple[BoundMethod, ...]:
    """Returns the methods of a service with the messages that its proto names."""
    found = []
    for method in METHODS[service]:
        proto = service.methods_by_name[method.name]
        found.append(
            BoundMethod(
                path=f"/{service.full_name}/{method.name}",
                method=method,
                request=GetMessageClass(proto.input_type),
                response=GetMessageClass(proto.output_type),
                streams=proto.server_streaming,
            )
        )
    return tuple(found)
