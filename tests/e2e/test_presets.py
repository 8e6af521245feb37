"""Presets of how much an answer may rest on, through the command."""

import pytest

from scops.standalone.terminal.exits import Exit
from tests.e2e.system import System

QUESTION = "What does the River plan cost a month?"


def test_preset_bounds_what_an_answer_rests_on(known: System) -> None:
    """The answer rests on the best of the passages that it has otherwise."""
    usual = known.run("ask", QUESTION, "--scope", "tarn")
    bounded = known.run("ask", QUESTION, "--scope", "tarn", "--recipe", "top2")
    passages = bounded.json["passages"]

    assert (0, 0) == (usual.code, bounded.code), bounded.err
    assert 2 < len(usual.json["passages"])
    assert 1 <= len(passages) <= 2
    assert [one["chunk"] for one in passages] == [
        one["chunk"] for one in usual.json["passages"][: len(passages)]
    ]


@pytest.mark.parametrize("preset", ["top2", "top5"])
def test_preset_answers_nothing_from_what_is_hardly_relevant(known: System, preset: str) -> None:
    """It says how much was found, and that it is too little like the question."""
    asked = "Who won the chess championship of Ruritania?"
    ended = known.run("ask", asked, "--scope", "tarn", "--recipe", preset)

    assert Exit.NOT_ANSWERED == ended.code
    assert "less like the question than" in ended.json["shortfall_reason"]
