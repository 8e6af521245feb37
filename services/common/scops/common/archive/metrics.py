"""What the archive tells of itself."""

from scops.common.observe import metrics

ARCHIVE_BLOBS = metrics.counter(
    "scops_archive_blobs_total",
    unit="blobs",
    meaning="Blobs that were put into segments.",
)
ARCHIVE_GROUPS = metrics.counter(
    "scops_archive_groups_total",
    unit="groups",
    meaning="Groups of blobs that reached the disk together, by two waits for it each.",
)
ARCHIVE_SEGMENTS = metrics.counter(
    "scops_archive_segments_total",
    unit="segments",
    meaning="Segments that were begun.",
)
