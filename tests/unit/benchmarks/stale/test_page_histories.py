"""Histories of pages: which paragraphs stood when, and what is asked about an edit."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.stale.page_histories import paragraphs, read

KEPT = "Trains leave from platform four every hour of the day, also on Sundays and on holidays."
OLD = "The yearly membership includes entrance, library, reading room and costs ten euros."
NEW = "The yearly membership includes entrance, library, reading room and costs twelve euros."
FIRST, SECOND = "2024-01-01T00:00:00+00:00", "2025-01-01T00:00:00+00:00"


def _folder(path: Path) -> Path:
    row = {
        "site": "s",
        "page": "guide/fees.md",
        "t0": FIRST,
        "t1": SECOND,
        "text0": f"{KEPT}\n\n{OLD}",
        "text1": f"{KEPT}\n\n{NEW}",
    }
    with gzip.open(path / "s.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return path


def test_paragraph_stands_from_the_first_version_that_holds_it(tmp_path: Path) -> None:
    """What an edit replaced is superseded; what it left alone is as old as before."""
    stays = {entry.text: entry for entry in read(_folder(tmp_path), pages_max=1).dated}

    first, second = (datetime.fromisoformat(text).astimezone(UTC) for text in (FIRST, SECOND))
    assert {KEPT: (first, True), OLD: (first, False), NEW: (second, True)} == {
        text: (entry.since, entry.current) for text, entry in stays.items()
    }


def test_question_is_in_words_that_both_wordings_share(tmp_path: Path) -> None:
    """So that neither resembles it more; what was not edited is not asked for."""
    histories = read(_folder(tmp_path), pages_max=1)
    (question,) = histories.questions

    assert set(question.text.split()) <= set(OLD.lower().replace(",", "").rstrip(".").split())
    assert "twelve" not in question.text
    assert [NEW] == [entry.text for entry in histories.dated if entry.id == question.gold]


def test_short_paragraphs_are_put_together() -> None:
    """A heading goes with what follows, and nothing stands twice."""
    assert [f"Fees {OLD}", KEPT] == paragraphs(f"Fees\n\n{OLD}\n\n{KEPT}\n\n{KEPT}")
