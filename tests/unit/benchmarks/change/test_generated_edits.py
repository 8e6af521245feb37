"""The generated edits of `benchmarks.change`, and its splits."""

import json
from pathlib import Path

import pytest

from benchmarks.change.generated import generated_edits
from benchmarks.change.splits import cross_validated, f1_of_folds

TEXT = 'The town is old and can hold 12 people near Harbour Street - as Maria Jensen said, "now".'


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with three paragraphs of English."""
    folder = tmp_path / "xquad-en"
    folder.mkdir()
    rows = [
        {"id": str(i), "title": f"Page {i}", "text": f"{TEXT} {name} came later, with Brandt{i}."}
        for i, name in enumerate(("Peter", "Anna", "Lukas"))
    ]
    (folder / "paragraphs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def test_each_edit_changes_its_text_and_is_the_same_again(sources: Path) -> None:
    """Of languages whose paragraphs are there."""
    found = generated_edits(sources)

    assert ["en"] == list(found)
    assert all(edit.old != edit.new for edit in found["en"])
    assert found == generated_edits(sources)


def test_edits_of_every_kind_are_made(sources: Path) -> None:
    """Critical ones and harmless ones."""
    edits = generated_edits(sources)["en"]
    critical = {edit.kind for edit in edits if edit.critical}
    harmless = {edit.kind for edit in edits if not edit.critical}

    assert {
        *("number", "negation", "modality", "unit", "entity"),
        *("date", "amount", "fraction", "span"),
    } == critical
    assert {"white_space", "number_ungrouped", "date_iso", "amount_by_code"} <= harmless


def test_a_threshold_is_taken_from_other_pages_than_it_judges() -> None:
    """Changes of every page weigh more than what is none: each part is judged right."""
    rows = [(f"page {i}", weight > 0.3, weight) for i in range(40) for weight in (0.1, 0.9)]
    told = cross_validated(rows)

    assert [1.0, 1.0, 1.0] == told["f1"]


def test_f1_of_folds_tells_mean_lowest_and_highest() -> None:
    """Of parts that have any positive."""
    judged = [(f"page {i}", True, i % 2 == 0) for i in range(40)]
    told = f1_of_folds(judged)["f1_of_folds"]

    assert isinstance(told, list)
    assert told[1] < told[0] < told[2] <= 1.0
    assert f1_of_folds([]) == {"f1_of_folds": None}
