"""The embedder port: what every backend promises."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Precision = Literal["int8", "fp32", "bf16"]

MODEL = "minilm-l6-v2"
"""Names the model; part of every `embedder_id`."""

HEADER_FORM = "title-section"
"""Names the header that callers put before a chunk; part of every `embedder_id`."""

DIMENSIONS = 384
"""The length of the model's vectors."""


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What an index knows an embedder by."""

    embedder_id: str
    dimensions: int


def identity(*, precision: Precision) -> EmbedderIdentity:
    """Returns the identity of the embedder in a precision, without loading it."""
    return EmbedderIdentity(f"{MODEL}/{precision}/{HEADER_FORM}", DIMENSIONS)


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity.

    Order is kept and duplicates are embedded like any other text. A vector depends on its text and
    the `embedder_id` alone, never on the texts beside it, so it may be cached by both.

    A text longer than `max_tokens` is cut into windows of almost equal length at token boundaries;
    its vector is the normalised mean of the windows' vectors: no token is left unembedded.
    The empty text is embedded as it is.
    """

    @property
    def embedder_id(self) -> str:
        """Names model, precision and header form, as in `minilm-l6-v2/int8/title-section`."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    @property
    def max_tokens(self) -> int:
        """The longest window in tokens, special tokens included."""

    def count_tokens(self, text: str) -> int:
        """Returns the number of tokens of `text`, special tokens excluded."""

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Returns shape (len(texts), dimensions): rows of unit length in the order of `texts`.

        May be called by many tasks at once. Does not block the event loop. Keeps no text.
        """

    def close(self) -> None:
        """Stops the worker threads; the embedder must not be used afterwards."""
