"""What the retriever needs: the index to read, an embedder for the question, scopes, time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scops.common.contract.ids import ObjectId
from scops.common.contract.messages.types import BodyRef
from scops.common.query.deadline import TimeLimit, wall_limit
from scops.common.runtime.clock import Clock
from scops.common.scope.book import ScopeBook
from scops.libraries.embedder.port import Embedder
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.ports import (
    ChunkObject,
    HeadReader,
    MirrorReader,
    ObjectReader,
    StoreHit,
    StoreQuery,
)
from scops.retriever.candidates.canary import Canary
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.settings import RetrieverSettings
from scops.retriever.time.passage_windows import PassageWindows


class PassageSearch(Protocol):
    """The side of the chunk store that answers questions; see `index.ports.ChunkStore`."""

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        """Returns the union of the best vector and BM25 hits, each chunk at most once.

        Raises:
            StoreUnavailable: the store does not answer, or is not provisioned yet.
            PermanentError: the store belongs to another embedder.
        """
        ...

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        """Returns the live objects with these ids, in any order; absent ones are left out."""
        ...


class TextReader(Protocol):
    """Clean texts of versions, of which joined passages are cut."""

    async def get(self, ref: BodyRef) -> str:
        """Returns a version's clean text.

        Raises:
            BlobMissing: the archive has no such blob.
            StoreUnavailable: the archive does not answer.
        """
        ...


class Reranker(Protocol):
    """A model that reads a question and a passage together."""

    async def log_odds(self, question: str, passages: Sequence[str]) -> list[float]:
        """Returns how relevant each passage is, in log-odds on the model's own scale.

        A passage's number depends on itself and the question alone. What is too long is cut.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverPorts:
    """Everything the handlers reach.

    Attributes:
        reranker: None where none is configured.
    """

    store: PassageSearch
    heads: HeadReader
    mirrors: MirrorReader
    objects: ObjectReader
    manifests: ManifestReader
    texts: TextReader
    embedder: Callable[[], Awaitable[Embedder]]
    scope_book: ScopeBook
    clock: Clock
    settings: RetrieverSettings
    canary: Canary | None = None
    windows: WindowVectors = field(default_factory=WindowVectors)
    passages: PassageWindows = field(default_factory=PassageWindows)
    time_limit: TimeLimit = wall_limit
    reranker: Reranker | None = None
