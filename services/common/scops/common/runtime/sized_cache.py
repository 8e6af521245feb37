"""Keeps the latest used values in memory, up to a total size."""

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class SizedCache(Generic[Key, Value]):
    """Values by key; those used longest ago go first, the newest stays however large it is.

    Args:
        size_max: of all values together, in the unit of the sizes that they are kept with.
    """

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._size = 0
        self._values: OrderedDict[Key, tuple[int, Value]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Returns the value of a key, which counts as used; None where there is none."""
        entry = self._values.get(key)
        if entry is None:
            return None
        self._values.move_to_end(key)
        return entry[1]

    def keep(self, key: Key, value: Value, *, size: int = 1) -> None:
        """Keeps a value; a key that is known keeps the value it has."""
        if key in self._values:
            return
        self._values[key] = (size, value)
        self._size += size
        while self._size > self._size_max and len(self._values) > 1:
            _, (dropped, _) = self._values.popitem(last=False)
            self._size -= dropped
