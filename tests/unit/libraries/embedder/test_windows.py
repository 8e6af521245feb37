"""Windows of long texts: nothing is lost, nothing is cut, order is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.libraries.embedder.windows import Window, pool_windows, split_tokens

BEFORE, LAST = (101, 103), 102


@given(tokens=st.lists(st.integers(0, 30_000), max_size=400), max_tokens=st.integers(4, 64))
def test_windows_without_special_tokens_concatenate_to_the_text(
    tokens: list[int], max_tokens: int
) -> None:
    """Every token of a text stands in exactly one window, in its place."""
    windows = split_tokens(7, tokens, max_tokens=max_tokens, before=BEFORE, last=LAST)

    joined = [int(token) for window in windows for token in window.tokens[2:-1]]
    assert tokens == joined
    assert all(len(window) <= max_tokens for window in windows)
    assert all((*window.tokens[:2], window.tokens[-1]) == (*BEFORE, LAST) for window in windows)
    assert {7} == {window.text_index for window in windows}


@given(count=st.integers(1, 5_000))
def test_windows_of_a_text_differ_by_one_token_at_most(count: int) -> None:
    """Windows are weighted equally, so they must be about equally long."""
    windows = split_tokens(0, [1] * count, max_tokens=512, before=BEFORE, last=LAST)

    lengths = [len(window) for window in windows]
    assert max(lengths) - min(lengths) <= 1
    assert -(-count // 509) == len(windows)


def test_empty_text_has_one_window_of_special_tokens() -> None:
    """The empty text is embedded as it is."""
    (window,) = split_tokens(0, [], max_tokens=512, before=BEFORE, last=LAST)

    assert window.tokens.tolist() == [*BEFORE, LAST]


def test_text_of_several_windows_gets_their_normalised_mean() -> None:
    """The windows of a text are weighted equally; a text of one window keeps its vector."""
    token = np.array([1], dtype=np.int32)
    windows = [Window(1, token), Window(0, token), Window(0, token)]
    vectors = np.array([[0.6, 0.8], [1, 0], [0, 1]], dtype=np.float32)

    pooled = pool_windows(windows, vectors, texts=2)

    half = np.sqrt(np.float32(0.5))
    assert pooled[0] == pytest.approx([half, half])
    assert vectors[0].tolist() == pooled[1].tolist()


def test_opposite_windows_give_a_finite_vector() -> None:
    """Windows that cancel each other must not divide by zero."""
    token = np.array([1], dtype=np.int32)
    vectors = np.array([[1, 0], [-1, 0]], dtype=np.float32)

    pooled = pool_windows([Window(0, token), Window(0, token)], vectors, texts=1)

    assert pooled.tolist() == [[0.0, 0.0]]
