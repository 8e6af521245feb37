"""Work on texts in child processes: the same results, and a bound that no text gets around."""

import random
import time
from collections.abc import AsyncIterator

import pytest

from scops.change_detector.chunking.chunker import Body, Chunker
from scops.change_detector.chunking.chunks import ChunkSizes
from scops.change_detector.chunking.packing import CHARACTERS_PER_TOKEN_MAX
from scops.change_detector.chunking.token_counts import CachedTokenCounter
from scops.change_detector.manifests.manifest import cut_version
from scops.change_detector.matching.sequences import match
from scops.change_detector.reading.diff import diff
from scops.change_detector.strategies.salient.edits import typed_edits
from scops.change_detector.templates.blocks import TemplateMask
from scops.common.contract.ids import PageId
from scops.common.contract.messages.content import Block, BlockKind, Document
from scops.common.processes.compute import (
    INLINE_CHARACTERS_MAX,
    ChildCompute,
)
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import TaskFailed
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.stalls import cpu_seconds
from tests.unit.common.processes.children import limits

PAGE = PageId("0190a0c0-0000-7000-8000-000000000001")
# Both sides together are done at once up to this length; a free core takes a tenth.
INLINE_SECONDS_MAX = 1.0
WHOLE = 1_000_000


@pytest.fixture
async def children() -> AsyncIterator[ChildPool]:
    pool = ChildPool(processes=1, limits=limits())
    yield pool
    await pool.close()


def chunker() -> Chunker:
    """Returns a chunker as the service has it, on a tokenizer of words."""
    return Chunker(
        sizes=ChunkSizes(tokens_min=200, tokens_max=400),
        embedder_id="hashing-64/test",
        embedder_tokens_max=512,
        count_tokens=CachedTokenCounter(HashingEmbedder().count_tokens),
        mask=TemplateMask(epoch=2, keepers={5: PAGE}),
    )


def body(text: str) -> Body:
    """Returns a body whose lines are its paragraphs."""
    blocks, start = [], 0
    for line in text.split("\n"):
        blocks.append(Block(kind=BlockKind.PARAGRAPH, start=start, end=start + len(line)))
        start += len(line) + 1
    return Body(text=text, document=Document(title="Owls", blocks=tuple(blocks)))


def words(seed: int, kinds: int, characters: int) -> str:
    """Returns a text of few words, in no order."""
    chance = random.Random(seed)
    names = [f"owl{kind}" for kind in range(kinds)]
    text = " ".join(chance.choice(names) for _ in range(characters // 5))
    return ". ".join(text[at : at + 90] for at in range(0, characters, 90))[:characters]


async def test_child_gives_what_the_function_gives(children: ChildPool) -> None:
    """Cuts, edits and hunks come back from the process as they are made here."""
    old, new = body(words(1, 900, 9_000)), body(words(2, 900, 9_000) + "\nThe fee is 5 euros.")
    elsewhere = ChildCompute(children, inline_characters_max=0)
    cut = await elsewhere(cut_version, PAGE, new, old, None, chunker(), characters=1)
    edits = await elsewhere(
        typed_edits, old.text, old.document.blocks, new.text, new.document.blocks, characters=1
    )
    hunks = await elsewhere(diff, old, new, characters=1)

    assert cut_version(PAGE, new, old, None, chunker()) == cut
    here = typed_edits(old.text, old.document.blocks, new.text, new.document.blocks)
    assert here == edits
    assert diff(old, new) == hunks


async def test_text_beyond_its_time_fails_alone(children: ChildPool) -> None:
    """The work is ended at its bound, for good, and the next one is done."""
    compute = ChildCompute(children, seconds=0.5)
    hostile = [body(words(seed, 3, WHOLE)) for seed in (1, 2)]
    with pytest.raises(TaskFailed) as failed:
        await compute(diff, *hostile, characters=2 * WHOLE)
    again = await ChildCompute(children)(
        diff, body("a b"), body("a c"), characters=INLINE_CHARACTERS_MAX + 1
    )

    assert "TASK_TIMEOUT" == failed.value.reason
    assert diff(body("a b"), body("a c")) == again


@pytest.mark.parametrize(
    "unit", ["a b ", ". ", "x|", "0 1\n", "\u4e2d\u6587", "- ", "a.", "A b. ", "1,2 ", "\n\n \t"]
)
def test_short_texts_are_done_at_once(unit: str) -> None:
    """What is not sent to a child never holds the loop: any two texts of that length together."""
    half = INLINE_CHARACTERS_MAX // 2
    old = (unit * half)[:half]
    new = ((unit[::-1] + unit) * half)[:half]
    started = time.thread_time()
    typed_edits(old, (), new, ())
    diff(body(old), body(new))
    cut_version(PAGE, body(new), body(old), None, chunker())

    assert time.thread_time() - started < INLINE_SECONDS_MAX


@pytest.mark.parametrize("kinds", [1, 2, 3, 20])
def test_matching_is_bounded_by_the_length_of_its_sequences(kinds: int) -> None:
    """Few elements that repeat without end are left unmatched rather than compared for ever."""
    old = [place % kinds for place in range(480)]
    new = [(place * 7 + place // 11) % (kinds + 1) for place in range(500)]
    pairs = match(old, new)

    assert cpu_seconds(lambda: match(old, new), enough=0.3) < 0.3
    assert all(old[i] == new[j] for i, j in pairs)
    assert sorted(set(pairs)) == pairs


@pytest.mark.parametrize("gap", [" " * 100_000, "\n" * 5_000, "\u3000" * 50_000])
def test_no_chunk_holds_white_space_without_end(gap: str) -> None:
    """A passage is bounded in characters, however few tokens it has."""
    text = f"may{gap}2020. The owl hunts.{gap}At night."
    found = cut_version(PAGE, Body(text=text, document=Document()), None, None, chunker())

    assert found.chunks
    assert max(len(chunk.text) for chunk in found.chunks) <= CHARACTERS_PER_TOKEN_MAX * 400


def test_header_of_a_title_without_end_is_made_at_once() -> None:
    """A title is shortened to what a header may hold before its words are counted."""
    started = time.process_time()
    text = "The owl hunts.\n" * 20
    document = Document(title="owl " * 200_000)
    found = cut_version(PAGE, Body(text=text, document=document), None, None, chunker())

    assert time.process_time() - started < INLINE_SECONDS_MAX
    assert found.chunks[0].header.startswith("owl owl")
