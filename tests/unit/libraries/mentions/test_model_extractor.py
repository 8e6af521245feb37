"""Mentions by a language model: checked, bounded, and read by the rules where it fails."""

import json
from collections.abc import Sequence

from scops.libraries.mentions.model_extractor import ModelBounds, ModelExtractor
from scops.libraries.mentions.rules import EXTRACTOR_ID, read_by_rules
from scops.libraries.model.language_model import Message, ModelUnavailable
from tests.fakes.clock import ManualClock
from tests.fakes.language_model import ScriptedModel

TEXT = "The lighthouse keeper of Hven wrote to Tycho Brahe about the sea ice."


def _extractor(model: ScriptedModel, **bounds: float) -> ModelExtractor:
    wanted = {
        "text_seconds": 8,
        "total_seconds": 20,
        "characters_max": 1000,
        "tokens_max": 100,
        "at_once": 1,
    } | bounds
    return ModelExtractor(model, ModelBounds(**wanted), ManualClock())  # type: ignore[arg-type]


def _reply(*named: object) -> str:
    return f"Here you are: {json.dumps({'mentions': named})}"


async def test_model_names_what_the_rules_do_not_see() -> None:
    """Beside the names by rules; what the text does not hold, or is no text, is dropped."""
    model = ScriptedModel([_reply("lighthouse keeper", "Galileo", 7, "sea ice")])
    (found,) = await _extractor(model).read([TEXT])

    assert {"lighthouse keeper", "sea ice", "tycho brahe"} <= set(found.keys)
    assert "galileo" not in found.keys
    assert "model/scripted/1" == found.extractor_id


async def test_text_that_the_model_fails_on_is_read_by_the_rules() -> None:
    """One that is down, talks, or breaks off; the others stay the model's, and each says whose."""
    says = [ModelUnavailable("down"), "I cannot.", '{"mentions": "x"}', _reply("sea ice")]
    found = await _extractor(ScriptedModel(says)).read([TEXT] * 4)

    assert [EXTRACTOR_ID] * 3 + ["model/scripted/1"] == [one.extractor_id for one in found]
    assert [read_by_rules(TEXT)] * 3 == found[:3]


async def test_model_is_asked_within_its_bounds() -> None:
    """At most so much of a text, so long for one, and so long for all of a call."""
    clock = ManualClock()
    begun = clock.now()

    def slow(messages: Sequence[Message]) -> str:
        clock.advance(7)
        return _reply()

    model = ScriptedModel([slow])
    bounds = ModelBounds(
        text_seconds=8, total_seconds=20, characters_max=10, tokens_max=100, at_once=1
    )
    await ModelExtractor(model, bounds, clock).read([TEXT] * 3)

    assert [TEXT[:10]] * 3 == [asked[-1].text for asked in model.asked]
    assert [8, 15, 20] == [(until - begun).total_seconds() for until in model.deadlines]
