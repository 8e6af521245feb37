"""Sentences of passages held against a time."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.libraries.index.ports import StoreHit
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.scoring.ranking import Matched
from scops.retriever.scoring.relevance import StoreEvidence
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.time.constraint import TimeConstraint, asked_time
from scops.retriever.time.event_times import CARRIED
from scops.retriever.time.evidence import time_signals
from scops.retriever.time.kernel import KernelShape
from scops.retriever.time.passage_windows import PassageWindows
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.retriever import listed_page

SHAPE = KernelShape(
    past_years=10, future_years=4, undated=0.05, begins_share=0.3, begins_share_range=0.3
)


def _passage(name: str, text: str, *, page: str = "page", position: int | None = None) -> Matched:
    hit = StoreHit(
        object_id=ObjectId(name),
        chunk_id=ChunkId(name),
        page_id=PageId(page),
        text=text,
        header="Club",
        similarity=0.4,
        bm25=None,
    )
    listed = replace(listed_page(), positions={} if position is None else {hit.chunk_id: position})
    return Candidate(hit, listed.version, listed), StoreEvidence(0.0, 0.0)


def _constraint() -> TimeConstraint:
    constraint = asked_time("Who led it in 1990?", date(2026, 1, 1)).constraint
    assert constraint is not None
    return constraint


PASSAGES = (
    _passage("then", "In 1990 Ann led it. She was tall."),
    _passage("later", "In 2005 Bea led it."),
    _passage("never", "Cleo led it for a long time and nobody knows when."),
    _passage("heading", "Leaders ."),
)


async def _signals(
    embedder: HashingEmbedder,
    vectors: WindowVectors,
    *,
    passages: Sequence[Matched] = PASSAGES,
    windows_max: int = 100,
) -> dict[str, tuple[float, float]]:
    asked = (await HashingEmbedder().embed(["who led it"]))[0]
    found = await time_signals(
        passages,
        _constraint(),
        asked,
        shape=SHAPE,
        windows_max=windows_max,
        vectors=vectors,
        passages=PassageWindows(),
        embedder=embedder,
    )
    return {str(key): (value.fit, value.sentence) for key, value in found.items()}


async def test_each_passage_counts_as_its_best_window() -> None:
    """The sentence of the year asked for, not the one beside it."""
    signals = await _signals(HashingEmbedder(), WindowVectors())
    fits = {key: fit for key, (fit, _) in signals.items()}

    assert 1.0 == fits["then"]
    assert fits["then"] > fits["later"] >= 0.0
    assert SHAPE.undated == fits["never"]
    assert 0.0 == fits["heading"]


@pytest.mark.parametrize(
    ("text", "position", "page", "expected"),
    [
        ("In 1990 Ann led it.", 1, "page", CARRIED),
        ("In 1990 Ann led it.", 2, "page", 0.0),
        ("In 1990 Ann led it.", 1, "other", 0.0),
        ("In 1990 Ann led it.", None, "page", 0.0),
        ("Ann led it for a very long time.", 1, "page", 0.0),
    ],
)
async def test_heading_is_as_old_as_the_passage_under_it(
    text: str, position: int | None, page: str, expected: float
) -> None:
    """Only of the very next one on its page; a heading over what has no time has none."""
    passages = (
        _passage("heading", "Leaders .", position=0),
        _passage("below", text, page=page, position=position),
    )
    signals = await _signals(HashingEmbedder(), WindowVectors(), passages=passages)

    assert expected == pytest.approx(signals["heading"][0])


async def test_time_of_its_own_is_kept() -> None:
    """Neither a dated heading nor a sentence takes the time of what follows."""
    passages = (
        _passage("dated", "Since 2001 .", position=0),
        _passage("sentence", "Cleo led it for a long time and nobody knows when.", position=1),
        _passage("below", "In 1990 Ann led it.", position=2),
    )
    signals = await _signals(HashingEmbedder(), WindowVectors(), passages=passages)

    assert SHAPE.undated == signals["sentence"][0]
    assert signals["dated"][0] < CARRIED


async def test_windows_are_embedded_once() -> None:
    """A second question on the same passages costs nothing more."""
    embedder, vectors = HashingEmbedder(), WindowVectors()
    first = await _signals(embedder, vectors)
    embedded = len(embedder.texts)

    assert first == await _signals(embedder, vectors)
    assert embedded == len(embedder.texts) == len(set(embedder.texts))


async def test_windows_embedded_for_one_question_are_bounded() -> None:
    """Those that promise most come first; the rest count as their passage does."""
    embedder = HashingEmbedder()
    signals = await _signals(embedder, WindowVectors(), windows_max=1)

    assert 1 == len(embedder.texts)
    assert "1990" in embedder.texts[0]
    assert 0.4 == signals["later"][1]
    assert len(PASSAGES) == len(signals)


async def test_kept_vectors_are_bounded() -> None:
    """What was used longest ago is forgotten and embedded again."""
    embedder, vectors = HashingEmbedder(), WindowVectors(kept_max=2)
    for text in ("a", "b", "c", "a"):
        await vectors.get([text], embedder)

    assert ["a", "b", "c", "a"] == embedder.texts


async def test_rows_keep_the_order_of_the_texts() -> None:
    """Known and new ones mixed, repeated ones too."""
    embedder, vectors = HashingEmbedder(), WindowVectors()
    await vectors.get(["b"], embedder)
    rows = await vectors.get(["a", "b", "a"], embedder)

    np.testing.assert_array_equal(rows, await embedder.embed(["a", "b", "a"]))
