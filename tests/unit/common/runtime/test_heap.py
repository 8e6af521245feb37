"""What a process loaded at its start is not searched for garbage; what comes later is."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from scops.common.runtime.heap import settle_heap


class Node:
    """Refers to itself, so that only a search frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def test_what_lives_is_searched_no_more_and_garbage_still_goes() -> None:
    """Cycles that become garbage later are freed; the search looks at less."""
    before = len(gc.get_objects())
    settle_heap()
    node = Node()
    gone = weakref.ref(node)
    del node
    gc.collect()

    assert gone() is None
    assert len(gc.get_objects()) < before / 10
