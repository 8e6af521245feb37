"""The description of the HTTP API against what is served."""

import json
import re
from typing import Any

from scops.gateway.adapters.http.bodies import BodyDoor
from scops.gateway.adapters.http.feeds import FeedDoor
from scops.gateway.adapters.http.openai.chat import ChatDoor
from scops.gateway.adapters.http.openai.embeddings import EmbeddingDoor
from scops.gateway.adapters.http.reports import ReportDoor
from scops.gateway.adapters.http.routes import all_routes
from scops.gateway.adapters.http.server import OPENAPI

DESCRIBED = json.loads(OPENAPI.read_text())["paths"]
NONE: Any = None


def described(stream: bool) -> set[tuple[str, str]]:
    """Returns verb and path of what is described, of streams or of all else."""
    return {
        (verb.upper(), re.sub(r"\{[^}]*\}", "*", path))
        for path, verbs in DESCRIBED.items()
        for verb, operation in verbs.items()
        if stream == (set(operation["responses"]["200"]["content"]) == {"text/event-stream"})
    }


def test_every_route_is_described() -> None:
    """Those of the protos and those beside them, and nothing else."""
    doors = (
        ChatDoor(NONE, NONE, NONE),
        EmbeddingDoor(NONE, NONE),
        FeedDoor(NONE, NONE),
        BodyDoor(NONE, NONE),
        ReportDoor(NONE, NONE),
    )
    beside = {
        (verb, re.sub(r"\{[^}]*\}", "*", route.path))
        for door in doors
        for route in door.routes()
        for verb in (route.methods or set()) - {"HEAD"}
    }
    readable = {(route.verb, route.template) for route in all_routes() if not route.bound.streams}

    assert beside | readable == described(stream=False)


def test_streams_are_described_as_events() -> None:
    """A client knows beforehand that it is answered part by part."""
    streams = {(route.verb, route.template) for route in all_routes() if route.bound.streams}

    assert streams == described(stream=True)
