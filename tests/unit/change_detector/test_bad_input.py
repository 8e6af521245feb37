"""Bad input: walls, other languages, other scripts, hostile sizes; late and repeated versions."""

import time

import pytest

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.handlers.queries import answer_history
from scops.change_detector.reading.diff import apply, diff
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.contract.messages.change import (
    DiffKind,
    HistoryRequest,
    VersionAdded,
    VersionUnchanged,
)
from scops.common.contract.messages.content import PageKind
from tests.fakes.worlds.change import PAGE, ChangeWorld, at, body_of, sql_world

GOOD = "# Fees\nThe fee is 5 euros per month.\nPay at the desk."


@pytest.mark.parametrize(
    "kind", [kind for kind in PageKind if kind not in (PageKind.UNSPECIFIED, PageKind.ARTICLE)]
)
async def test_a_page_that_became_a_wall_keeps_its_good_version(
    world: ChangeWorld, kind: PageKind
) -> None:
    """No verdict, no version, no news; the fetcher says why the row is blocked."""
    good = await world.see("one", GOOD, 0)
    wall = await world.extracted("two", "Please sign in.", 10, kind=kind)
    verdicts = await world.handle_all(wall)
    again = await world.see("three", GOOD, 20)
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)

    assert () == tuple(verdicts)
    assert isinstance(again, VersionUnchanged)
    assert [good.verdict.version_id] == [entry.version_id for entry in history.versions]


async def test_another_language_is_a_semantic_change_and_returns_as_known(
    world: ChangeWorld,
) -> None:
    """A geo variant embeds nothing when the first text comes back."""
    await world.see("one", GOOD, 0)
    german = await world.see("two", "# Preise\nDie Gebühr ist 5 Euro.\nZahlen Sie dort.", 10)
    back = await world.see("three", GOOD, 20)
    first, last = world.published[0], await world.manifest(back)

    assert german.verdict.summary.semantic
    assert back.restored_version_id == first.verdict.version_id
    assert [chunk.embedding_key for chunk in (await world.manifest(first)).chunks] == [
        chunk.embedding_key for chunk in last.chunks
    ]


async def test_a_version_that_arrives_twice_is_answered_alike(world: ChangeWorld) -> None:
    """And one that arrives late takes its place in the past."""
    event = await world.extracted("one", GOOD, 10)
    first, again = await world.handle(event), await world.handle(event)
    late = await world.see("zero", "# Fees\nThe fee is 4 euros per month.", 0)
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)

    assert first == again
    assert late.verdict.late
    assert [at(10), at(0)] == [entry.order_key.observed_from for entry in history.versions]


async def test_hundred_thousand_one_word_blocks_become_versions(world: ChangeWorld) -> None:
    """Chunked, aligned and labelled in bounded time."""
    words = [f"word{number % 977}" for number in range(100_000)]
    began = time.process_time()
    await world.see("one", "\n".join(words), 0)
    changed = await world.see("two", "\n".join([*words[:50_000], "new", *words[50_000:]]), 10)

    assert isinstance(changed, VersionAdded)
    summary = changed.verdict.summary
    assert summary is not None
    assert summary.kept > 5_000
    assert summary.edited + summary.added <= 3
    assert time.process_time() - began < 60


async def test_a_table_of_ten_megabytes_becomes_versions() -> None:
    """One cell of 40,000 rows changes: nearly every chunk is kept, in bounded time."""
    world = await sql_world(settings=ChangeDetectorSettings())
    rows = [f"row {number} | " + f"cell {number * 7919 % 9973} " * 25 for number in range(40_000)]
    assert sum(map(len, rows)) > 10_000_000
    began = time.process_time()
    await world.see("one", "\n".join(rows), 0)
    rows[20_000] = rows[20_000].replace("row 20000", "row 20001")
    changed = await world.see("two", "\n".join(rows), 10)
    spent = time.process_time() - began
    assert world.database is not None
    await world.database.close()

    assert isinstance(changed, VersionAdded)
    summary = changed.verdict.summary
    assert summary is not None
    assert ("number",) == summary.reasons
    assert summary.edited + summary.added <= 3
    assert summary.kept > 8_000
    assert spent < 60


@pytest.mark.parametrize(
    ("old", "new", "deleted", "inserted"),
    [
        ("規約を変更する。", "規約を変換する。", "更", "換"),
        ("你可以复制本文。", "你不可以复制本文。", "", "不"),
        ("الرسوم خمسة دراهم شهريا", "الرسوم ستة دراهم شهريا", "خمسة", "ستة"),
        ("दाम पाँच रुपये है।", "दाम छह रुपये है।", "पाँच", "छह"),
        ("ราคาห้าบาท", "ราคาหกบาท", None, None),
    ],
)
def test_words_of_every_script_are_compared(
    old: str, new: str, deleted: str | None, inserted: str | None
) -> None:
    """By characters where no spaces are written; marks stay with their letters."""
    before, after = (Body(text=text, document=body_of(text)) for text in (old, new))
    hunks = diff(before, after)
    parts = [part for hunk in hunks for part in hunk.parts]

    assert apply(old, hunks) == new
    assert DiffKind.EQUAL in {part.kind for part in parts}
    if deleted is not None:
        assert deleted == "".join(p.text for p in parts if p.kind is DiffKind.DELETE)
        assert inserted == "".join(p.text for p in parts if p.kind is DiffKind.INSERT)
