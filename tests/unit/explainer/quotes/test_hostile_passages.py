"""What the explainer does at once with a page's text takes milliseconds, whatever the text."""

from dataclasses import replace

import pytest

from scops.common.contract.messages.content import Block, BlockKind
from scops.explainer.answer.extraction import QUOTING_PASSES
from scops.explainer.citations.anchors import find_again
from scops.explainer.ports import VersionText
from scops.explainer.quotes.alignment import align_quote
from scops.explainer.quotes.selection import preselected
from scops.explainer.quotes.spans import Quote, excerpt_of, quotes_in
from scops.explainer.service import INLINE_CHARACTERS_MAX
from tests.fakes.stalls import cpu_seconds, hostile_texts
from tests.fakes.worlds.explainer import passage_of
from tests.fakes.worlds.indexed_pages import in_one_chunk, page_of

# A free core takes less than 50 ms; one that seven others share is slower.
SECONDS_MAX = 0.2
QUESTION = "Which fee may it be in 1999 since a"
PASSAGE = passage_of(in_one_chunk(page_of("https://docs.example.org/a", "text")))


def _lines(text: str, kind: BlockKind) -> tuple[Block, ...]:
    """Returns a block a line."""
    blocks, start = [], 0
    for line in text.split("\n"):
        blocks.append(Block(kind=kind, start=start, end=start + len(line)))
        start += len(line) + 1
    return tuple(blocks)


@pytest.mark.parametrize("kind", [BlockKind.PARAGRAPH, BlockKind.LIST_ITEM])
def test_quotes_of_a_passage_are_cut_at_once(kind: BlockKind) -> None:
    """A quote that leans on the one before it does not lean on all before that."""
    for text in hostile_texts(INLINE_CHARACTERS_MAX // QUOTING_PASSES, seed=1, count=10):
        evidence = replace(PASSAGE, start=0, end=len(text), text=text)
        excerpt = excerpt_of(evidence, VersionText(text, _lines(text, kind)))

        def quote() -> None:
            quotes_in(0, evidence, excerpt)  # noqa: B023 (run before the next one)

        assert cpu_seconds(quote, enough=SECONDS_MAX) < SECONDS_MAX, repr(text[:20])


def test_quotes_are_compared_with_the_question_at_once() -> None:
    """Whatever stands around them, which many quotes share."""
    for text in hostile_texts(INLINE_CHARACTERS_MAX, seed=2, count=5):
        quotes = [
            Quote(
                passage=0,
                version_id=PASSAGE.version_id,
                start=start,
                end=start + 60,
                text=text[start : start + 60],
                title="Owls",
                section_path=("a",),
                context=(text[:300], text[:200], text[start - 600 : start]),
            )
            for start in range(0, len(text), 60)
        ]

        def choose() -> None:
            preselected(QUESTION, quotes, [PASSAGE])  # noqa: B023 (run before the next one)

        assert cpu_seconds(choose, enough=SECONDS_MAX) < SECONDS_MAX, repr(text[:20])


def test_citation_is_found_again_at_once() -> None:
    """In two texts that have as many characters together as are read at once."""
    for text in hostile_texts(INLINE_CHARACTERS_MAX // 2, seed=3, count=5):
        other = text[7:] + "7"

        def find() -> None:
            find_again(text, (100, 400), other)  # noqa: B023 (run before the next one)
            find_again("Owls 7" + text, (0, 40), other)  # noqa: B023

        assert cpu_seconds(find, enough=SECONDS_MAX) < SECONDS_MAX, repr(text[:20])


def test_claimed_quote_is_aligned_at_once() -> None:
    """Each token of the claim meets each token of the passage."""
    for claim in hostile_texts(200, seed=4, count=5):
        text = claim[1:] * (INLINE_CHARACTERS_MAX // 200 // 199)

        def align() -> None:
            align_quote(claim[:-1] + "q", text)  # noqa: B023 (run before the next one)

        assert cpu_seconds(align, enough=SECONDS_MAX) < SECONDS_MAX, repr(claim[:20])
