"""Keeps timelines from growing with every fetch: what shows nothing of its own is deleted.

A page that is fetched every hour and never changes would gain 8,760 observations a year. Of a run
only those count that name it, begin it or end it, and the newest body, which a 304 may confirm.
The others are kept while anything may still be delivered that came before or after them: the dead
letters, kept for 30 days, are the longest.
"""

from dataclasses import dataclass
from datetime import timedelta

from scops.change_detector import metrics
from scops.change_detector.ports import ChangeDetectorPorts
from scops.common.contract.ids import PageId

OBSERVATIONS_KEPT = timedelta(days=60)
# How far back news are told in order.
NEWS_KEPT = timedelta(days=30)
# An ended pin holds nothing; for a day more it says why a version is still there.
PINS_KEPT = timedelta(days=1)
PAGES_AT_ONCE = 200
# Before every page.
FIRST = PageId("")


@dataclass
class Compaction:
    """Goes round over all pages, some at a time.

    Attributes:
        after: the last page seen; empty where a round begins.
    """

    ports: ChangeDetectorPorts
    after: PageId = FIRST

    async def step(self) -> None:
        """Compacts the next pages, and forgets news that are old and pins that ended."""
        now, compaction = self.ports.clock.now(), self.ports.compaction
        page_ids = await compaction.pages(after=self.after, limit=PAGES_AT_ONCE)
        self.after = page_ids[-1] if len(page_ids) == PAGES_AT_ONCE else FIRST
        deleted = await compaction.compact(page_ids, observed_before=now - OBSERVATIONS_KEPT)
        metrics.COMPACTED.inc(deleted)
        await compaction.forget_pins(ended_before=now - PINS_KEPT)
        while await compaction.forget_news(recorded_before=now - NEWS_KEPT):
            pass
