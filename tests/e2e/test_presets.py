"""Presets of how much an answer may rest on, through the command."""

import pytest

from scops.standalone.terminal.exits import Exit
from tests.e2e.system import System

QUESTION = "How much does the River plan cost?"


@pytest.mark.parametrize(("preset", "most", "least"), [("top2", 2, 0.3), ("top3", 3, 0.5)])
def test_preset_bounds_what_an_answer_rests_on(
    known: System, preset: str, most: int, least: float
) -> None:
    """The answer shows few passages, each as probably relevant as the preset asks."""
    usual = known.run("ask", QUESTION, "--scope", "tarn")
    bounded = known.run("ask", QUESTION, "--scope", "tarn", "--recipe", preset)
    passages = bounded.json["passages"]

    assert (0, 0) == (usual.code, bounded.code), bounded.err
    assert most < len(usual.json["passages"])
    assert 1 <= len(passages) <= most
    assert all(one["relevance"] >= least for one in passages)


def test_preset_answers_nothing_from_what_is_hardly_relevant(known: System) -> None:
    """It says how much was found, and that it scores too little."""
    asked = "Who won the chess championship of Ruritania?"
    ended = known.run("ask", asked, "--scope", "tarn", "--recipe", "top5")

    assert Exit.NOT_ANSWERED == ended.code
    assert "score less than" in ended.json["shortfall_reason"]
