"""Builds what a document states of itself: times with the day as stated, values as clean text."""

from datetime import UTC, datetime

from scops.common.contract.messages.content import StatedValue
from scops.common.contract.messages.types import StatedKind, StatedSource, StatedTime
from scops.extractor.text.clean_text import flow_text

VALUE_CHARACTERS_MAX = 500
# The web is no older; what lies far ahead was not meant.
YEARS = range(1990, 2200)


def stated_time(
    kind: StatedKind, time: datetime, source: StatedSource, *, confidence: float
) -> StatedTime:
    """Returns a time in UTC with the day it has where it is stated.

    Args:
        time: without a zone it is UTC.
        confidence: in (0, 1]; how often times from this source are right.
    """
    zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
    return StatedTime(
        kind=kind,
        time=zoned.astimezone(UTC),
        source=source,
        confidence=confidence,
        day=zoned.date().isoformat(),
    )


def is_plausible(time: datetime) -> bool:
    """Whether a document may have been written or changed in that year."""
    return time.year in YEARS


def stated_value(name: str, value: str, source: StatedSource, *, confidence: float) -> StatedValue:
    """Returns a value, cut at `VALUE_CHARACTERS_MAX`; empty where no character is visible.

    Args:
        confidence: in (0, 1]; how often values from this source are right.
    """
    text = flow_text(value)[:VALUE_CHARACTERS_MAX].rstrip()
    return StatedValue(name=name, value=text, source=source, confidence=confidence)
