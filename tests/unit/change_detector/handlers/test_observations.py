"""One observation in, exactly one verdict out, on SQLite and the real archive adapter."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scops.change_detector.handlers import observations
from scops.change_detector.handlers.observations import handle_page_extracted
from scops.common.archive import groups
from scops.common.archive.opening import open_archive
from scops.common.contract.errors import BlobMissing, InvalidInput, NotYetKnown, PermanentError
from scops.common.contract.messages.change import (
    ChunkOrigin,
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionUnchanged,
)
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import GoneReason, PageGone
from scops.common.contract.messages.types import BodyRef, ChangeClass
from scops.common.contract.service_table import Lane
from scops.common.db.database import sqlite_url
from tests.fakes.worlds.change import PAGE, ChangeWorld, at, cause, fetch, sql_world

FIRST = "\n".join(
    ["# Permits", *(f"Rule number {n} says that permit {n} costs {n} euros." for n in range(12))]
)
SECOND = FIRST.replace("permit 5 costs 5 euros", "permit 5 costs 55 euros")


async def test_a_first_text_is_added_with_a_manifest(world: ChangeWorld) -> None:
    """The manifest lists every chunk as added and pins text, document and pipeline."""
    added = await world.see("one", FIRST, 0)

    manifest = await world.manifest(added)
    assert isinstance(added, VersionAdded)
    assert (manifest.version_id, manifest.compared_with) == (added.verdict.version_id, "")
    assert {chunk.origin for chunk in manifest.chunks} == {ChunkOrigin.ADDED}
    assert added.verdict.manifest is not None
    assert added.verdict.manifest.media_type == "application/x-protobuf"
    assert (manifest.summary.change_class, manifest.summary.semantic) == (ChangeClass.NONE, False)


async def test_the_verdict_carries_the_target_state(world: ChangeWorld) -> None:
    """Page, fetch, URL, access, order key, row and times are all there."""
    verdict = (await world.see("one", FIRST, 0)).verdict

    (row,) = verdict.versions
    assert (verdict.page_id, verdict.fetch_id, verdict.access_context) == (
        PAGE,
        fetch("one"),
        "public",
    )
    assert (row.version_id, row.manifest) == (verdict.version_id, verdict.manifest)
    assert (verdict.verified_time, verdict.observed_time) == (at(0), at(0))
    assert verdict.order_key.observed_from == at(0)


async def test_a_flapping_page_restores_and_embeds_nothing_new(world: ChangeWorld) -> None:
    """A, B, A, B within minutes: restored versions list the chunks and keys of the first ones."""
    seen = [await world.see(i, text, i) for i, text in enumerate([FIRST, SECOND, FIRST, SECOND])]

    manifests = [await world.manifest(event) for event in seen]
    keys = [[chunk.embedding_key for chunk in manifest.chunks] for manifest in manifests]
    assert [type(event) for event in seen] == [
        VersionAdded,
        VersionAdded,
        VersionRestored,
        VersionRestored,
    ]
    assert (keys[2], keys[3]) == (keys[0], keys[1])
    assert seen[3].restored_version_id == seen[1].verdict.version_id


async def test_an_edit_changes_one_chunk_and_keeps_its_lineage(world: ChangeWorld) -> None:
    """Lineage is carried through the edit; the other chunks keep their ids."""
    old = await world.manifest(await world.see("one", FIRST, 0))
    new = await world.manifest(await world.see("two", SECOND, 1))

    (edited,) = [chunk for chunk in new.chunks if chunk.origin is not ChunkOrigin.KEPT]
    place = new.chunks.index(edited)
    assert edited.origin is ChunkOrigin.EDITED
    assert (edited.previous_chunk_id, edited.lineage_id) == (
        old.chunks[place].chunk_id,
        old.chunks[place].lineage_id,
    )
    assert [c.lineage_id for c in new.chunks] == [c.lineage_id for c in old.chunks]
    assert (new.summary.edited, new.summary.kept) == (1, len(new.chunks) - 1)
    assert new.compared_with == old.version_id


async def test_three_crawls_of_one_text_make_one_version(world: ChangeWorld) -> None:
    """A 200 and a 304 with the same text only move the verified time."""
    first = await world.see("one", FIRST, 0)
    second = await world.see("two", FIRST, 1)
    third = await world.unmodified("three", "two", 2)

    assert (type(second), type(third)) == (VersionUnchanged, VersionUnchanged)
    assert third.verdict.order_key == first.verdict.order_key
    assert third.verdict.manifest == first.verdict.manifest
    assert third.verdict.verified_time == at(2)


async def test_a_304_restores_what_it_confirms(world: ChangeWorld) -> None:
    """The server shows B for a while; then a 304 confirms the fetch that showed A."""
    first = await world.see("one", FIRST, 0)
    await world.see("two", SECOND, 1)

    back = await world.unmodified("three", "one", 2)

    assert isinstance(back, VersionRestored)
    assert (await world.manifest(back)).text == (await world.manifest(first)).text


async def test_a_304_of_an_unknown_fetch_is_tried_again(world: ChangeWorld) -> None:
    """The text it confirms may still be on its way through the extractor."""
    with pytest.raises(NotYetKnown):
        await world.unmodified("two", "one", 1)


async def test_a_304_that_confirms_a_404_is_refused(world: ChangeWorld) -> None:
    """There is no text to confirm: trying again cannot help."""
    await world.gone("one", 0)

    with pytest.raises(InvalidInput) as refused:
        await world.unmodified("two", "one", 1)

    assert refused.value.reason == "CONFIRMS_NO_TEXT"


async def test_gone_closes_and_the_same_text_comes_back(world: ChangeWorld) -> None:
    """Closing has a greater order key; coming back is a new run of the old text."""
    first = await world.see("one", FIRST, 0)
    gone = await world.gone("two", 1)
    back = await world.see("three", FIRST, 2)

    assert isinstance(gone, VersionClosed)
    assert (gone.reason, gone.verdict.closed, gone.verdict.manifest) == ("not_found", True, None)
    assert gone.verdict.order_key.observed_from == at(1)
    assert isinstance(back, VersionRestored)
    assert back.restored_version_id == first.verdict.version_id
    manifests = [await world.manifest(event) for event in (first, back)]
    assert [chunk.lineage_id for chunk in manifests[0].chunks] == [
        chunk.lineage_id for chunk in manifests[1].chunks
    ]


async def test_a_move_names_the_page_it_moved_to(world: ChangeWorld) -> None:
    """A redirect to a known page closes the redirecting one."""
    gone = PageGone(
        page_id=PAGE,
        fetch_id=fetch("one"),
        reason=GoneReason.MOVED,
        moved_to=PAGE,
        observed_time=at(0),
    )

    closed = await world.handle(gone)

    assert (closed.reason, closed.moved_to) == ("moved", PAGE)


async def test_a_late_404_does_not_close_the_page(world: ChangeWorld) -> None:
    """The verdict tells of the gap; the target is the text that was seen after it."""
    await world.see("one", FIRST, 0)
    newest = await world.see("three", SECOND, 5)

    gone = await world.gone("two", 3)

    assert isinstance(gone, VersionClosed)
    assert (gone.verdict.late, gone.verdict.closed) == (True, False)
    assert gone.verdict.version_id == newest.verdict.version_id


async def test_a_late_text_that_splits_a_run_tells_all_three_rows(world: ChangeWorld) -> None:
    """First half, the text between, and the later half that opens as restored."""
    first = await world.see("one", FIRST, 0)
    await world.see("two", FIRST, 10)

    split = await world.see("three", SECOND, 5)

    assert isinstance(split, VersionRestored)
    assert split.restored_version_id == first.verdict.version_id
    assert [row.observed_to for row in split.verdict.versions] == [at(5), at(10), None]
    assert split.verdict.order_key.observed_from == at(10)
    reopened = await world.manifest(split)
    assert [c.chunk_id for c in reopened.chunks] == [
        c.chunk_id for c in (await world.manifest(first)).chunks
    ]


@pytest.mark.parametrize(
    "kind", [kind for kind in PageKind if kind is not PageKind.ARTICLE], ids=str
)
async def test_what_is_no_article_gets_no_verdict(world: ChangeWorld, kind: PageKind) -> None:
    """A login wall, soft 404 or empty page leaves the good version current."""
    await world.see("one", FIRST, 0)
    event = await world.extracted("two", "Please log in.", 1, kind=kind)

    assert await world.handle_all(event) == ()
    assert await world.ports.timelines.observation(fetch("two")) is None


async def test_every_redelivery_gets_the_same_verdict(world: ChangeWorld) -> None:
    """Each message again, at once: the verdicts are equal to the last field."""
    await world.see("one", FIRST, 0)
    for event in (
        await world.extracted("two", SECOND, 1),
        await world.extracted("three", FIRST, 2),
        await world.extracted("four", SECOND, 1.5),
        PageGone(page_id=PAGE, fetch_id=fetch("five"), reason=GoneReason.GONE, observed_time=at(3)),
    ):
        assert await world.handle(event) == await world.handle(event)


async def test_a_redelivery_keeps_its_kind_after_the_page_moved_on(world: ChangeWorld) -> None:
    """It was news when it came; its target state is today's."""
    event = await world.extracted("one", FIRST, 0)
    await world.handle(event)
    newer = await world.see("two", SECOND, 1)

    again = await world.handle(event)

    assert isinstance(again, VersionAdded)
    assert again.verdict.version_id == newer.verdict.version_id
    assert not again.verdict.late


async def test_reextraction_is_a_revision_with_its_own_manifest(world: ChangeWorld) -> None:
    """Pipeline upgrades are not page changes."""
    await world.see("one", FIRST, 0)

    event = await world.see("one", SECOND, 0, pipeline="p2", reextracted=True)

    assert isinstance(event, VersionAdded)
    assert event.verdict.pipeline_changed
    assert (event.verdict.order_key.revision, event.verdict.order_key.observed_from) == (1, at(0))
    assert (await world.manifest(event)).pipeline_changed


async def test_two_texts_at_one_instant_are_told_apart(world: ChangeWorld) -> None:
    """The one recorded later moves by a microsecond, and stays there when redelivered."""
    await world.see("one", FIRST, 0)
    event = await world.extracted("two", SECOND, 0)

    second = await world.handle(event)

    assert second.verdict.observed_time == at(0).replace(microsecond=1)
    assert await world.handle(event) == second


async def test_one_fetch_cannot_be_a_text_and_gone(world: ChangeWorld) -> None:
    """A contradiction is a producer's error: it goes to the dead letters at once."""
    await world.gone("one", 0)

    with pytest.raises(PermanentError) as refused:
        await world.see("one", FIRST, 0)

    assert refused.value.reason == "FETCH_CONTRADICTS"


async def test_a_text_that_the_archive_lacks_is_an_error(world: ChangeWorld) -> None:
    """Nothing is recorded: the archive comes first."""
    event = replace(await world.extracted("one", FIRST, 0), text=BodyRef(digest="0" * 64, size=1))

    with pytest.raises(BlobMissing):
        await handle_page_extracted(event, cause(), world.ports)

    assert await world.ports.timelines.observation(fetch("one")) is None


async def test_an_article_without_text_has_no_chunks(world: ChangeWorld) -> None:
    """Nothing to pack is not an error."""
    event = await world.see("one", "", 0)

    assert (await world.manifest(event)).chunks == ()


async def test_two_workers_on_one_page_end_in_one_timeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten messages of one page at once, on one file: none is lost, none counted twice."""
    monkeypatch.setattr(observations, "COMMIT_ATTEMPTS_MAX", 50)
    worlds = [await sql_world(sqlite_url(tmp_path / "change.db")) for _ in range(2)]
    for world in worlds[1:]:
        world.ports = replace(world.ports, archive=worlds[0].archive)
    texts = [f"{FIRST}\nEdition {i % 4}." for i in range(10)]
    events = [await worlds[0].extracted(i, text, i) for i, text in enumerate(texts)]

    await asyncio.gather(
        *(worlds[i % 2].handle(event) for i, event in enumerate(events)),
        *(worlds[(i + 1) % 2].handle(event) for i, event in enumerate(events)),
    )

    history = await worlds[0].ports.histories.history(PAGE, limit=100)
    assert history is not None
    assert [v.text_digest for v in reversed(history.versions)] == [e.text.digest for e in events]
    assert [v.order_key.observed_from for v in reversed(history.versions)] == [
        at(i) for i in range(10)
    ]
    for world in worlds:
        assert world.database is not None
        await world.database.close()


@pytest.mark.parametrize(("lane", "waits"), [(Lane.BULK, True), (Lane.NOW, False)])
async def test_manifests_of_crawls_wait_for_company(
    world: ChangeWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lane: Lane, waits: bool
) -> None:
    """Those of pages that a person waits for never do."""
    for name in ("LINGER_SECONDS", "LINGER_SECONDS_MAX"):
        monkeypatch.setattr(groups, name, 2.0)
    event = await world.extracted("one", FIRST, 0)
    folder = open_archive(f"file://{tmp_path}", "main")
    for ref in (event.text, event.document):
        await folder.put(await world.archive.get(ref), media_type=ref.media_type)
    started = time.monotonic()
    by = replace(cause(), lane=lane)
    await handle_page_extracted(event, by, replace(world.ports, archive=folder))
    waited = time.monotonic() - started >= 2.0
    folder.close()

    assert waits == waited
