"""Turns what was recorded into the verdict that is published."""

from scops.change_detector.timeline.records import RecordedVerdict
from scops.change_detector.timeline.runs import VerdictKind
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.change import (
    Verdict,
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionUnchanged,
)
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import PageGone, PageUnmodified

ObservedEvent = PageExtracted | PageUnmodified | PageGone
VerdictEvent = VersionAdded | VersionUnchanged | VersionRestored | VersionClosed


def verdict_event(event: ObservedEvent, recorded: RecordedVerdict) -> VerdictEvent:
    """Returns the verdict on an observation, with the page's full target state."""
    verdict = _verdict(event, recorded)
    match recorded.kind:
        case VerdictKind.ADDED:
            return VersionAdded(verdict=verdict)
        case VerdictKind.UNCHANGED:
            return VersionUnchanged(verdict=verdict)
        case VerdictKind.RESTORED:
            return VersionRestored(
                verdict=verdict, restored_version_id=recorded.restored_version_id
            )
        case VerdictKind.CLOSED:
            return VersionClosed(
                verdict=verdict, reason=recorded.reason, moved_to=PageId(recorded.moved_to)
            )


def _verdict(event: ObservedEvent, recorded: RecordedVerdict) -> Verdict:
    target = recorded.target
    return Verdict(
        page_id=event.page_id,
        fetch_id=FetchId(event.fetch_id),
        access_context=event.access_context,
        canonical_url=event.canonical_url,
        order_key=target.order_key,
        version_id=target.version_id,
        closed=target.closed,
        manifest=target.manifest,
        verified_time=target.verified_time,
        observed_time=recorded.observed_time,
        versions=recorded.rows,
        summary=recorded.summary,
        pipeline_changed=recorded.pipeline_changed,
        late=recorded.late,
    )
