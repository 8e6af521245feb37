"""Labels of pages and chunks by typed edits."""

from collections.abc import Sequence
from typing import TypeVar

from scops.change_detector.manifests.alignment import align
from scops.change_detector.strategies.port import ComparedChunk, ComparedVersion, Comparison
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.common.contract.messages.types import ChangeClass
from tests.fakes.worlds.change import body_of

Result = TypeVar("Result")


def version(chunks: Sequence[str]) -> ComparedVersion:
    """Returns a version whose chunks stand one under the other."""
    compared, start = [], 0
    for text in chunks:
        compared.append(
            ComparedChunk(text=text, header="H", simhash=0, start=start, end=start + len(text))
        )
        start += len(text) + 1
    text = "\n".join(chunks)
    return ComparedVersion(text=text, document=body_of(text), chunks=tuple(compared))


def comparison(old: Sequence[str], new: Sequence[str]) -> Comparison:
    """Returns two versions, aligned."""
    return Comparison(
        old=version(old),
        new=version(new),
        alignment=align(old, new),
    )


def strategy() -> SalientStrategy:
    """Returns the strategy with its default."""
    return SalientStrategy(salience_min=0.25)


async def test_each_edited_chunk_has_the_summary_of_its_own_edits() -> None:
    """A number in one chunk says nothing of another."""
    old = ["The fee is 5 euros each month.", "Bring the blue form along.", "Nothing new here."]
    new = ["The fee is 6 euros each month.", "Bring the red form along.", "Nothing new here."]
    labels = await strategy().label(comparison(old, new))

    assert [0, 1] == sorted(labels.chunks)
    assert ChangeClass.CRITICAL is labels.chunks[0].change_class
    assert (ChangeClass.LEXICAL, ("wording",)) == (
        labels.chunks[1].change_class,
        labels.chunks[1].reasons,
    )
    assert (ChangeClass.CRITICAL, True) == (labels.page.change_class, labels.page.semantic)


async def test_moved_chunks_are_no_news() -> None:
    """Class moved, weight nothing."""
    labels = await strategy().label(comparison(["One thing.", "Two."], ["Two.", "One thing."]))

    assert {ChangeClass.MOVED} == {summary.change_class for summary in labels.chunks.values()}
    assert (ChangeClass.MOVED, False, 0.0) == (
        labels.page.change_class,
        labels.page.semantic,
        labels.page.salience,
    )
