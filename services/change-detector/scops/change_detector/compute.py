"""The port of work that costs CPU."""

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Compute(Protocol):
    """Runs work that costs CPU where it does not hold up messages."""

    async def __call__(self, work: Callable[[], Result], *, characters: int) -> Result:
        """Returns the work's result.

        Args:
            characters: text that the work goes through.
        """
        ...
