"""Stored HTML read anew by another pipeline: revisions, and no news of the page."""

from dataclasses import replace
from typing import Any

from scops.change_detector.handlers.queries import answer_history
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.common.contract import wire
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.change import HistoryRequest, WhatChangedRequest
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef, ScopeRef
from scops.extractor.extraction import extract
from tests.fakes.worlds.change import PAGE, URL, ChangeWorld, at, scope_of, sql_world

SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)
PARAGRAPHS = "".join(
    f"<p>Paragraph {i} of the stored page tells in some words what rule {i} of the house is.</p>"
    for i in range(12)
)
STORED = f"<html><title>House rules</title><body><main>{PARAGRAPHS}</main></body></html>".encode()
# Two settings of one extractor: the later one reads more of the page.
CHARACTERS_MAX = {"p1": 300, "p2": 100_000}


async def read(world: ChangeWorld, name: str, minutes: float, pipeline: str, **options: Any) -> Any:
    """Has the stored body extracted by a pipeline, and handles what comes out."""
    fetched = PageFetched(
        canonical_url=URL, observed_time=at(minutes), body=BodyRef(media_type="text/html")
    )
    found = extract(STORED, fetched, text_characters_max=CHARACTERS_MAX[pipeline])
    event = await world.extracted(name, found.text, minutes, pipeline=pipeline, **options)
    document = await world.archive.put(wire.encode(found.document), media_type="x")
    return await world.handle(replace(event, document=document))


async def test_a_stored_body_read_anew_is_linked_as_a_pipeline_change() -> None:
    """The same observation, another text, a revision; nothing counts as a change."""
    world = await sql_world()
    world.ports.scopes.apply(scope_of())
    first = await read(world, "one", 0, "p1")
    again = await read(world, "one", 0, "p2", reextracted=True)
    fetched = await read(world, "two", 10, "p2")
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    news = await answer_what_changed(WhatChangedRequest(scope=SCOPE, since=at(1)), world.ports)
    manifest = await world.manifest(again)

    assert again.verdict.pipeline_changed
    assert manifest.compared_with == first.verdict.version_id
    assert [(1, True), (0, False)] == [
        (entry.order_key.revision, entry.pipeline_changed) for entry in history.versions
    ]
    assert fetched.verdict.order_key == again.verdict.order_key
    assert () == news.changes
