"""Metrics of the change-detector."""

from collections.abc import Sequence

from scops.change_detector.timeline.records import WrittenVersion
from scops.change_detector.timeline.verdicts import VerdictEvent
from scops.common.contract.messages.change import VersionUnchanged
from scops.common.observe.metrics import counter

VERDICTS = counter(
    "scops_change_detector_verdicts_total",
    unit="verdicts",
    labels=("verdict", "change_class"),
    meaning="Verdicts given, by kind and by class of the change; redeliveries count again.",
)
CHUNKS = counter(
    "scops_change_detector_chunks_total",
    unit="chunks",
    labels=("origin",),
    meaning="Chunks of new versions: kept, moved, edited, added, or removed from the one before.",
)
LEFT_OUT = counter(
    "scops_change_detector_template_blocks_total",
    unit="blocks",
    meaning="Blocks of new versions that no chunk holds, for their host repeats them.",
)
TEMPLATE_EPOCHS = counter(
    "scops_change_detector_template_epochs_total",
    unit="epochs",
    meaning="Masks of hosts that were renewed.",
)
SETTLED = counter(
    "scops_change_detector_settled_pages_total",
    unit="pages",
    meaning="Pages of which a silent change was told, for it had come to stay.",
)
DROPPED = counter(
    "scops_change_detector_versions_dropped_total",
    unit="versions",
    meaning="Versions that outlived the retention of every scope that holds their page.",
)
COLLECTED = counter(
    "scops_change_detector_blobs_deleted_total",
    unit="blobs",
    meaning="Blobs that no kept version refers to and that were deleted.",
)
COMPACTED = counter(
    "scops_change_detector_observations_compacted_total",
    unit="observations",
    meaning="Old observations inside of runs that were deleted.",
)
CONTENDED = counter(
    "scops_change_detector_contended_total",
    unit="attempts",
    meaning="Attempts to record an observation that began again, for the page had changed.",
)


def count_verdicts(verdicts: Sequence[VerdictEvent]) -> None:
    """Counts what is about to be published."""
    for event in verdicts:
        summary = event.verdict.summary
        VERDICTS.labels(
            verdict=type(event).__name__,
            change_class=summary.change_class.value if summary else "none",
        ).inc()


def count_verified(pages: int) -> None:
    """Counts pages that showed their newest version again and have no verdict of their own."""
    VERDICTS.labels(verdict=VersionUnchanged.__name__, change_class="none").inc(pages)


def count_versions(versions: Sequence[WrittenVersion]) -> None:
    """Counts the chunks of versions that were written, and the blocks that none of them holds."""
    for version in versions:
        for origin in ("kept", "moved", "edited", "added", "removed"):
            CHUNKS.labels(origin=origin).inc(getattr(version.summary, origin))
        LEFT_OUT.inc(version.left_out_blocks)
