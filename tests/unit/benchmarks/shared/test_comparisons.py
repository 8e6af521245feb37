"""What the benchmarks of embedding, time, two steps and old text compare their systems by."""

import numpy as np
import pytest

from benchmarks import embed
from benchmarks.multihop.__main__ import graph_against
from benchmarks.shared.judged.timeqa import TimeQuestion
from benchmarks.stale.__main__ import fresh_against_hybrid
from benchmarks.temporal.__main__ import BASELINES, against_baselines, year_standing


def _asked(number: int, *, link: str) -> TimeQuestion:
    return TimeQuestion(
        text=f"What was the name of road {number} in 1990?",
        link=link,
        gold=(f"{link}#{number}",),
        answered_by=(f"{link}#{number}",),
        kind="original",
        asked_years=(1990, 1990),
    )


def test_ours_is_compared_with_each_baseline_by_page() -> None:
    """Ten questions of one page are one unit: what all of them gain is no interval."""
    asked = [_asked(number, link="/wiki/A") for number in range(10)]
    first = {one: [one.gold[0], "other"] for one in asked}
    second = {one: ["other", one.gold[0]] for one in asked}
    found = against_baselines(asked, {"ours": first, **dict.fromkeys(BASELINES, second)})

    for name in BASELINES:
        assert 0.5 == found[f"ours.{name}.mrr@10"]
        assert [0.5, 0.5] == found[f"ours.{name}.mrr@10_interval"]
        assert 1.0 == found[f"ours.{name}.mrr@10_p"]


def test_kind_without_questions_is_not_compared() -> None:
    """As perturbed ones, where the folder has none."""
    assert {} == against_baselines([], {name: {} for name in ("ours", *BASELINES)})


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("It was called Mill Road from 1985 to 1994.", "right"),
        ("It was called Mill Road in 1971.", "wrong"),
        ("It was called Mill Road.", "none"),
    ],
)
def test_first_passage_speaks_of_the_year_or_not(text: str, standing: str) -> None:
    assert standing == year_standing(_asked(1, link="/wiki/A"), text)


def test_walk_is_compared_with_the_recipes_that_do_not() -> None:
    """A goal that is not found has place 0 and counts nothing."""
    found = graph_against({"graph": [1, 2, 0, 1], "hybrid": [0, 2, 0, 2], "default": [1, 2, 0, 1]})

    assert 0.375 == found["graph.hybrid.mrr@10"]
    assert 0.0 == found["graph.default.mrr@10"]
    assert 1.0 == found["graph.default.mrr@10_p"]


def test_fresh_is_compared_with_hybrid_by_what_was_wanted() -> None:
    """Any of several passages is as good as another."""
    fresh, hybrid = [["a", "b"], ["c", "d"]], [["b", "a"], ["x", "d"]]
    found = fresh_against_hybrid(fresh, hybrid, [("a",), ("c", "d")])

    assert 0.5 == found["fresh.hybrid.mrr@10"]
    assert {"fresh.hybrid.mrr@10", "fresh.hybrid.mrr@10_interval", "fresh.hybrid.mrr@10_p"} == set(
        found
    )


def test_speeds_are_ratios_of_seconds() -> None:
    """Ours in int8 beside the reference in fp32, and beside the reference's own int8."""
    seconds = {"reference": 8.0, "reference_int8": 6.0, "int8": 2.0, "fp32": 10.0}
    near, far = np.array([0.99, 0.97]), np.array([0.95, 0.93])
    found = embed.figures(seconds, ours=near.astype(np.float32), theirs=far.astype(np.float32))

    assert (4.0, 0.8, 4.0, 3.0) == (
        found["speedup_int8"],
        found["speedup_fp32"],
        found["speedup_best"],
        found["speedup_int8_onnx"],
    )
    assert (0.98, 0.97, 0.94) == (
        found["cosine_mean"],
        found["cosine_min"],
        found["cosine_mean_onnx"],
    )
    assert (1.0, 0.2) == (found["texts_per_second_int8"], found["texts_per_second_fp32"])
