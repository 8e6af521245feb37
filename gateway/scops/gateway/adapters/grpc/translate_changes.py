"""What changed, between the API's messages and ours."""

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.common.contract.messages.change import (
    ChangeRule,
    HostMask,
    PageChange,
    TemplatesResponse,
    TextEdit,
    WhatChangedResponse,
)
from scops.common.contract.messages.types import ChangeSummary
from scops.gateway.adapters.grpc.translate_times import timestamp
from scops.gateway.requests.names import page_name

NO_SUMMARY = ChangeSummary()


def rule_of(request: pb.WhatChangedRequest) -> ChangeRule:
    """Returns the rule of a request."""
    return ChangeRule(
        counted_reasons=tuple(request.counted_reasons),
        ignored_reasons=tuple(request.ignored_reasons),
        with_noise=request.with_noise,
    )


def changes_message(found: WhatChangedResponse) -> pb.WhatChangedResponse:
    """Returns the message of what changed."""
    return pb.WhatChangedResponse(
        changes=[_change(page) for page in found.changes],
        suppressed=found.suppressed,
        returned=found.returned,
        truncated=found.truncated,
    )


def templates_message(found: TemplatesResponse) -> pb.ListTemplatesResponse:
    """Returns the message of what hosts repeat, or a page leaves out."""
    return pb.ListTemplatesResponse(
        hosts=[_host(host) for host in found.hosts],
        left_out=[part.text for part in found.left_out],
    )


def _host(host: HostMask) -> pb.HostTemplates:
    blocks = [
        pb.TemplateBlock(
            text=block.text,
            page_count=block.pages,
            keeper_uri=block.keeper_url,
            retired=block.retired,
        )
        for block in host.blocks
    ]
    return pb.HostTemplates(host=host.host, epoch=host.epoch, page_count=host.pages, blocks=blocks)


def _change(page: PageChange) -> pb.PageChange:
    summary = page.summary or NO_SUMMARY
    return pb.PageChange(
        name=page_name(page.page_id),
        uri=page.canonical_url,
        title=page.title,
        news=page.news.value,
        from_version=page.from_version_id,
        to_version=page.to_version_id,
        changed_after_time=timestamp(page.changed_after_time),
        observed_time=timestamp(page.observed_time),
        change_class=summary.change_class.value if page.summary else "",
        change_reasons=summary.reasons,
        salience=summary.salience,
        edits=[_edit(edit) for edit in page.edits],
        truncated=page.truncated,
    )


def _edit(edit: TextEdit) -> pb.TextEdit:
    return pb.TextEdit(
        change_class=edit.change_class.value,
        reasons=edit.reasons,
        salience=edit.salience,
        from_start=edit.from_start,
        from_end=edit.from_end,
        to_start=edit.to_start,
        to_end=edit.to_end,
        from_text=edit.from_text,
        to_text=edit.to_text,
        section_path=edit.section_path,
    )
