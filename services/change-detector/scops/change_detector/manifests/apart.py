"""Has work on versions done apart from the strategy's model, long work in a child process."""

from collections.abc import Callable

from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.strategies.vectors import MADE, Vectors
from scops.common.processes.tasks import Parts

# A strategy knows all texts whose vectors it wants as soon as it has seen both versions.
ROUNDS_MAX = 2


async def worked_apart(
    work: Callable[..., Parts], *arguments: object, characters: int, ports: ChangeDetectorPorts
) -> Parts:
    """Returns what work gives whose last argument is the strategy, apart from its model.

    Args:
        work: gives `MADE` and its answer, or `wanted_parts`.
        characters: see the `Compute` port.

    Raises:
        TaskFailed: the texts take more than a page may.
        TransientError: a model that the strategy asks does not answer.
    """
    vectors: Vectors = {}
    for _ in range(ROUNDS_MAX):
        apart = ports.strategy.apart(vectors)
        outcome, *answer = await ports.compute(work, *arguments, apart, characters=characters)
        if outcome == MADE:
            return tuple(answer)
        vectors = await ports.strategy.vectors([text.decode() for text in answer])
    raise AssertionError("a strategy wants other vectors each time")
