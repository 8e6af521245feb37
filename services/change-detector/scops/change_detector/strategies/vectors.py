"""Strategies apart from their model: what a child process needs of it is known beforehand.

Work in a child asks no model. It says which texts it wants the vectors of, and is done again with
them; most strategies want none.
"""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from scops.common.processes.tasks import Parts
from scops.libraries.embedder.port import FloatArray

Result = TypeVar("Result")
# How the answer of work apart begins: with what it gives, or with the texts that it wants.
MADE, WANTED = b"made", b"wanted"
# Of each text that a strategy asks for, its vector.
Vectors = Mapping[str, FloatArray]


class Embeds(Protocol):
    """What strategies use of an embedder."""

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Returns vectors of unit length, shape (texts, dimensions)."""
        ...


class VectorsWanted(Exception):
    """Some texts have no vector yet.

    Attributes:
        texts: all that are needed, each once.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(f"{len(texts)} texts have no vector")
        self.texts = tuple(dict.fromkeys(texts))


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """Stands in for the embedder where all vectors are there, and says which are not."""

    vectors: Vectors

    async def __call__(self) -> Self:
        """Returns itself, as a loader returns what it has loaded."""
        return self

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Returns the vectors of texts.

        Raises:
            VectorsWanted: some are missing.
        """
        if any(text not in self.vectors for text in texts):
            raise VectorsWanted(texts)
        return np.stack([self.vectors[text] for text in texts])


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Returns what a coroutine gives that waits for nothing, without an event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    work.close()
    raise AssertionError("a strategy apart from its model waits for nothing")


def wanted_parts(wanted: VectorsWanted) -> Parts:
    """Returns the answer of work that lacks vectors."""
    return (WANTED, *(text.encode() for text in wanted.texts))
