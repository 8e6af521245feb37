"""Spans of tokens, packed: the same as the pairs that they stand for."""

from hypothesis import given
from hypothesis import strategies as st

from scops.change_detector.strategies.salient.tokens import Spans, tokens_of

TEXT = "The fee isn't 30 euros: 1,000 cents, e\u0301t\u00e9, \u4e2d\u6587 and https://a.org/x."


@given(st.integers(0, 30), st.integers(0, 30))
def test_a_slice_has_the_spans_of_its_tokens(first: int, last: int) -> None:
    """Of any part, an empty one too."""
    tokens = tokens_of(TEXT)
    part = tokens.slice(first, last)

    assert list(tokens.spans)[first:last] == list(part.spans)
    assert len(part.keys) == len(part.spans)
    assert [TEXT[a:b] for a, b in part.spans] == [part.written(n) for n in range(len(part.keys))]


def test_joined_spans_follow_each_other() -> None:
    """Of several sentences of one text."""
    one, other = tokens_of(TEXT, 0, 24), tokens_of(TEXT, 24)
    joined = Spans.joined((one.spans, other.spans))

    assert [*one.spans, *other.spans] == list(joined)
    assert list(tokens_of(TEXT).spans) == list(joined)
    assert not list(Spans.joined(()))
