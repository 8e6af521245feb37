"""Answers with the real embedder: what fits is quoted, what is foreign is not answered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from scops.common.contract.messages.explanation import Statement
from scops.explainer.quotes.highlighting import PROBABILITY_MIN
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.port import Embedder
from scops.libraries.embedder.registry import load_embedder
from tests.fakes.worlds.explainer import Explaining
from tests.fakes.worlds.indexed_pages import PageText, page_of

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


ELSEWHERE = (
    page_of(
        "https://docs.example.org/de",
        "# Preise",
        "Es gibt drei Tarife. Der Tarif Fluss kostet 14 Euro im Monat. Der Tarif See kostet 55 "
        "Euro im Monat. Die Preise enthalten die Steuer.",
        "Die Rechnung kommt am dritten Tag des Monats.",
        title="Preise der Tarife",
    ),
    page_of(
        "https://docs.example.org/es",
        "# El puente",
        "El puente se abrió al tráfico en 1932. Lo construyó la ingeniera Ana Robles. Cada día "
        "lo cruzan ocho mil personas.",
        title="El puente viejo",
    ),
)


@pytest.fixture(scope="module", params=["onnx-int8", "e5-int8"])
def loaded(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Returns each model with the records that belong to it."""
    embedder = load_embedder(request.param)
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def e5() -> Iterator[Embedder]:
    embedder = load_embedder("e5-int8")
    yield embedder
    embedder.close()


async def _answer(loaded: Embedder, question: str) -> str:
    return " ".join(statement.text for statement in await _statements(loaded, question))


async def _statements(
    loaded: Embedder, question: str, pages: Sequence[PageText] = PAGES
) -> tuple[Statement, ...]:
    async def opened() -> Embedder:
        return loaded

    world = Explaining.create(support_min=ExplainerSettings().support_min)
    world.ports = replace(world.ports, embedder=opened)
    await world.finds(*pages)
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
    loaded: Embedder, question: str, quote: str
) -> None:
    """The sentence is quoted, whatever else is, within 80 words."""
    answer = await _answer(loaded, question)

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
    loaded: Embedder, question: str, short: str
) -> None:
    """Once an answer, with offsets into the statement, though quotes may have been joined."""
    statements = await _statements(loaded, question)
    (marked,) = [one for one in statements if one.highlight is not None]
    span = marked.highlight

    assert span is not None
    assert short in marked.text[span.start : span.end]
    assert len(marked.text[span.start : span.end].split()) <= 4
    assert PROBABILITY_MIN <= span.probability <= 1.0


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Wie viel kostet der Tarif See?", "55 Euro"),
        ("¿Quién construyó el puente viejo?", "Ana Robles"),
    ],
)
async def test_short_answer_is_marked_in_other_languages(
    e5: Embedder, question: str, short: str
) -> None:
    """By weights that were fitted on English questions."""
    statements = await _statements(e5, question, ELSEWHERE)
    (marked,) = [one for one in statements if one.highlight is not None]
    span = marked.highlight

    assert span is not None
    assert short in marked.text[span.start : span.end]


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Peru?",
        "How do I bake sourdough bread?",
        "Who won the football world cup in 2018?",
        "How much does the Ocean view room cost?",
    ],
)
async def test_foreign_question_is_not_answered(loaded: Embedder, question: str) -> None:
    """A question about what no page names gets no answer rather than a guess."""
    assert "" == await _answer(loaded, question)
