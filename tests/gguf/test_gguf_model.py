"""A real model of 270 million parameters: whatever it says, an answer keeps its form."""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from benchmarks.answers.closed_book import closed_book
from benchmarks.shared.system.gguf_server import GgufServer
from examples.site_server import SITE
from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.runtime.clock import SystemClock
from scops.libraries.model.language_model import Message, MessageRole
from scops.libraries.model.openai_model import OpenAIModel
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

QUESTION = "How much does the River plan cost?"
CLOCK = SystemClock()


def _model(server: GgufServer) -> OpenAIModel:
    return OpenAIModel(url=server.url, name=server.name, key="", retries=0, clock=CLOCK)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, model_server: GgufServer) -> Iterator[System]:
    """`scops up` with the model configured, and the example site crawled."""
    settings = {
        "SCOPS_EXPLAINER_MODEL_URL": model_server.url,
        "SCOPS_EXPLAINER_MODEL_NAME": model_server.name,
        "SCOPS_EXPLAINER_MODEL_TIMEOUT_SECONDS": "20",
        "SCOPS_EXPLAINER_MODEL_TOKENS_MAX": "120",
        "SCOPS_EXPLAINER_MODEL_PASSAGES": "2",
    }
    folder = tmp_path_factory.mktemp("system")
    with running(Origin([Path(SITE) / "edition-1"])) as origin, System(folder, **settings) as one:
        one.create_scope("tarn", seeds=[f"{origin.url}/"])
        one.crawl("tarn")
        yield one


async def test_adapter_reads_what_a_real_server_says(model_server: GgufServer) -> None:
    """Words and counted tokens come back."""
    model = _model(model_server)
    messages = [
        Message(MessageRole.SYSTEM, "Be short."),
        Message(MessageRole.USER, "Name a colour."),
    ]
    said = await model.complete(
        messages, tokens_max=12, deadline=CLOCK.now() + timedelta(seconds=60)
    )
    await model.close()

    assert isinstance(said.text, str)
    assert 0 < said.input_tokens
    assert 0 < said.output_tokens <= 12


def test_closed_book_row_is_filled(model_server: GgufServer) -> None:
    """What the benchmark asks the model without passages."""
    row = closed_book(_model(model_server), [("What is the capital of France?", ["Paris"])])

    assert 1 == row["questions"]
    assert 0.0 == row["failed"]


def test_question_is_answered_in_form(system: System) -> None:
    """Statements cite, citations are verbatim; worded by the model, or quotes and why."""
    answer = system.ask(QUESTION, "tarn")

    assert answer.answered
    assert "gemma" == answer.model.model
    assert 1 <= answer.model.requests
    assert 0 < answer.model.input_tokens or answer.model.fallback_reason
    quotes = {citation.number: citation.quote for citation in answer.citations}
    for statement in answer.statements:
        assert statement.citation_numbers
        assert set(statement.citation_numbers) <= set(quotes)
    if answer.model.fallback_reason:
        assert list(quotes.values()) == [statement.text for statement in answer.statements]
    for citation in answer.citations:
        assert sha256(citation.quote.encode()).hexdigest() == citation.quote_digest
        assert any(_holds(passage, citation) for passage in answer.passages)


def _holds(passage: pb.Passage, citation: pb.Citation) -> bool:
    """Returns whether a passage holds a citation's quote at its offsets."""
    if passage.version != citation.version:
        return False
    start = citation.start - passage.start
    return (
        passage.text[max(start, 0) : citation.end - passage.start]
        == citation.quote[-min(start, 0) :]
    )
