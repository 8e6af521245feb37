"""Pages, versions and differences between the API's messages and ours."""

from collections.abc import Iterable
from datetime import datetime

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.common.contract.messages.change import (
    DiffHunk,
    DiffKind,
    DiffResponse,
    HistoryEntry,
    HistoryResponse,
)
from scops.common.contract.messages.crawl import PagePlanResponse, PageSchedule
from scops.common.contract.messages.types import ChangeSummary
from scops.gateway.adapters.grpc.translate_times import timestamp
from scops.gateway.handlers.pages import VisiblePage
from scops.gateway.requests.names import page_name, scope_name

NUMBER_OF_DIFF = {
    DiffKind.EQUAL: pb.DiffPart.KIND_EQUAL,
    DiffKind.DELETE: pb.DiffPart.KIND_DELETE,
    DiffKind.INSERT: pb.DiffPart.KIND_INSERT,
    DiffKind.UNSPECIFIED: pb.DiffPart.KIND_UNSPECIFIED,
}
NO_CHANGE = ChangeSummary()


def page_message(seen: VisiblePage) -> pb.Page:
    """Returns the message of a page."""
    page = seen.page
    return pb.Page(
        name=page_name(page.page_id),
        uri=page.canonical_url,
        status=page.status,
        last_fetch_time=timestamp(page.last_fetch_time),
        last_reason=page.last_reason,
        aliases=page.aliases,
        scopes=[scope_name(scope.scope_id) for scope in seen.scopes],
        plan=plan_text(seen.plan) if seen.plan is not None else "",
        joined_uri=page.joined_url,
    )


def plan_text(plan: PagePlanResponse) -> str:
    """Returns in plain words when the page's host may be asked again, and how."""
    if not plan.host_key:
        return ""
    pace = f"{plan.host_key} is asked at most every {plan.host_delay_seconds:g} s"
    allowed = plan.host_next_allowed_time
    after = f", not before {allowed.isoformat(timespec='seconds')}" if allowed else ""
    how = "whether the page changed" if plan.has_validators else "for the whole page"
    clock = f"{pace}{after}; the next fetch asks {how}"
    return "; ".join(part for part in (_schedule_text(plan.schedule), clock) if part)


def _schedule_text(schedule: PageSchedule | None) -> str:
    """Returns in plain words when a page is due without being asked for, and why."""
    if schedule is None:
        return ""
    rate = (
        f"changes {schedule.change_rate:.3g} times a day "
        f"({schedule.change_rate_low:.2g} to {schedule.change_rate_high:.2g})"
    )
    seen = f"checked {_minute(schedule.checked_time)}"
    if schedule.changed_time is not None:
        seen += f", last found changed {_minute(schedule.changed_time)}"
    told = f", signalled by {', '.join(schedule.signals)}" if schedule.signals else ""
    stale = f"has changed since with probability {schedule.stale_probability:.2f}{told}"
    if schedule.due_time is None:
        due = "no budget keeps it fresh"
    else:
        whose = f"scope {schedule.budget_scope_id}" if schedule.budget_scope_id else "organisation"
        why = "nothing may wait longer" if schedule.by_floor else "its worth meets the threshold"
        due = (
            f"due {_minute(schedule.due_time)}, when {why} (worth {schedule.value:.3g} now, "
            f"threshold {schedule.threshold:.3g}, importance {schedule.importance:.2g}); paid for "
            f"by the {whose}'s {schedule.budget_per_day} fetches a day"
        )
    return f"{seen}; {rate}; {stale}; {due}"


def _minute(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}Z"


def versions_message(history: HistoryResponse, truncated: bool) -> pb.ListPageVersionsResponse:
    """Returns the message of a page's versions."""
    return pb.ListPageVersionsResponse(
        versions=[_version(entry) for entry in history.versions],
        closed=history.closed,
        closed_reason=history.closed_reason,
        closed_time=timestamp(history.closed_time),
        truncated=truncated,
    )


def diff_message(diff: DiffResponse) -> pb.DiffPageVersionsResponse:
    """Returns the message of a difference."""
    return pb.DiffPageVersionsResponse(
        from_version=diff.from_version_id,
        to_version=diff.to_version_id,
        hunks=hunk_messages(diff.hunks),
        truncated=diff.truncated,
    )


def hunk_messages(hunks: Iterable[DiffHunk]) -> list[pb.DiffHunk]:
    """Returns the messages of changed blocks."""
    return [
        pb.DiffHunk(
            section_path=hunk.section_path,
            parts=[
                pb.DiffPart(kind=NUMBER_OF_DIFF[part.kind], text=part.text) for part in hunk.parts
            ],
            change_class=change_class(hunk.change),
            change_reasons=hunk.change.reasons if hunk.change else (),
            semantic=hunk.change is not None and hunk.change.semantic,
        )
        for hunk in hunks
    ]


def change_class(summary: ChangeSummary | None) -> str:
    """Returns the class of a change as callers see it; nothing where none was compared."""
    return summary.change_class.value if summary is not None else ""


def _version(entry: HistoryEntry) -> pb.PageVersion:
    summary = entry.summary or NO_CHANGE
    return pb.PageVersion(
        version=entry.version_id,
        observed_from_time=timestamp(entry.order_key.observed_from),
        revision=entry.order_key.revision,
        observed_to_time=timestamp(entry.observed_to),
        last_verified_time=timestamp(entry.last_verified_time),
        text_digest=entry.text_digest,
        title=entry.title,
        change_class=change_class(entry.summary),
        change_reasons=summary.reasons,
        semantic=summary.semantic,
        pipeline_changed=entry.pipeline_changed,
        restored_version=entry.restored_version_id,
        chunk_count=entry.chunk_count,
        counts=entry.counts,
        dropped_reason=entry.dropped_reason,
        dropped_time=timestamp(entry.dropped_time),
        pin=entry.pin,
    )
