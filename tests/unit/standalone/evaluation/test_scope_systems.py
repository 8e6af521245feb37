"""Ways to ask with and without scopes: how each asks, and what is told of it."""

from collections.abc import Sequence

from scops.standalone.evaluation.asking import AskedWith
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.questions import EvaluationQuestion, ExpectedPassage
from scops.standalone.evaluation.scope_systems import SYSTEMS, measured, with_inside

SCOPES = ("a", "b")
OWN, OTHER = "file://a/1.md", "file://b/2.md"
QUESTIONS = [
    EvaluationQuestion(
        id="1",
        text="What?",
        expected=(ExpectedPassage(page=OWN, gain=2), ExpectedPassage(page=OTHER)),
        scope="a",
    ),
    EvaluationQuestion(id="2", text="Who?", expected=(ExpectedPassage(page=OTHER),), scope="b"),
    EvaluationQuestion(id="3", text="When?", expected=(ExpectedPassage(page=OWN),), scope="a"),
]


def test_each_system_is_asked_for_the_scope_that_is_meant() -> None:
    """Over all scopes, with the target preferred, or in it alone; answers are not asked for."""
    asked: list[tuple[list[str], AskedWith]] = []

    def ask(questions: Sequence[EvaluationQuestion], way: AskedWith) -> list[AskedQuestion]:
        asked.append(([one.id for one in questions], way))
        fidelity = 1.0 if way.prefer or len(way.scopes) == 1 else 0.5
        return [AskedQuestion.of(one, scores={"sf@10": fidelity}) for one in questions]

    told = measured(QUESTIONS, SCOPES, ask, limit=10)
    ways = [(way.recipe, way.scopes, way.prefer) for ids, way in asked if way.target == ("a",)]

    assert [
        ("owlerlite", SCOPES, ()),
        ("owlerlite", SCOPES, ("a",)),
        ("", SCOPES, ()),
        ("", SCOPES, ("a",)),
        ("", ("a",), ()),
    ] == ways
    assert [["1", "3"], ["2"]] == [ids for ids, _ in asked[:2]]
    assert not any(way.answers for _, way in asked)
    assert [one.name for one in SYSTEMS] == list(told)
    assert ["scope_aware", "preferred", "scoped"] == [
        name for name, figures in told.items() if "gain" in figures
    ]
    assert (0.5, 3) == (told["global"]["sf@10"]["mean"], told["global"]["sf@10"]["questions"])
    assert 0.5 == told["scoped"]["gain"]["sf@10"]["gain"]


def test_ndcg_inside_counts_what_the_target_holds() -> None:
    """A scope alone can be perfect in it, whatever is relevant elsewhere."""
    question = QUESTIONS[0]
    first, second, failed = (
        with_inside(question, outcome, prefix="file://a/", limit=10).scores
        for outcome in (
            AskedQuestion.of(question, pages=(OWN, OTHER)),
            AskedQuestion.of(question, pages=(OTHER, OWN)),
            AskedQuestion.of(question, error="busy"),
        )
    )

    assert 1.0 == first["ndcg@10_inside"]
    assert 0.6309 == second["ndcg@10_inside"]
    assert {} == failed
