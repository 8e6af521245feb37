"""Metrics of the extractor."""

from scops.common.contract.messages.content import PageKind
from scops.common.observe.metrics import counter

PAGES = counter(
    "scops_extractor_pages_total",
    unit="pages",
    labels=("kind",),
    meaning="Bodies extracted, by kind of page; redeliveries count again.",
)
FAILURES = counter(
    "scops_extractor_failures_total",
    unit="pages",
    labels=("reason",),
    meaning="Bodies that could not be extracted, by reason.",
)
FLAGS = counter(
    "scops_extractor_flags_total",
    unit="pages",
    labels=("flag",),
    meaning="Flags raised on extracted pages, such as `truncated` or `fallback`.",
)


def count_page(kind: PageKind, flags: tuple[str, ...]) -> None:
    """Counts an extracted page."""
    PAGES.labels(kind=kind.value).inc()
    for flag in flags:
        FLAGS.labels(flag=flag).inc()
