"""The retriever and the explainer of a world, on what its services wrote."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scops.change_detector import router as change_router
from scops.change_detector.ports import ChangeDetectorPorts
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    ResolvedCitation,
    ResolveRequest,
)
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.messages.types import ScopeRef
from scops.common.db.database import Database
from scops.common.query.ports import QueryClient
from scops.common.runtime.service import QueryBinding, query_bindings
from scops.common.scope.book import ScopeBook
from scops.explainer import router as explainer_router
from scops.explainer.adapters.archive_texts import ArchiveTexts
from scops.explainer.handlers.answer import answer
from scops.explainer.handlers.resolve import resolve
from scops.explainer.ports import ExplainerPorts
from scops.explainer.settings import ExplainerSettings
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.rows.head_reader import SqlHeadReader
from scops.libraries.index.rows.mirror_reader import SqlMirrorReader
from scops.libraries.index.rows.object_reader import SqlObjectReader
from scops.retriever import router as retriever_router
from scops.retriever.adapters.archive_version_texts import ArchiveVersionTexts
from scops.retriever.handlers import retrieve
from scops.retriever.ports import RetrieverPorts
from scops.retriever.settings import RetrieverSettings
from tests.fakes.clock import ManualClock
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.query_client import LocalQueryClient
from tests.simulation.ports import EffectArchive, EffectStore
from tests.simulation.times import endless


class Readers:
    """Answers questions as both services do."""

    def __init__(
        self,
        *,
        store: EffectStore,
        index_db: Database,
        archive: EffectArchive,
        embedder: HashingEmbedder,
        book: ScopeBook,
        clock: ManualClock,
        rng: random.Random,
    ) -> None:
        async def loaded() -> HashingEmbedder:
            return embedder

        self._retriever = RetrieverPorts(
            store=store,
            heads=SqlHeadReader(index_db),
            mirrors=SqlMirrorReader(index_db),
            objects=SqlObjectReader(index_db),
            manifests=ManifestReader(archive),
            texts=ArchiveVersionTexts(archive),
            embedder=loaded,
            scope_book=book,
            clock=clock,
            settings=RetrieverSettings.load().model_copy(update={"page_passages_max": 0}),
            time_limit=endless,
        )
        bindings = query_bindings(retriever_router.ANSWERS, self._retriever)
        self._client = LocalQueryClient(bindings, clock=clock, limit=endless)
        self._explainer = ExplainerPorts(
            query_client=self._client,
            texts=ArchiveTexts(archive),
            embedder=loaded,
            clock=clock,
            settings=ExplainerSettings.load(),
            bundle_key=b"k" * 32,
            random=rng,
        )

    async def search(
        self, query: str, ref: ScopeRef, *, limit: int, **options: Any
    ) -> RetrieveResponse:
        """Ranks chunks of a scope."""
        request = RetrieveRequest(
            query=query, scopes=(ref,), limit=limit, as_chunks=True, **options
        )
        return await retrieve(request, self._retriever)

    async def answer(
        self, query: str, ref: ScopeRef, histories: ChangeDetectorPorts
    ) -> AnswerResponse:
        """Answers inside a scope.

        Args:
            histories: of the change-detector's process as it runs now.
        """
        self._find(histories)
        return await answer(AnswerRequest(query=query, scopes=(ref,)), self._explainer)

    async def resolve(
        self, citations: Sequence[Citation], histories: ChangeDetectorPorts
    ) -> Sequence[ResolvedCitation]:
        """Says where the spans of citations stand by now; `histories` as for `answer`."""
        self._find(histories)
        request = ResolveRequest(citations=tuple(citations))
        return (await resolve(request, self._explainer)).citations

    def served(self, asked_by: Callable[[QueryClient], QueryClient]) -> QueryClient:
        """Returns a client of both services.

        Args:
            asked_by: wraps the client that each service and its callers ask others by.
        """
        explainer = replace(self._explainer, query_client=asked_by(self._client))
        self._client.add(query_bindings(explainer_router.ANSWERS, explainer))
        return asked_by(self._client)

    def add(self, bindings: Sequence[QueryBinding]) -> None:
        """Has a service's questions answered by its process as it runs now."""
        self._client.add(bindings)

    def find(self, histories: ChangeDetectorPorts) -> None:
        """Has questions about histories answered by the change-detector as it runs now."""
        self._find(histories)

    def _find(self, histories: ChangeDetectorPorts) -> None:
        self._client.add(query_bindings(change_router.ANSWERS, histories))
