"""Labels of pages and chunks by typed edits, and what a judge may decide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scops.change_detector.manifests.alignment import align
from scops.change_detector.strategies.port import ComparedChunk, ComparedVersion, Comparison
from scops.change_detector.strategies.salient.alignment import SegmentBounds
from scops.change_detector.strategies.salient.judge import Judgement
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.common.contract.messages.types import ChangeClass
from tests.fakes.worlds.change import body_of

Result = TypeVar("Result")
BOUNDS = SegmentBounds(jaccard_min=0.4, comparisons_max=10_000, cells_max=250_000)
SAME = Judgement(entailed=0.9, entailed_backwards=0.9, contradiction=0.0)
OTHER = Judgement(entailed=0.9, entailed_backwards=0.2, contradiction=0.0)


async def at_once(work: Callable[[], Result], *, characters: int) -> Result:
    """Computes without a thread."""
    return work()


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
        alignment=align(old, new, jaccard_min=0.4, cells_max=1000),
    )


@dataclass
class FixedJudge:
    """Says the same of every pair, and remembers what it was asked."""

    says: Judgement
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Judgement]:
        self.asked += pairs
        return [self.says for _ in pairs]


def strategy(judge: FixedJudge | None = None) -> SalientStrategy:
    """Returns the strategy, with a judge or without."""
    return SalientStrategy(salience_min=0.25, bounds=BOUNDS, compute=at_once, judge=judge)


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


async def test_a_judge_may_call_a_rewording_the_same() -> None:
    """Then it is no change of meaning, and says that it was judged."""
    judge = FixedJudge(SAME)
    labels = await strategy(judge).label(
        comparison(["Start the big machine."], ["Start the large machine."])
    )

    assert [("Start the big machine.", "Start the large machine.")] == judge.asked
    assert not labels.page.semantic
    assert "judged" in labels.page.reasons


async def test_a_judge_may_call_a_rewording_another_meaning() -> None:
    """Also one whose words weigh little."""
    words = comparison(["He stays at this house."], ["He stays in that house."])
    without = await strategy().label(words)
    judged = await strategy(FixedJudge(OTHER)).label(words)

    assert (False, True) == (without.page.semantic, judged.page.semantic)


async def test_a_judge_is_not_asked_about_facts() -> None:
    """A number that differs needs no model, and no model may wave it through."""
    judge = FixedJudge(SAME)
    labels = await strategy(judge).label(comparison(["Pay 5 euros."], ["Pay 6 euros."]))

    assert [] == judge.asked
    assert labels.page.semantic
