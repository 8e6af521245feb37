"""Sequences of looks at a page: recorded ones, and pages that flap by design.

Recorded are the folder `ota-snapshots`, whose labels are the version events of its rows, and the
pages of `ota-html`, whose rows are put in the order of their times. A page that flaps by design
alternates between two texts of one page that somebody edited, as `docs-md` has them, or has a
counter or a line of another page that changes with every look.
"""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.change.sets import Pair, Side, html_label, html_side, text_side
from benchmarks.shared.command import progress
from benchmarks.shared.json_lines import json_lines

SEED = 11
PAGES_MAX = 90
# Looks of each stay of what alternates, and turns.
STAY_LOOKS, TURNS = (1, 3), (5, 12)
# Looks at the end at which a page says the same; more than twice the longest stay.
LAST_LOOKS = 10
# Looks with a line that changes, before and after the page itself does.
LOOKS_BEFORE, LOOKS_AFTER = 8, 4
EVERY = timedelta(hours=12)
START = datetime(2026, 1, 1, tzinfo=UTC)
TEXT_CHARACTERS_MAX = 30_000


@dataclass(frozen=True, slots=True)
class SequenceLook:
    """A look at a page.

    Attributes:
        positive: whether it brings a change; None where nothing is said.
        flaps: by design, what differs from the look before is past its second turn.
        labelled: somebody else says that it flaps.
    """

    side: Side
    time: datetime
    positive: bool | None = None
    flaps: bool = False
    labelled: bool = False


@dataclass(frozen=True, slots=True)
class PageSequence:
    """Looks at one page, in order."""

    page: str
    looks: tuple[SequenceLook, ...]


def recorded(folder: Path, snapshots: Path) -> list[PageSequence]:
    """Returns what was recorded of real pages.

    Args:
        folder: holds `ota-html`.
        snapshots: files of snapshots.
    """
    found: list[PageSequence] = []
    for read, files in (
        (_snapshots, sorted(snapshots.glob("*.jsonl.xz"))),
        (_pairs, sorted((folder / "ota-html").glob("*.jsonl.xz"))),
    ):
        found += _read(read, files)
    return found


def _read(read: Callable[[Path], PageSequence], files: Sequence[Path]) -> Iterator[PageSequence]:
    with ProcessPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        for path, sequence in zip(files, pool.map(read, files), strict=True):
            progress(f"sequences: {path.name}: {len(sequence.looks)} looks")
            yield sequence


def _snapshots(path: Path) -> PageSequence:
    sides: dict[str, Side] = {}
    looks = []
    for row in json_lines(path):
        events = row["version_event"]
        side = html_side(row["html"], row["url"], sides)
        positive = "change" in events if set(events) <= {"change"} else None
        looks.append(SequenceLook(side, datetime.fromisoformat(row["fetched"]), positive))
    return PageSequence(path.name, tuple(look for look in looks if look.side.readable))


def _pairs(path: Path) -> PageSequence:
    sides: dict[str, Side] = {}
    looks: list[SequenceLook] = []
    for row in sorted(json_lines(path), key=_times):
        before, after = _times(row)
        if not looks or before > looks[-1].time:
            looks.append(SequenceLook(html_side(row["html0"], row["url"], sides), before))
        if after > looks[-1].time:
            labelled = bool(row["flap"])
            positive = None if labelled else html_label(row)
            side = html_side(row["html1"], row["url"], sides)
            looks.append(SequenceLook(side, after, positive, labelled=labelled))
    return PageSequence(path.name, tuple(look for look in looks if look.side.readable))


def _times(row: dict[str, Any]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(row["t0"]), datetime.fromisoformat(row["t1"])


def flapping(
    pairs: Sequence[Pair], is_news: Callable[[Side, Side], bool]
) -> dict[str, list[PageSequence]]:
    """Returns pages that flap by design, by what they do.

    Args:
        pairs: texts of pages before and after an edit; those whose edit is no news are left out.
    """
    chance = random.Random(SEED)
    fit = [pair for pair in pairs if _is_fit(pair) and is_news(pair.old, pair.new)]
    chosen = {pair.page: pair for pair in chance.sample(fit, k=len(fit))}
    pages = [chosen[page] for page in sorted(chosen)][:PAGES_MAX]
    lines = [line for pair in fit for line in pair.new.text.split("\n") if 40 < len(line) < 200]
    return {
        "alternates": [_alternating(pair, chance) for pair in pages[0::3]],
        "counts": [_restless(pair, _counts(chance)) for pair in pages[1::3]],
        "rotates": [
            _restless(pair, chance.sample(lines, LOOKS_BEFORE + LOOKS_AFTER))
            for pair in pages[2::3]
        ],
    }


def _is_fit(pair: Pair) -> bool:
    return (
        200 < len(pair.old.text) < TEXT_CHARACTERS_MAX
        and len(pair.new.text) < TEXT_CHARACTERS_MAX
        and pair.old.text != pair.new.text
    )


def _alternating(pair: Pair, chance: random.Random) -> PageSequence:
    """Alternates between two texts and ends with the one that it did not begin with."""
    texts = [pair.old, pair.new]
    turns = chance.randint(*TURNS) // 2 * 2 + 1
    shown = []
    for turn in range(turns + 1):
        is_last = turn == turns
        for look in range(LAST_LOOKS if is_last else chance.randint(*STAY_LOOKS)):
            shown.append((texts[turn % 2], look == 0 and turn > 2))
    return PageSequence(
        pair.page,
        tuple(
            SequenceLook(side, START + number * EVERY, flaps=flaps)
            for number, (side, flaps) in enumerate(shown)
        ),
    )


def _restless(pair: Pair, lines: Sequence[str]) -> PageSequence:
    """Has a line that changes with every look; in between, the page itself is edited."""
    looks = []
    for number, line in enumerate(lines):
        is_edit = number == LOOKS_BEFORE
        side = pair.old if number < LOOKS_BEFORE else pair.new
        looks.append(
            SequenceLook(
                text_side(f"{line}\n\n{side.text}"),
                START + number * EVERY,
                positive=True if is_edit else None,
                flaps=number > 3 and not is_edit,
            )
        )
    return PageSequence(pair.page, tuple(looks))


def _counts(chance: random.Random) -> list[str]:
    count, lines = chance.randint(10, 5_000), []
    for _ in range(LOOKS_BEFORE + LOOKS_AFTER):
        count += chance.randint(1, 90)
        lines.append(f"This page was read {count} times in the last days.")
    return lines
