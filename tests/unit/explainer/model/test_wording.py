"""Answers that a model words."""

import json
from dataclasses import replace
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    AnswerResponse,
    FindRequest,
    Speaker,
    Turn,
    UnsupportedPolicy,
)
from scops.common.contract.messages.retrieval import RetrieveRequest
from scops.explainer.handlers.answer import find
from scops.explainer.model.wording import BROKE_OFF
from scops.libraries.model.language_model import MessageRole, ModelUnavailable
from tests.fakes.clock import START
from tests.fakes.language_model import ScriptedModel, reply
from tests.fakes.worlds.explainer import Explaining
from tests.fakes.worlds.indexed_pages import page_of

FEES = page_of(
    "https://docs.example.org/fees",
    "The yearly fee is 24 euros. It is due in January. Students pay half of it.",
    title="Fees of the club",
)
OWLS = page_of("https://docs.example.org/owls", "Owls hunt at night.", title="Owls")
QUESTION = "What is the yearly fee?"
GOOD = reply(("The yearly fee is 24 euros.", [("p1", "The yearly fee is 24 euros.")]))
VERBATIM = "The yearly fee is 24 euros."


async def _world(*says: Any, **settings: Any) -> tuple[Explaining, ScriptedModel]:
    world, model = Explaining.create(**settings), ScriptedModel(list(says))
    world.ports = replace(world.ports, model=model)
    await world.finds(FEES, OWLS)
    return world, model


def _texts(response: AnswerResponse) -> list[str]:
    return [statement.text for statement in response.statements]


async def test_model_words_the_answer() -> None:
    """Its sentence, our citation: the quote is the text of the version."""
    said = reply(("A member pays 24 euros as the yearly fee.", [("p1", VERBATIM)]))
    said = said.replace("A member pays", "The fee of the club is")
    world, _ = await _world(said)
    response = await world.ask(QUESTION)

    assert ["The fee of the club is 24 euros as the yearly fee."] == _texts(response)
    assert [VERBATIM] == [citation.quote for citation in response.citations]
    assert response.model is not None
    assert ("scripted", 1, 100, 20, "") == (
        response.model.model,
        response.model.requests,
        response.model.input_tokens,
        response.model.output_tokens,
        response.model.fallback_reason,
    )


async def test_extractive_mode_asks_no_model() -> None:
    """Who wants sentences of the pages gets them."""
    world, model = await _world(GOOD)
    response = await world.ask(QUESTION, mode=AnswerMode.EXTRACTIVE)

    assert [] == model.asked
    assert response.model is None
    assert response.answered


async def test_question_may_name_the_model_that_words_it() -> None:
    """Of those that are offered; each is counted at the same prices, so that bounds hold."""
    world, usual = await _world(GOOD, model_input_price=2.0)
    other = ScriptedModel([GOOD], name="other")
    world.ports = replace(world.ports, models={"scripted": usual, "other": other})
    named = [(await world.ask(QUESTION, model=name)).model for name in ("other", "scripted", "")]

    assert ["other", "scripted", "scripted"] == [one.model for one in named if one]
    assert [0.0002, 0.0002, 0.0002] == [one.cost for one in named if one]
    assert (1, 2) == (len(other.asked), len(usual.asked))


@pytest.mark.parametrize("mode", [AnswerMode.UNSPECIFIED, AnswerMode.EXTRACTIVE])
async def test_model_that_is_not_offered_is_refused(mode: AnswerMode) -> None:
    """It is no reason to ask another one; whoever asks learns which there are."""
    world, model = await _world(GOOD)
    world.ports = replace(world.ports, models={"scripted": model})

    with pytest.raises(InvalidInput, match="known are: scripted") as caught:
        await world.ask(QUESTION, model="owl", mode=mode)
    assert ("MODEL_UNKNOWN", "model") == (caught.value.reason, caught.value.metadata["field"])
    assert [] == model.asked


async def test_model_mode_without_a_model_says_so() -> None:
    """The answer is extractive, and the caller learns why."""
    world = Explaining.create()
    await world.finds(FEES)
    response = await world.ask(QUESTION, mode=AnswerMode.MODEL)

    assert response.answered
    assert response.model is not None
    assert "no model is configured" == response.model.fallback_reason


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (ModelUnavailable("The model cannot be reached."), "cannot be reached"),
        ("I think it is 24 euros.", "not in the form asked for"),
        ("", "not in the form asked for"),
        ('{"statements": []}', "found no answer"),
        (reply(("The fee is 99 euros.", [("p1", VERBATIM)])), "no sentence of the model"),
        (reply(("The fee is 24 euros.", [("p1", "It costs 24 euros.")])), "no sentence"),
        (reply(("The fee is 24 euros.", [])), "no sentence of the model"),
        (reply(("Der Beitrag ist 24 Euro im Jahr.", [("p1", VERBATIM)])), "no sentence"),
        (reply(("The yearly fee is not 24 euros.", [("p1", VERBATIM)])), "no sentence"),
        ('{"statements": [{"text": "The yearly f', "found no answer"),
    ],
)
async def test_failing_model_leaves_the_extractive_answer(said: Any, why: str) -> None:
    """Down, malformed, inventing, in another language, cut off: quotes, and the reason."""
    world, _ = await _world(said)
    response = await world.ask(QUESTION)

    assert response.answered
    assert _texts(response) == [citation.quote for citation in response.citations]
    assert response.model is not None
    assert why in response.model.fallback_reason


async def test_unsupported_sentence_is_removed() -> None:
    """The supported ones stay, and what went is counted."""
    said = reply(
        (VERBATIM, [("p1", VERBATIM)]),
        ("The fee was raised in 2019.", [("p1", VERBATIM)]),
    )
    world, _ = await _world(said)
    response = await world.ask(QUESTION)

    assert [VERBATIM] == _texts(response)
    assert response.model is not None
    assert 1 == response.model.statements_dropped


async def test_unsupported_sentence_is_marked_where_the_caller_asks() -> None:
    """It has no citation, and says that nothing supports it."""
    said = reply((VERBATIM, [("p1", VERBATIM)]), ("The fee was raised in 2019.", []))
    world, _ = await _world(said)
    response = await world.ask(QUESTION, unsupported=UnsupportedPolicy.MARK)

    assert [False, True] == [statement.unsupported for statement in response.statements]
    assert () == response.statements[1].citation_numbers


async def test_citation_of_the_wrong_passage_is_found_in_the_right_one() -> None:
    """An id is a hint; what counts is where the words stand."""
    world, _ = await _world(reply((VERBATIM, [("p2", VERBATIM)])))
    response = await world.ask(QUESTION)

    assert [FEES.url] == [citation.canonical_url for citation in response.citations]


async def test_answer_that_breaks_off_is_partial() -> None:
    """What was finished is shown, and the reader is told."""
    world, model = await _world(GOOD.removesuffix("]}") + ', {"text": "It is d')
    model.whole = False
    response = await world.ask(QUESTION)

    assert ([VERBATIM], BROKE_OFF) == (_texts(response), response.shortfall_reason)


async def test_model_has_less_time_than_the_caller() -> None:
    """A slow model must leave time for the extractive answer."""
    world, model = await _world(GOOD, model_timeout_seconds=3)
    await world.ask(QUESTION)

    assert [3.0] == [(deadline - START).total_seconds() for deadline in model.deadlines]


async def test_history_makes_the_question_stand_alone() -> None:
    """The retriever is asked what the follow-up means."""
    world, model = await _world("What is the yearly fee of the club?", GOOD)
    history = (
        Turn(speaker=Speaker.USER, text="Tell me of the club."),
        Turn(speaker=Speaker.ASSISTANT, text="It has members."),
    )
    await world.ask("And the fee?", history=history)

    assert "What is the yearly fee of the club?" == world.queries.asked[0].query
    parts = [message.part for message in model.asked[1]]
    assert [MessageRole.SYSTEM, MessageRole.USER, MessageRole.ASSISTANT, MessageRole.USER] == parts


async def test_what_was_found_before_is_answered_from() -> None:
    """The retriever is asked once, and what the model was asked for it is counted once."""
    history = (Turn(speaker=Speaker.USER, text="Tell me of the club."),)
    apart, _ = await _world("What is the yearly fee of the club?", GOOD)
    question = AnswerRequest(query="And the fee?", history=history)
    found = await find(FindRequest(question=question), apart.ports)
    in_parts = await apart.ask("And the fee?", history=history, found=found)
    at_once, _ = await _world("What is the yearly fee of the club?", GOOD)
    whole = await at_once.ask("And the fee?", history=history)

    assert "What is the yearly fee of the club?" == found.query
    asked = [one for one in apart.queries.asked if isinstance(one, RetrieveRequest)]
    assert [found.query] == [one.query for one in asked]
    assert (whole.statements, whole.citations, whole.model) == (
        in_parts.statements,
        in_parts.citations,
        in_parts.model,
    )


@pytest.mark.parametrize(
    "rewritten", ["", "two\nlines", "x" * 999, ModelUnavailable("The model is away.")]
)
async def test_unusable_rewriting_keeps_the_question(rewritten: Any) -> None:
    """The question itself is never worse than none."""
    world, _ = await _world(rewritten, GOOD)
    await world.ask(QUESTION, history=(Turn(speaker=Speaker.USER, text="Hello."),))

    assert QUESTION == world.queries.asked[0].query


async def test_passages_are_summed_up_for_the_question() -> None:
    """A request a passage, through the same port; they are counted."""
    world, model = await _world("It names the fee.", "NOTHING", GOOD, model_summaries=2)
    response = await world.ask(QUESTION)

    assert "summary: It names the fee." in model.asked[2][-1].text
    assert "NOTHING" not in model.asked[2][-1].text
    assert response.model is not None
    assert (3, 300) == (response.model.requests, response.model.input_tokens)


@pytest.mark.parametrize("wanted", [True, False])
async def test_only_the_answer_is_asked_for_as_json(wanted: bool) -> None:
    """Summaries are words; and nothing is asked of an endpoint that may not know it."""
    world, model = await _world("It names the fee.", GOOD, model_summaries=1, model_json=wanted)
    await world.ask(QUESTION)

    assert [False, wanted] == model.as_json


async def test_cost_is_counted_by_the_configured_prices() -> None:
    """Per million tokens read and written."""
    world, _ = await _world(GOOD, model_input_price=2, model_output_price=10)
    response = await world.ask(QUESTION)

    assert response.model is not None
    assert pytest.approx((100 * 2 + 20 * 10) / 1e6) == response.model.cost


async def test_question_in_a_language_without_passages_is_not_answered() -> None:
    """Nothing is invented: a model that answers from nothing is dropped, and so is a guess."""
    said = reply(("Der Mond kreist um die Erde.", [("p1", "Der Mond kreist um die Erde.")]))
    world, _ = await _world(said)
    response = await world.ask("Worum kreist der Mond?")

    assert (False, ()) == (response.answered, response.statements)
    assert response.shortfall_reason.startswith("Not answered in these scopes")


async def test_fences_hold_a_nonce_that_no_passage_has() -> None:
    """Each answer has another one."""
    world, model = await _world(GOOD)
    await world.ask(QUESTION)
    await world.ask(QUESTION)
    fences = [asked[-1].text.split("<<<passage p1 ")[1].split(">>>")[0] for asked in model.asked]

    assert 2 == len(set(fences))
    assert all(16 == len(nonce) for nonce in fences)
    assert json.loads(GOOD)
