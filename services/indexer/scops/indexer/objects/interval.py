"""When a version stood: from its first observation up to its successor's."""

from dataclasses import dataclass
from datetime import datetime

from scops.common.contract.messages.change import VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInterval:
    """A span of observed time; the end is exclusive, and open where there is none."""

    begin: datetime
    end: datetime | None

    def holds(self, other: "VersionInterval") -> bool:
        """Returns whether another interval lies within this one."""
        ends_later = self.end is not None and (other.end is None or other.end > self.end)
        return self.begin <= other.begin and not ends_later

    def union(self, other: "VersionInterval") -> "VersionInterval":
        """Returns the smallest interval that holds both."""
        later = None
        if self.end is not None and other.end is not None:
            later = max(self.end, other.end)
        return VersionInterval(begin=min(self.begin, other.begin), end=later)


def interval_of(row: VersionRow) -> VersionInterval:
    """Returns when a version stood; a late observation may have moved its beginning."""
    begin = row.first_observed_time or row.order_key.observed_from
    return VersionInterval(begin=begin, end=row.observed_to)
