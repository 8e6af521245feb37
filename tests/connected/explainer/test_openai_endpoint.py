"""The model adapter against an HTTP endpoint of the OpenAI form, scripted."""

import asyncio
import importlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web

from scops.common.runtime.clock import SystemClock
from scops.libraries.model.language_model import Completion, Message, MessageRole, ModelUnavailable
from scops.libraries.model.openai_model import OpenAIModel
from tests.fakes.servers.model_endpoint import completion, model_endpoint

ASKED = [Message(MessageRole.SYSTEM, "Be short."), Message(MessageRole.USER, "What is the fee?")]
CLOCK = SystemClock()


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """The first import takes seconds on a busy machine, which is no endpoint's fault."""
    importlib.import_module("openai.resources.chat")


@dataclass
class _Endpoint:
    """Answers in turn with what it is given: a status, a body, or seconds to wait first."""

    replies: list[Any]
    retry_after: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        self.keys.append(request.headers.get("Authorization", ""))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, float):
            await asyncio.sleep(reply)
            return web.json_response(completion("24 euros"))
        if isinstance(reply, int):
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            return web.json_response({"error": {"message": "no"}}, status=reply, headers=headers)
        if isinstance(reply, str):
            return web.Response(text=reply, content_type="application/json")
        return web.json_response(reply)


@pytest.fixture
async def endpoint() -> AsyncIterator[_Endpoint]:
    """A server on a free port of the loopback."""
    scripted = _Endpoint([completion("24 euros")])
    async with model_endpoint(scripted.answer) as scripted.url:
        yield scripted


async def _complete(url: str, *, retries: int = 0, seconds: float = 5.0) -> Completion:
    model = OpenAIModel(url=url, name="m", key="secret", retries=retries, clock=CLOCK)
    try:
        deadline = CLOCK.now() + timedelta(seconds=seconds)
        return await model.complete(ASKED, tokens_max=50, deadline=deadline)
    finally:
        await model.close()


async def test_completion_is_read_with_its_cost(endpoint: _Endpoint) -> None:
    """Messages, key, bound and temperature arrive; words and tokens come back."""
    said = await _complete(endpoint.url)

    assert Completion(text="24 euros", input_tokens=11, output_tokens=3) == said
    body = endpoint.bodies[0]
    assert [{"role": "system", "content": "Be short."}] == body["messages"][:1]
    assert ("m", 50, 0) == (body["model"], body["max_tokens"], body["temperature"])
    assert ["Bearer secret"] == endpoint.keys
    assert not {"tools", "functions"}.intersection(body)


@pytest.mark.parametrize(("wanted", "expected"), [(True, {"type": "json_object"}), (False, None)])
async def test_endpoint_is_asked_for_json_where_it_is_wanted(
    endpoint: _Endpoint, wanted: bool, expected: dict[str, str] | None
) -> None:
    """What an endpoint may not know is not sent unasked."""
    model = OpenAIModel(url=endpoint.url, name="m", key="", retries=0, clock=CLOCK)
    deadline = CLOCK.now() + timedelta(seconds=5)
    await model.complete(ASKED, tokens_max=50, deadline=deadline, as_json=wanted)
    await model.close()

    assert expected == endpoint.bodies[0].get("response_format")


async def test_completion_that_was_cut_off_is_not_whole(endpoint: _Endpoint) -> None:
    """The endpoint says that it ran out of tokens."""
    endpoint.replies = [completion("24 eu", finish="length")]

    assert not (await _complete(endpoint.url)).whole


async def test_rate_limit_is_retried(endpoint: _Endpoint) -> None:
    """A refusal that passes is waited for, within the deadline."""
    endpoint.replies = [429, completion("24 euros")]

    assert "24 euros" == (await _complete(endpoint.url, retries=1, seconds=20)).text
    assert 2 == len(endpoint.bodies)


async def test_endpoint_that_wants_a_long_rest_is_left_in_time(endpoint: _Endpoint) -> None:
    """Its Retry-After does not outlast the deadline."""
    endpoint.replies, endpoint.retry_after = [429], "20"
    started = CLOCK.now()
    with pytest.raises(ModelUnavailable, match="in time"):
        await _complete(endpoint.url, retries=3, seconds=1)

    assert (CLOCK.now() - started).total_seconds() < 4


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
async def test_refusal_is_unavailable(endpoint: _Endpoint, status: int) -> None:
    """The status is told; the key is not."""
    endpoint.replies = [status]
    with pytest.raises(ModelUnavailable, match=f"answered {status}") as caught:
        await _complete(endpoint.url)

    assert "secret" not in caught.value.message


async def test_slow_endpoint_is_left_in_time(endpoint: _Endpoint) -> None:
    """The deadline holds for all attempts together."""
    endpoint.replies = [30.0]
    started = CLOCK.now()
    with pytest.raises(ModelUnavailable, match="in time"):
        await _complete(endpoint.url, seconds=0.6)

    assert (CLOCK.now() - started).total_seconds() < 3


async def test_nobody_there_is_unavailable() -> None:
    """A refused connection is no bug."""
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await _complete("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    "reply",
    ["not json", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', '{"choices": "x"}', "null"],
)
async def test_malformed_reply_is_unavailable(endpoint: _Endpoint, reply: str) -> None:
    """Endpoints that are only nearly compatible must not break an answer."""
    endpoint.replies = [reply]
    with pytest.raises(ModelUnavailable):
        await _complete(endpoint.url)


async def test_reply_without_text_is_unavailable(endpoint: _Endpoint) -> None:
    """A refusal or a tool call has no content."""
    endpoint.replies = [completion(None)]
    with pytest.raises(ModelUnavailable, match="no text"):
        await _complete(endpoint.url)


async def test_no_time_left_asks_nobody(endpoint: _Endpoint) -> None:
    """An expired deadline costs no request."""
    with pytest.raises(ModelUnavailable, match="no time left"):
        await _complete(endpoint.url, seconds=0)

    assert [] == endpoint.bodies
