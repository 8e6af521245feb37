"""Figures of keyphrases, by hand."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.keyphrases.__main__ import FILE, f1_at, figures_of, folders_of, text_of

GOLD = ["positive systems", "first integrals", "equilibrium point", "stability"]


@pytest.mark.parametrize(
    ("phrases", "bound", "f1"),
    [
        (["Positive system", "first integral"], 5, 2 / 3),
        (["positive systems", "positive system"], 5, 1 / 3),
        (["positive systems", "feedback", "stability"], 2, 1 / 3),
        (["feedback"], 5, 0.0),
        ([], 5, 0.0),
    ],
)
def test_phrases_are_the_same_by_stems_and_once(phrases: list[str], bound: int, f1: float) -> None:
    assert f1 == pytest.approx(f1_at(bound, phrases, GOLD))


def test_a_side_that_did_not_run_has_no_figures() -> None:
    told = figures_of({"ours": [GOLD[:2], []]}, [GOLD, GOLD])

    assert told["ours.f1@5"] == round(1 / 3, 4)
    assert told["ours.f1@5_interval"] == [0.0, 0.6667]
    assert (None, None) == (told["yake.f1@5"], told["yake.f1@5_interval"])


def test_a_set_is_a_folder_or_one_of_several(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        with gzip.open(tmp_path / name / FILE, "wt") as file:
            file.write(json.dumps({"title": "", "text": "A text.", "keyphrases": ["text"]}))

    assert [tmp_path / "a", tmp_path / "b"] == folders_of(tmp_path)
    assert [tmp_path / "a"] == folders_of(tmp_path / "a")
    (tmp_path / "c").mkdir()
    with pytest.raises(SystemExit, match="no documents"):
        folders_of(tmp_path / "c")


def test_a_text_is_its_title_and_what_follows() -> None:
    assert text_of({"title": "Tides", "text": "They rise."}) == "Tides. They rise."
    assert text_of({"title": "", "text": "They rise."}) == "They rise."
