"""What the retriever needs: the index to read, an embedder for the question, scopes, time."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from scops.common.clock import Clock
from scops.common.embedder.port import Embedder
from scops.common.index.ports import ChunkStore, HeadReader
from scops.common.messages.change import Manifest
from scops.common.messages.types import BodyRef
from scops.common.scope.book import ScopeBook
from scops.retriever.settings import RetrieverSettings


class ManifestReader(Protocol):
    """Manifests by reference, kept in memory."""

    async def get(self, ref: BodyRef) -> Manifest:
        """Returns a manifest.

        Raises:
            BlobMissing: the archive lacks it.
            StoreUnavailable: the archive does not answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything the handlers reach."""

    store: ChunkStore
    heads: HeadReader
    manifests: ManifestReader
    embedder: Callable[[], Awaitable[Embedder]]
    scope_book: ScopeBook
    clock: Clock
    settings: RetrieverSettings
