"""Every language model keeps the port's promises: an endpoint of the OpenAI form, and the fake."""

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web

from scops.common.runtime.clock import SystemClock
from scops.libraries.model.language_model import (
    Completion,
    LanguageModel,
    Message,
    MessageRole,
    ModelUnavailable,
)
from scops.libraries.model.openai_model import OpenAIModel
from tests.fakes.language_model import ScriptedModel
from tests.fakes.servers.model_endpoint import completion, model_endpoint

CLOCK = SystemClock()
ASKED = [Message(MessageRole.SYSTEM, "Be short."), Message(MessageRole.USER, "What is the fee?")]


@dataclass
class Scripted:
    """A model whose next replies a test gives; None stands for a failure.

    Attributes:
        replies: texts in turn, the last one again and again.
        whole: whether the replies are complete.
    """

    replies: list[str | None] = field(default_factory=lambda: ["24 euros"])
    whole: bool = True
    model: LanguageModel = field(init=False)

    def next_reply(self) -> str | None:
        """Returns what is said now."""
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@asynccontextmanager
async def _by_endpoint() -> AsyncIterator[Scripted]:
    scripted = Scripted()

    async def answer(request: web.Request) -> web.Response:
        text = scripted.next_reply()
        if text is None:
            return web.json_response({"error": {"message": "no"}}, status=503)
        finish = "stop" if scripted.whole else "length"
        return web.json_response(completion(text, finish=finish))

    # The first import of the client takes seconds on a busy machine.
    importlib.import_module("openai.resources.chat")
    async with model_endpoint(answer) as url:
        scripted.model = OpenAIModel(url=url, name="m", key="", retries=0, clock=CLOCK)
        yield scripted
        await scripted.model.close()


@asynccontextmanager
async def _by_script() -> AsyncIterator[Scripted]:
    scripted = Scripted()

    class Model(ScriptedModel):
        async def complete(self, *args: Any, **options: Any) -> Completion:
            text = scripted.next_reply()
            self.says = [ModelUnavailable("no") if text is None else text]
            self.whole = scripted.whole
            return await super().complete(*args, **options)

    scripted.model = Model(name="m")
    yield scripted


@pytest.fixture(params=[_by_endpoint, _by_script], ids=["openai", "scripted"])
async def scripted(request: pytest.FixtureRequest) -> AsyncIterator[Scripted]:
    """Returns each model in turn."""
    async with request.param() as opened:
        yield opened


async def _complete(scripted: Scripted, **options: Any) -> Completion:
    deadline = CLOCK.now() + timedelta(seconds=10)
    return await scripted.model.complete(ASKED, tokens_max=50, deadline=deadline, **options)


async def test_words_come_back_with_their_cost(scripted: Scripted) -> None:
    """A completion is whole, and says how many tokens it took."""
    said = await _complete(scripted)

    assert ("24 euros", True) == (said.text, said.whole)
    assert said.input_tokens > 0
    assert said.output_tokens > 0


async def test_completion_that_was_cut_off_is_not_whole(scripted: Scripted) -> None:
    """Whoever asked learns that words are missing."""
    scripted.replies, scripted.whole = ["24 eu"], False

    assert not (await _complete(scripted)).whole


async def test_json_may_be_asked_for(scripted: Scripted) -> None:
    """The words are still nothing but words: who asked reads them."""
    scripted.replies = ['{"fee": 24}']

    assert '{"fee": 24}' == (await _complete(scripted, as_json=True)).text


async def test_failure_is_unavailable_and_passes(scripted: Scripted) -> None:
    """A model that failed once may be asked again."""
    scripted.replies = [None, "24 euros"]
    with pytest.raises(ModelUnavailable):
        await _complete(scripted)

    assert "24 euros" == (await _complete(scripted)).text


def test_model_has_a_name() -> None:
    """Answers tell which model worded them."""
    assert "m" == OpenAIModel(url="http://x/v1", name="m", key="", retries=0, clock=CLOCK).name
    assert "scripted" == ScriptedModel().name
