"""The embedder port: what every backend promises."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from scops.common.config.settings import EmbedderName
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.models import E5, MINILM, EmbeddingModel

FloatArray = NDArray[np.float32]

HEADER_FORM = "title-section"
"""Names the header that callers put before a chunk; part of every `embedder_id`."""

DIMENSIONS = 384
"""The length of the models' vectors."""

E5_PREFIX = "e5-"
"""Names of embedders that begin so are of `models.E5`, all others of `models.MINILM`."""


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What an index knows an embedder by."""

    embedder_id: str
    dimensions: int


def identity(name: EmbedderName) -> EmbedderIdentity:
    """Returns the identity of the embedder that the settings name, without loading it."""
    precision = name.partition("-")[2]
    return EmbedderIdentity(embedder_id(model_of(name), precision), DIMENSIONS)


def setting_of(embedder_id: str) -> EmbedderName | None:
    """Returns what the settings name an embedder; None for one that they do not know."""
    names: tuple[EmbedderName, ...] = get_args(EmbedderName)
    return next((name for name in names if identity(name).embedder_id == embedder_id), None)


def model_of(name: EmbedderName) -> EmbeddingModel:
    """Returns the model of the embedder that the settings name."""
    return E5 if name.startswith(E5_PREFIX) else MINILM


def embedder_id(model: EmbeddingModel, precision: str) -> str:
    """Returns what names a model in a precision, as in `minilm-l6-v2/int8/title-section`."""
    return f"{model.name}/{precision}/{HEADER_FORM}"


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text as a model reads it, special tokens and prefixes left out.

    Attributes:
        vector: shape (d,), of the text as `Embedder.embed` has it.
        ids: shape (n,), which token of the model's each is.
        tokens: shape (n, d), rows of unit length: what each token means where it stands.
        spans: shape (n, 2), where each token stands in the text, in code points.
    """

    vector: FloatArray
    ids: NDArray[np.int32]
    tokens: FloatArray
    spans: NDArray[np.int32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity.

    Order is kept and duplicates are embedded like any other text. A vector depends on its text,
    the `embedder_id` and whether it is a query alone, never on the texts beside it, so it may be
    cached by these.

    A text longer than `max_tokens` is cut into windows of almost equal length at token boundaries;
    its vector is the normalised mean of the windows' vectors: no token is left unembedded.
    The empty text is embedded as it is.
    """

    @property
    def embedder_id(self) -> str:
        """Names model, precision and header form."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    @property
    def max_tokens(self) -> int:
        """The longest window in tokens, special tokens included."""

    @property
    def calibration(self) -> Calibration:
        """What its cosines mean."""

    def count_tokens(self, text: str) -> int:
        """Returns the number of tokens of `text`, special tokens excluded."""

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        """Returns shape (len(texts), dimensions): rows of unit length in the order of `texts`.

        May be called by many tasks at once. Does not block the event loop. Keeps no text.

        Args:
            as_queries: the texts ask; otherwise they are passages, as the index has them. A
                question is compared with passages, passages are with each other.
        """

    async def embed_tokens(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> list[TokenVectors]:
        """Returns the tokens of each text with their vectors, in the order of `texts`.

        As `embed` in all else, at about its cost; an empty text has no tokens.
        """

    def close(self) -> None:
        """Stops the worker threads; the embedder must not be used afterwards."""
