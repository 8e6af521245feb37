"""Runs are kept and read again, counted, compared, and shown as a page."""

import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput, NotFound
from scops.standalone.evaluation.comparing import compare_runs
from scops.standalone.evaluation.figures import figures_of
from scops.standalone.evaluation.outcomes import AskedQuestion, Spent
from scops.standalone.evaluation.report import run_page, worst
from scops.standalone.evaluation.runs import EvaluationRun, KeptRuns

HOSTILE = '<script>alert(1)</script>"&\u202e'
ASKED = {"scopes": ["tarn"], "recipe": "", "mode": "unspecified"}


def asked(number: int, f1: float, **known: object) -> AskedQuestion:
    usual = {"answered": True, "said": "17 euros", "search_ms": 10.0 * number, "answer_ms": 50.0}
    return AskedQuestion(
        id=str(number),
        question=f"How much is {number}?",
        answers=("17 euros",),
        scores={"f1": f1, "sl@10": 1 - f1},
        **{**usual, **known},  # type: ignore[arg-type]
    )


def run(*outcomes: AskedQuestion, name: str = "20260301-120000-abcd") -> EvaluationRun:
    return EvaluationRun(
        id=name,
        time="2026-03-01T12:00:00+00:00",
        source="prices.jsonl",
        form="jsonl",
        digest="d",
        asked=ASKED,
        figures=figures_of(outcomes),
        faults=({"where": "prices.jsonl:2", "what": HOSTILE, "next": "mend it"},),
        outcomes=outcomes,
    )


class Page(HTMLParser):
    """What a browser would make of a page: its elements and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_figures_are_means_with_intervals() -> None:
    """Half of the questions are right; who failed counts in no mean."""
    outcomes = [asked(number, float(number % 2)) for number in range(1, 21)]
    failed = AskedQuestion(id="x", question="Why?", error="it does not answer")
    figures = figures_of([*outcomes, failed])
    low, high = figures["scores"]["f1"]["interval"]

    assert (0.5, 20) == (figures["scores"]["f1"]["mean"], figures["scores"]["f1"]["questions"])
    assert 0.2 < low < 0.5 < high < 0.8
    assert {"asked": 21, "failed": 1, "answered": 20, "without_answer": 0} == figures["questions"]
    assert {"p50": 100.0, "p95": 190.0} == figures["latency_ms"]["search"]
    assert (None, None) == (figures["abstention"], figures["spent"])


def test_abstention_is_judged_on_questions_without_an_answer() -> None:
    """Three are not answered, two of them rightly, of four without an answer: 2/3, 2/4, 4/7."""
    rows = [
        (True, False),
        (True, True),
        (False, False),
        (False, False),
        (False, True),
        (False, True),
    ]
    outcomes = [
        asked(number, 0.0, answerable=answerable, answered=answered)
        for number, (answerable, answered) in enumerate(rows, 1)
    ]
    found = figures_of(outcomes)["abstention"]
    values = [found[name]["value"] for name in ("precision", "recall", "f1")]

    assert [0.6667, 0.5, 0.5714] == values
    assert (3, 4) == (found["abstained"], found["without_answer"])


def test_what_models_took_is_summed() -> None:
    """Tokens and money of all answers, with the names of the models."""
    spent = Spent(model="small", requests=1, input_tokens=100, output_tokens=7, cost=0.001)
    found = figures_of([asked(1, 1.0, spent=spent), asked(2, 1.0, spent=spent)])["spent"]

    assert {"requests": 2, "input_tokens": 200, "output_tokens": 14, "cost": 0.002} == {
        name: found[name] for name in ("requests", "input_tokens", "output_tokens", "cost")
    }
    assert ["small"] == found["models"]


def test_a_run_is_read_as_it_was_kept(tmp_path: Path) -> None:
    """By its id, the beginning of it, `latest`, or its file; others cannot read it."""
    runs = KeptRuns(tmp_path / "runs")
    older, newer = run(asked(1, 1.0)), run(asked(1, 0.0), name="20260302-120000-abcd")
    path = runs.put(older)
    runs.put(newer)
    (tmp_path / "runs/notes.json").write_text("{}")

    assert older == runs.get(older.id) == runs.get("20260301") == runs.get(str(path))
    assert [newer, older] == list(runs.all())
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_a_run_that_is_not_there_or_not_one(tmp_path: Path) -> None:
    """The message says what to do."""
    runs = KeptRuns(tmp_path)
    for name in ("20260301-120000-aaaa", "20260301-120000-bbbb"):
        runs.put(run(asked(1, 1.0), name=name))
    (tmp_path / "odd.json").write_text("{}")

    with pytest.raises(NotFound, match="evaluate list"):
        runs.get("2027")
    with pytest.raises(NotFound):
        runs.get("../20260301")
    with pytest.raises(InvalidInput, match="2 runs begin"):
        runs.get("20260301")
    with pytest.raises(InvalidInput, match="is no run"):
        runs.get("odd")


def test_runs_are_compared_question_by_question() -> None:
    """Two are won, one is lost, one tied; less leakage and less time are won, too."""
    before = run(*(asked(number, f1) for number, f1 in enumerate((0.0, 0.0, 1.0, 1.0, 1.0), 1)))
    after = run(
        *(asked(number, f1, answer_ms=40.0) for number, f1 in enumerate((1.0, 0.5, 0.0, 1.0), 1))
    )
    compared = compare_runs(before, after)
    f1, leak, took = (compared.measures[name] for name in ("f1", "sl@10", "answer_ms"))

    assert (4, 1, 0) == (compared.questions, compared.only_before, compared.only_after)
    assert (0.5, 0.625, 0.125) == (f1.before, f1.after, f1.gain)
    assert f1.interval[0] < 0 < f1.interval[1]
    assert (2, 1, 1) == (f1.wins, f1.losses, f1.ties)
    assert (2, 1, 1) == (leak.wins, leak.losses, leak.ties)
    assert (-10.0, 4) == (took.gain, took.wins)
    assert ["3", "2", "1"] == [row["id"] for row in compared.changed]


def test_runs_of_other_questions_cannot_be_compared() -> None:
    """Questions are the same by id and words."""
    with pytest.raises(InvalidInput, match="no question in common"):
        compare_runs(run(asked(1, 1.0)), run(asked(2, 1.0)))


def test_the_worst_are_those_that_are_not_right() -> None:
    """Lowest first; what is right is none."""
    assert ["2", "3"] == [one.id for one in worst([asked(1, 1.0), asked(2, 0.0), asked(3, 0.5)])]


def test_the_page_has_plots_and_worst_cases_and_nothing_that_runs() -> None:
    """What pages and people say is text, wherever it stands."""
    hostile = AskedQuestion(
        id=HOSTILE,
        question=f"Why {HOSTILE}?",
        answers=(HOSTILE,),
        answered=True,
        said=HOSTILE,
        short=HOSTILE,
        cited=((f"javascript:{HOSTILE}", HOSTILE),),
        pages=(HOSTILE,),
        scores={"f1": 0.0, "citation_recall": 0.0},
        search_ms=5.0,
        answer_ms=9.0,
    )
    failed = AskedQuestion(id="f", question=HOSTILE, error=HOSTILE)
    page = Page(text := run_page(run(hostile, failed, asked(2, 1.0))))

    assert {"svg", "rect", "polyline", "table", "article"} <= set(page.names)
    assert not {"script", "a", "img", "link", "iframe"} & set(page.names)
    assert "<script" not in text
    assert "\u202e" not in text
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert "Worst cases" in page.words
    assert any("<script>alert(1)</script>" in words for words in page.words)
