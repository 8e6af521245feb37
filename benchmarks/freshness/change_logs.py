"""Logs of when pages changed, as tables of times; read for the benchmarks of freshness.

A folder holds `ota_version_events.tsv.gz`: collection, page, author_time, kind. Only `change` is
a change of the text; `first` is where a page's record begins, `technical` a change of the tool
that recorded it.
"""

import csv
import gzip
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

FILE = "ota_version_events.tsv.gz"
DAY = timedelta(days=1)
ZIPF_EXPONENT = 0.8


@dataclass(frozen=True, slots=True)
class PageLog:
    """One page's changes.

    Attributes:
        site: pages of one site resemble each other.
        changes: days since the window's start, ascending.
    """

    name: str
    site: str
    changes: Sequence[float]


def read_logs(folder: Path, *, days: int) -> list[PageLog]:
    """Returns the changes of the last `days` days before each collection's last entry.

    Every page counts whose record begins before its collection's window, whatever it did inside:
    who chose those that change would choose by the future.
    """
    times: dict[tuple[str, str], list[tuple[datetime, str]]] = defaultdict(list)
    with gzip.open(folder / FILE, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            at = datetime.fromisoformat(row["author_time"])
            times[row["collection"], row["page"]].append((at, row["kind"]))
    ends: dict[str, datetime] = {}
    for (collection, _), events in times.items():
        last = max(at for at, _ in events)
        ends[collection] = max(last, ends.get(collection, last))
    logs = []
    for (collection, page), events in sorted(times.items()):
        start = ends[collection] - days * DAY
        if min(at for at, _ in events) > start:
            continue
        changed = sorted((at - start) / DAY for at, kind in events if kind == "change")
        inside = tuple(day for day in changed if 0 < day <= days)
        site = f"{collection}/{page.partition('/')[0]}"
        logs.append(PageLog(name=f"{collection}/{page}", site=site, changes=inside))
    return logs


def zipf_weights(count: int, chance: random.Random) -> list[float]:
    """Returns weights by Zipf's law in a random order, 1 on average."""
    weights = [(place + 1) ** -ZIPF_EXPONENT for place in range(count)]
    chance.shuffle(weights)
    mean = sum(weights) / count
    return [weight / mean for weight in weights]
