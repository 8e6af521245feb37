"""How well the tokens of sentences match those of a question."""

import numpy as np
import pytest

from scops.explainer.quotes.token_matches import token_matches
from scops.libraries.embedder.port import TokenVectors
from tests.fakes.embedder import HashingEmbedder


async def _matches(question: str, *texts: str, own_starts: list[int] | None = None) -> list[float]:
    """Returns how well each text matches, first all tokens, then rare ones, text by text."""
    embedder = HashingEmbedder()
    (asked,) = await embedder.embed_tokens([question], as_queries=True)
    read = await embedder.embed_tokens(texts)
    return [*token_matches(asked, read, own_starts or [0] * len(texts)).ravel()]


async def test_text_with_the_words_of_the_question_matches_best() -> None:
    """By all its tokens and by the rare ones."""
    near, near_rare, far, far_rare = await _matches(
        "owls hunt mice", "Owls hunt mice at night.", "Trains leave at noon."
    )

    assert near > far
    assert near_rare > far_rare


async def test_token_that_every_text_holds_says_little() -> None:
    """What one text alone holds decides."""
    _, common, _, rare, *_ = await _matches(
        "owls ring", "Owls hunt by night.", "Owls bear a ring.", "Owls sleep by day."
    )

    assert rare > common


async def test_what_stands_before_the_quote_counts_as_its_context() -> None:
    """It is no part of the quote itself."""
    text = "Owls > Trains leave at noon."
    whole, whole_rare, own, own_rare = await _matches(
        "owls", text, text, own_starts=[0, text.index("Trains")]
    )

    assert whole > own
    assert whole_rare == pytest.approx(own_rare)


async def test_texts_and_questions_without_tokens_match_nothing() -> None:
    """There is nothing to compare."""
    assert [0.0, 0.0] == await _matches("?", "Owls hunt mice.")
    assert [0.0, 0.0] == await _matches("owls", "...")


def test_shift_that_all_tokens_share_does_not_count() -> None:
    """Models put their tokens into a corner of the space, each into its own."""
    tokens = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)

    def matches(shift: float) -> list[float]:
        asked, *texts = (
            TokenVectors(
                rows[0],
                np.arange(2, dtype=np.int32),
                rows + np.float32(shift),
                np.array([(0, 1), (1, 2)], dtype=np.int32),
            )
            for rows in np.split(tokens, 3)
        )
        return [*token_matches(asked, texts, [0, 0]).ravel()]

    assert matches(0.0) == pytest.approx(matches(10.0), abs=1e-4)
