"""Questions whose goal lies behind a bridge."""

from benchmarks.multihop.two_hops import COMMON_WORDS, two_hop_questions
from scops.common.text.terms import content_terms
from scops.libraries.mentions.rules import read_by_rules

START = "The river inn was built by Ada Ottokar near Carlsbrook mill."
GOAL = "Nobody thinks that Ada Ottokar painted large pictures of weather."
FILLER = [f"Many people painted large pictures in house {number}." for number in range(80)]
TEXTS = [START, GOAL, *FILLER]


def test_question_names_the_start_and_neither_bridge_nor_goal() -> None:
    """Its other words stand in many passages."""
    questions = two_hop_questions(TEXTS, count=10)
    found = next(question for question in questions if question.goal == 1)

    assert (0, "ada ottokar") == (found.start, found.bridge)
    assert not content_terms(found.text) & content_terms("Ada Ottokar")
    words = found.text.split()[-COMMON_WORDS:]
    assert set(words) <= {"painted", "large", "pictures"}
    named = " ".join(found.text.split()[:-COMMON_WORDS])
    assert named in read_by_rules(START).keys
    assert named not in read_by_rules(GOAL).keys


def test_each_goal_is_asked_for_once_and_the_same_again() -> None:
    """What is made depends on the texts alone."""
    questions = two_hop_questions(TEXTS, count=10)

    assert len(questions) == len({question.goal for question in questions})
    assert questions == two_hop_questions(TEXTS, count=10)


def test_without_a_bridge_there_is_no_question() -> None:
    """Nothing is made up."""
    assert [] == two_hop_questions(FILLER, count=10)
