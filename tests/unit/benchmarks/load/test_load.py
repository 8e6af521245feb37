"""What the load benchmark makes of its samples and of the pages that it asks about."""

import random

import pytest

from benchmarks.load.__main__ import Load, slope_per_minute
from benchmarks.load.asking import QUESTION_WORDS, Asked, questions_of
from benchmarks.load.work import Work
from benchmarks.shared.system.client import CALL_SECONDS


def test_slope_is_per_minute_whatever_the_samples_distance() -> None:
    """Samples are as far apart as reading them takes."""
    samples = [(0.0, 100.0), (10.0, 101.0), (40.0, 104.0), (60.0, 106.0)]

    assert 6.0 == pytest.approx(slope_per_minute(samples))


def test_growth_of_the_first_half_is_no_slope() -> None:
    """What a system takes at its start it keeps; what it goes on taking is a leak."""
    memory = [(float(second), min(float(second), 50.0)) for second in range(101)]
    asked = Asked([0.1])
    load = Load(asked, Asked([0.1, 0.2]), memory, Work(["a", "b"], ended=1), (9, 3))
    figures = load.figures()

    assert 0.0 == figures["memory_slope_mib_per_minute"]
    assert (2.0, 1, 3) == tuple(
        figures[key] for key in ("search_p95_ratio", "jobs_left", "backlog_left")
    )


def test_question_without_an_answer_counts_with_its_longest_time() -> None:
    """A system that refuses at once does not look fast."""
    asked = Asked()
    asked.add(0.01, answered=False)
    asked.add(0.02, answered=True)

    assert ([CALL_SECONDS, 0.02], 1) == (asked.seconds, asked.failed)


def test_questions_are_words_of_the_pages() -> None:
    """Neither tags nor scripts are asked for."""
    words = " ".join(f"word{'abcdefgh'[n % 8]}" for n in range(30))
    page = f"<html><script>let secret = 1;</script><p class='none'>{words}</p></html>".encode()
    questions = questions_of({"/a": page, "/empty": b"<p></p>"}, random.Random(1))

    assert {QUESTION_WORDS} == {len(question.split()) for question in questions}
    assert set(" ".join(questions).split()) <= set(words.split())


def test_pages_without_words_cannot_be_asked_about() -> None:
    with pytest.raises(SystemExit):
        questions_of({"/a": b"<p>1</p>"}, random.Random(1))
