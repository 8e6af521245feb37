"""Mentions by a model over HTTP: an endpoint of the OpenAI form, as the settings name it."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from scops.common.processes.compute import compute_at_once
from scops.common.runtime.clock import SystemClock
from scops.indexer.adapters.mention_extractors import mention_extractor
from scops.indexer.settings import IndexerSettings
from scops.libraries.mentions.rules import EXTRACTOR_ID
from tests.fakes.servers.model_endpoint import completion, model_endpoint

TEXTS = ["The sea ice of Hven.", "down", "slow", "Tycho Brahe saw sea ice."]
# Longer than a model may take for one text.
SLOW_SECONDS = 30.0


@dataclass
class _Endpoint:
    """Names `sea ice` in whatever it reads, but refuses one text and never ends another."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        read = body["messages"][-1]["content"]
        if read == "down":
            return web.json_response({"error": {"message": "no"}}, status=503)
        if read == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        return web.json_response(completion(json.dumps({"mentions": ["sea ice", "Mars"]})))


@pytest.fixture
async def endpoint() -> AsyncIterator[_Endpoint]:
    """A server on a free port of the loopback."""
    scripted = _Endpoint()
    async with model_endpoint(scripted.answer) as scripted.url:
        yield scripted


async def test_endpoint_reads_mentions_and_the_rules_what_it_fails_on(endpoint: _Endpoint) -> None:
    """A refusal and a text that takes too long cost nobody else's mentions."""
    settings = IndexerSettings.load().model_copy(
        update={
            "mentions": "model",
            "mentions_model_url": endpoint.url,
            "mentions_model_name": "m",
            "mentions_model_json": True,
        }
    )
    extractor = mention_extractor(settings, SystemClock(), compute_at_once)
    # The first import of the client takes seconds on a busy machine, which is no text's fault.
    __import__("openai.resources.chat")
    found = await extractor.read(TEXTS)
    await extractor.close()

    assert ["model/m/1", EXTRACTOR_ID, EXTRACTOR_ID, "model/m/1"] == [
        one.extractor_id for one in found
    ]
    assert {"sea ice", "hven"} == set(found[0].keys)
    assert "tycho brahe" in found[3].keys
    assert len(TEXTS) == len(endpoint.bodies)
    assert all(body["response_format"] == {"type": "json_object"} for body in endpoint.bodies)
