"""Threads of a process take turns more often than Python has them do."""

import sys
from collections.abc import Iterator

import pytest

from scops.common.runtime.turns import TURN_SECONDS, shorten_turns


@pytest.fixture(autouse=True)
def as_before() -> Iterator[float]:
    before = sys.getswitchinterval()
    yield before
    sys.setswitchinterval(before)


def test_turns_are_shorter_than_pythons_own(as_before: float) -> None:
    """By so much that a search which comes back dozens of times is not held up."""
    shorten_turns()

    assert pytest.approx(TURN_SECONDS) == sys.getswitchinterval()
    assert sys.getswitchinterval() <= as_before / 5
