"""Between rows of the schedule and the records that plans are made of."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from scops.common.db.types import EPOCH
from scops.fetcher.adapters.sql.transaction import Row
from scops.fetcher.recrawl.change_rate import ChangedBin, RateEvidence
from scops.fetcher.recrawl.page_schedule import PageRecord

DAY = timedelta(days=1)
# Days of the longest wait that an instant can hold.
DAYS_MAX = 36_500.0


def day_of(time: datetime) -> float:
    """Returns an instant in days since 1970."""
    return (time - EPOCH) / DAY


def time_of(day: float) -> datetime:
    """Returns the instant of a day since 1970."""
    return EPOCH + min(day, DAYS_MAX) * DAY


def record_of(row: Row) -> PageRecord:
    """Returns what a row knows of its page."""
    return PageRecord(
        checked_day=day_of(row.checked_time),
        changed_day=None if row.changed_time is None else day_of(row.changed_time),
        evidence=_evidence(row.evidence),
        signals=json.loads(row.signals),
    )


def record_values(record: PageRecord) -> dict[str, Any]:
    """Returns the columns of a record; times are set by who observed them."""
    return {
        "evidence": _text(record.evidence),
        "signals": json.dumps(dict(record.signals), sort_keys=True),
    }


def _evidence(text: str) -> RateEvidence:
    unchanged_days, bins = json.loads(text)
    return RateEvidence(
        unchanged_days=unchanged_days,
        changed={number: ChangedBin(weight, days) for number, weight, days in bins},
    )


def _text(evidence: RateEvidence) -> str:
    bins: Mapping[int, ChangedBin] = evidence.changed
    rows = [[number, bins[number].weight, bins[number].days] for number in sorted(bins)]
    return json.dumps([evidence.unchanged_days, rows])
