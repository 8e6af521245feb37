"""Answers with the real embedder: what fits is quoted, what is foreign is not answered."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from scops.common.contract.messages.explanation import Statement
from scops.explainer.quotes.highlighting import PROBABILITY_MIN
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.onnx_embedder import OnnxEmbedder
from tests.fakes.worlds.explainer import Explaining
from tests.fakes.worlds.indexed_pages import page_of

PAGES = (
    page_of(
        "https://docs.example.org/prices",
        "# Prices",
        "There are three plans. The River plan costs 14 euros a month. The Lake plan costs 55 "
        "euros a month. Prices include tax.",
        "An invoice is sent on the third day of the month. If it has not been paid after 20 days, "
        "the account falls back to the free plan.",
        title="Prices of the data plans",
    ),
    page_of(
        "https://docs.example.org/settings",
        "# Connections",
        "- max_connections (integer)",
        "- Determines how many clients may be connected. The default is typically 100.",
        "- port (integer)",
        "- The TCP port the server listens on. The default is 5432.",
        title="Settings of the server",
    ),
    page_of(
        "https://docs.example.org/questions",
        "# May I paint the station?",
        "Please do not. White paint warms the screen by half a degree in sunshine.",
        "# How long are readings kept?",
        "Raw readings are kept for 26 months. Monthly means are kept for ever.",
        title="Questions and answers",
    ),
)


@pytest.fixture(scope="module")
def int8() -> Iterator[OnnxEmbedder]:
    embedder = OnnxEmbedder.load("int8")
    yield embedder
    embedder.close()


async def _answer(int8: OnnxEmbedder, question: str) -> str:
    return " ".join(statement.text for statement in await _statements(int8, question))


async def _statements(int8: OnnxEmbedder, question: str) -> tuple[Statement, ...]:
    async def loaded() -> OnnxEmbedder:
        return int8

    world = Explaining.create(support_min=ExplainerSettings().support_min)
    world.ports = replace(world.ports, embedder=loaded)
    await world.finds(*PAGES)
    return (await world.ask(question)).statements


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How much does the Lake plan cost?", "The Lake plan costs 55 euros a month."),
        ("What happens when an invoice is not paid?", "falls back to the free plan."),
        ("What is the default of max_connections?", "The default is typically 100."),
        ("Which port does the server listen on?", "The default is 5432."),
        ("May I paint my station white?", "May I paint the station?\n\nPlease do not."),
        ("For how long do you store raw readings?", "Raw readings are kept for 26 months."),
    ],
)
async def test_answer_holds_the_sentence_that_answers(
    int8: OnnxEmbedder, question: str, quote: str
) -> None:
    """The sentence is quoted, whatever else is, within 80 words."""
    answer = await _answer(int8, question)

    assert quote in answer
    assert len(answer.split()) <= 80


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How much does the Lake plan cost?", "55 euros"),
        ("For how long do you store raw readings?", "26 months"),
    ],
)
async def test_short_answer_is_marked_inside_its_quote(
    int8: OnnxEmbedder, question: str, short: str
) -> None:
    """Once an answer, with offsets into the statement, though quotes may have been joined."""
    statements = await _statements(int8, question)
    (marked,) = [one for one in statements if one.highlight is not None]
    span = marked.highlight

    assert span is not None
    assert short in marked.text[span.start : span.end]
    assert len(marked.text[span.start : span.end].split()) <= 4
    assert PROBABILITY_MIN <= span.probability <= 1.0


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Peru?",
        "How do I bake sourdough bread?",
        "Who won the football world cup in 2018?",
        "How much does the Ocean view room cost?",
    ],
)
async def test_foreign_question_is_not_answered(int8: OnnxEmbedder, question: str) -> None:
    """A question about what no page names gets no answer rather than a guess."""
    assert "" == await _answer(int8, question)
