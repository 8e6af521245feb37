"""What results of questions come to."""

from benchmarks.expansion.questions import Question
from benchmarks.expansion.scores import Outcome, figures
from benchmarks.expansion.walkers import Result

SIDES = ("ours", "bfs")
BUDGET_PAGES = 10


def _result(count: int, *, stopped: str = "budget", last: str = "", cites: bool = False) -> Result:
    """Returns the fetch of so many pages, the last of which may be a named one."""
    names = [f"/{number}" for number in range(count)]
    pages = [f"http://site{name}" for name in (*names[:-1], last or names[-1])]
    return Result(pages, stopped, pages[-1:] if cites else [], seconds=count / 10)


def _outcome(ours: Result | None, bfs: Result, *, gold: str = "/gold") -> Outcome:
    question = Question("one", "whether", "?", ((gold,),) if gold else (), (), "development")
    results = {"bfs": bfs} | ({"ours": ours} if ours else {})
    return Outcome(question, results, frozenset({gold} - {""}))


def test_found_and_missed_questions_are_told_apart() -> None:
    """Who misses counts the budget in the share, and is beyond all percentiles."""
    found = _result(2, stopped="covered", last="/gold", cites=True)
    missed = _result(10)
    told = figures(
        [_outcome(found, missed), _outcome(missed, missed), _outcome(found, found)],
        SIDES,
        budget_pages=BUDGET_PAGES,
    )

    assert 2 == told["ours.pages_to_answer_p50"]
    assert told["ours.pages_to_answer_p90"] is None
    assert told["bfs.pages_to_answer_p50"] is None
    assert 0.6667 == told["answered_share"] == told["cited_share"]
    assert round((2 + 10 + 2) / (10 + 10 + 2), 4) == told["fetches_share_of_bfs"]
    assert round(2 / 14, 4) == told["harvest_rate"]


def test_stop_as_covered_without_the_gold_page_is_false() -> None:
    """For a question without an answer every such stop is."""
    told = figures(
        [
            _outcome(_result(3, stopped="covered"), _result(10)),
            _outcome(_result(3, stopped="covered", last="/gold"), _result(10)),
            _outcome(_result(4, stopped="covered"), _result(10), gold=""),
            _outcome(_result(6, stopped="low_gain"), _result(10), gold=""),
        ],
        SIDES,
        budget_pages=BUDGET_PAGES,
    )

    assert (0.5, 0.5, 0.5) == (
        told["false_stop_rate"],
        told["false_stop_rate_answerable"],
        told["false_stop_rate_unanswerable"],
    )
    assert 4 == told["unanswerable_stopped_within"]


def test_side_that_did_not_run_is_null() -> None:
    """Its figures are named, as those that compare with it are."""
    told = figures([_outcome(None, _result(1, last="/gold"))], SIDES, budget_pages=BUDGET_PAGES)

    assert 1 == told["bfs.pages_to_answer_p50"]
    for name in ("ours.pages_to_answer_p50", "answered_share", "fetches_share_of_bfs"):
        assert told[name] is None
        assert told[f"{name}_interval"] is None
    assert told["false_stop_rate"] is None
