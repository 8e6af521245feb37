"""Pages that flap by design, and what the benchmark says that their readers are told."""

import json
import lzma
from pathlib import Path
from typing import Any

from benchmarks.change.histories import is_news, sequence_scores, told
from benchmarks.change.sequences import LOOKS_BEFORE, flapping, recorded
from benchmarks.change.sets import Pair, text_side
from benchmarks.change.strategies import salient_strategy
from scops.change_detector.settings import ChangeDetectorSettings

STRATEGY = salient_strategy(ChangeDetectorSettings())
TEXT = "\n\n".join(
    f"Paragraph {word} tells at some length what the {word} of this place is good for."
    for word in ("gate", "desk", "hall", "yard", "roof", "well")
)


def pair_of(number: int) -> Pair:
    """Returns a page before and after an edit of a fact."""
    old = f"{TEXT}\n\nThe fee of hall {number} is 20 euros."
    new = f"{TEXT}\n\nThe fee of hall {number} is 30 euros."
    return Pair(f"page-{number:02}", text_side(old), text_side(new), positive=None)


PAIRS = [pair_of(number) for number in range(12)]


def news(old: object, new: object) -> bool:
    """Takes every edit as news."""
    return is_news(old, new, STRATEGY)  # type: ignore[arg-type]


def test_pages_flap_in_three_ways_and_say_where() -> None:
    """Their first turns are news, and so is the edit of a page beside a restless line."""
    by_kind = flapping(PAIRS, news)

    assert {"alternates": 4, "counts": 4, "rotates": 4} == {k: len(v) for k, v in by_kind.items()}
    for page in by_kind["alternates"]:
        texts = [look.side.text for look in page.looks]
        assert texts[0] != texts[-1]
        assert 2 == len(set(texts))
    for page in (*by_kind["counts"], *by_kind["rotates"]):
        assert [LOOKS_BEFORE] == [n for n, look in enumerate(page.looks) if look.positive]
        assert not any(look.flaps and look.positive for look in page.looks)


def test_flapping_is_silent_with_memory_alone_and_nothing_is_lost() -> None:
    """Without what the history teaches each turn is told."""
    scores: Any = sequence_scores([], flapping(PAIRS, news), STRATEGY)
    kinds, without = scores["flapping"], scores["without_memory"]

    assert {0.0} == {kinds[kind]["flapping_news_share"] for kind in ("alternates", "counts")}
    # Some lines of these few pages differ by their numbers alone, others do not.
    assert scores["flapping_news_share"] < 0.2
    assert without["flapping_news_share"] > 0.9
    assert {"alternates": (None, 1.0), "counts": (1.0, None), "rotates": (1.0, None)} == {
        kind: (found["edits_told"], found["final_text_told"]) for kind, found in kinds.items()
    }


def test_recorded_pages_are_read_in_order_with_their_labels(tmp_path: Path) -> None:
    """Snapshots by their events, pairs by the rule of their set."""
    lines = [f"<p>Paragraph {n} of this page has quite a few words to read.</p>" for n in range(9)]
    pages = [f"<html><body><main>{''.join(lines[n:])}</main></body></html>" for n in range(3)]
    _write(
        tmp_path / "snapshots" / "page.jsonl.xz",
        [
            {"html": html, "url": None, "fetched": f"2026-01-0{n + 1}T00:00:00+00:00"}
            | {"version_event": ["first"] if n == 0 else ["change"] if n == 1 else []}
            for n, html in enumerate(pages)
        ],
    )
    _write(
        tmp_path / "ota-html" / "page.jsonl.xz",
        [
            {"html0": pages[n], "html1": pages[n + 1], "url": None, "flap": n == 1}
            | {"t0": f"2026-01-0{n + 1}T00:00:00+00:00", "t1": f"2026-01-0{n + 2}T00:00:00+00:00"}
            | {"label": "changed", "delta": "text", "words_added": 0, "words_removed": 9}
            for n in (1, 0)
        ],
    )
    snapshots, pairs = recorded(tmp_path, tmp_path / "snapshots")

    assert [None, True, False] == [look.positive for look in snapshots.looks]
    assert [(None, False), (True, False), (None, True)] == [
        (look.positive, look.labelled) for look in pairs.looks
    ]
    assert [True, True] == [one.at_once for one in told(snapshots, STRATEGY)]


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True)
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)
