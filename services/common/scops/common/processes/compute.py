"""Work on texts: at once where the text is short, else in a child process that can be killed."""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from scops.common.processes.compute_task import gives_parts, result_type
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import ChildTask

Item = TypeVar("Item")
Result = TypeVar("Result")

COMPUTE = ChildTask("scops.common.processes.compute_task", "compute")
# What is made of two texts of 2,000,000 characters takes 5 s on a free core.
COMPUTE_SECONDS = 30.0
# All that is done at once is linear: no text of this length takes longer than 0.2 s, and a page
# of documentation 10 ms.
INLINE_CHARACTERS_MAX = 8_000

# Of texts that are worked on together, about; reading their words takes 0.15 s on a free core.
BATCH_CHARACTERS = 100_000


def compute_tasks(*works: Callable[..., Any]) -> tuple[ChildTask, ...]:
    """Returns what a child process imports to do some work."""
    return (COMPUTE, *(ChildTask(work.__module__, work.__qualname__) for work in works))


class Compute(Protocol):
    """Runs work that costs CPU where it does not hold up messages and questions."""

    async def __call__(
        self, work: Callable[..., Result], *arguments: Any, characters: int
    ) -> Result:
        """Returns what a function of a module makes of some values.

        Args:
            work: pure; its annotation says what it returns.
            characters: text that the work goes through; what is gone through several times, or
                slowly, counts as often.

        Raises:
            TaskFailed: the text takes more time or memory than one page may.
        """
        ...


async def compute_at_once(
    work: Callable[..., Result], *arguments: Any, characters: int = 0
) -> Result:
    """Implements the `Compute` port in the caller's own process, whatever that costs."""
    return work(*arguments)


class ChildCompute:
    """Implements the `Compute` port on the child processes of this process."""

    def __init__(
        self,
        children: ChildPool,
        *,
        seconds: float = COMPUTE_SECONDS,
        inline_characters_max: int = INLINE_CHARACTERS_MAX,
    ) -> None:
        self._children = children
        self._seconds = seconds
        self._inline_characters_max = inline_characters_max

    async def __call__(
        self, work: Callable[..., Result], *arguments: Any, characters: int
    ) -> Result:
        """Returns what the function makes of the values."""
        if characters <= self._inline_characters_max:
            return work(*arguments)
        # The way there is pickled, by us; the way back is read as data of the type that is due.
        parts = (f"{work.__module__}:{work.__qualname__}".encode(), pickle.dumps(arguments))
        answer = await self._children.run(COMPUTE, parts, seconds=self._seconds)
        result: Result = (
            answer if gives_parts(work) else result_type(work).validate_json(answer[0])  # type: ignore[assignment]
        )
        return result


async def compute_in_batches(
    compute: Compute,
    work: Callable[[list[Item]], list[Result]],
    items: Sequence[Item],
    *,
    characters: Callable[[Item], int],
) -> list[Result]:
    """Returns what a function makes of many texts, each result at the place of its text.

    Args:
        work: of a module; takes some of the items and returns a result for each.
        characters: text that the work goes through for an item.

    Raises:
        TaskFailed: a batch takes more time or memory than one page may.
    """
    made: list[Result] = []
    batch: list[Item] = []
    length = 0
    for number, item in enumerate(items, 1):
        batch.append(item)
        length += characters(item)
        if length >= BATCH_CHARACTERS or number == len(items):
            made += await compute(work, batch, characters=length)
            batch, length = [], 0
    return made
