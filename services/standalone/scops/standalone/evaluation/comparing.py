"""Two runs of the same questions: what each measure gained, with an interval, and who won where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scops.common.contract.errors import InvalidInput
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.paired import paired
from scops.standalone.evaluation.runs import EvaluationRun

DRAWS = 2_000
CHANGED_MAX = 20
# By which a change of a question is told, the first that it has.
LEADING = ("f1", "ndcg", "citation_recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureComparison:
    """A measure in two runs, over the questions that both have it for.

    Attributes:
        gain: the second less the first.
        p: how likely such a gain is by chance, of a test that swaps the runs of each question.
        wins: questions of which the second has more; with times, of which it took less.
    """

    before: float
    after: float
    gain: float
    interval: tuple[float, float]
    p: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """Two runs, paired by the words of their questions.

    Attributes:
        only_before, only_after: questions that one run alone has.
        changed: the questions whose leading measure moved most, worst first.
    """

    before: str
    after: str
    questions: int
    only_before: int
    only_after: int
    measures: Mapping[str, MeasureComparison]
    changed: tuple[Mapping[str, Any], ...]


def compare_runs(before: EvaluationRun, after: EvaluationRun) -> RunComparison:
    """Compares two runs.

    Raises:
        InvalidInput: no question was asked in both.
    """
    first, second = _by_question(before), _by_question(after)
    both = [key for key in first if key in second]
    if not both:
        raise InvalidInput(
            f"The runs {before.id} ({before.source}) and {after.id} ({after.source}) have no "
            "question in common. Compare two runs of the same file.",
            reason="NOTHING_TO_COMPARE",
        )
    pairs = [(first[key], second[key]) for key in both]
    names = dict.fromkeys(
        name for one, other in pairs for name in _values(one) if name in _values(other)
    )
    return RunComparison(
        before=before.id,
        after=after.id,
        questions=len(both),
        only_before=len(first) - len(both),
        only_after=len(second) - len(both),
        measures={name: _compared(name, pairs) for name in names},
        changed=_changed(pairs),
    )


def _by_question(run: EvaluationRun) -> dict[tuple[str, str], AskedQuestion]:
    return {(one.id, one.question): one for one in run.outcomes if not one.error}


def _values(one: AskedQuestion) -> dict[str, float]:
    """Returns the scores and times of a question."""
    times = {"search_ms": one.search_ms, "answer_ms": one.answer_ms}
    return {**one.scores, **{name: took for name, took in times.items() if took is not None}}


def _compared(name: str, pairs: list[tuple[AskedQuestion, AskedQuestion]]) -> MeasureComparison:
    values = [(_values(one), _values(other)) for one, other in pairs]
    held = [(left[name], right[name]) for left, right in values if name in left and name in right]
    before, after = [left for left, _ in held], [right for _, right in held]
    figures: Any = paired(name, after, before, draws=DRAWS)
    less_is_better = name.endswith("_ms") or name.startswith("sl@")
    more = sum(right > left for left, right in held)
    less = sum(right < left for left, right in held)
    wins, losses = (less, more) if less_is_better else (more, less)
    return MeasureComparison(
        before=round(sum(before) / len(held), 4),
        after=round(sum(after) / len(held), 4),
        gain=figures[name],
        interval=(figures[f"{name}_interval"][0], figures[f"{name}_interval"][1]),
        p=figures[f"{name}_p"],
        wins=wins,
        losses=losses,
        ties=len(held) - wins - losses,
    )


def _changed(
    pairs: list[tuple[AskedQuestion, AskedQuestion]],
) -> tuple[Mapping[str, Any], ...]:
    moved: list[dict[str, Any]] = []
    for one, other in pairs:
        name = leading(one)
        if name and name in other.scores and one.scores[name] != other.scores[name]:
            told = {"measure": name, "before": one.scores[name], "after": other.scores[name]}
            moved.append({"id": one.id, "question": one.question, **told})
    moved.sort(key=lambda row: row["after"] - row["before"])
    if len(moved) <= CHANGED_MAX:
        return tuple(moved)
    half = CHANGED_MAX // 2
    return (*moved[:half], *moved[-half:])


def leading(one: AskedQuestion) -> str:
    """Returns the measure that a question is judged by first; empty where it has none."""
    found = (name for stem in LEADING for name in one.scores if name.partition("@")[0] == stem)
    return next(found, "")
