"""The retriever on an index in memory, with a scope to ask and the pages to put in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scops.common.contract.ids import PageId, ScopeId, VersionId
from scops.common.contract.messages.change import Manifest, ManifestChunk
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.messages.types import (
    BodyRef,
    ChangeSummary,
    OrderKey,
    RuleKind,
    Scope,
    ScopeRef,
    ScopeRule,
)
from scops.common.scope.book import ScopeBook
from scops.common.scope.contexts import PUBLIC
from scops.libraries.index.manifest_reader import ManifestReader
from scops.retriever.adapters.archive_version_texts import ArchiveVersionTexts
from scops.retriever.candidates.candidate import ListedPage, StandingVersion
from scops.retriever.handlers import retrieve
from scops.retriever.ports import RetrieverPorts
from scops.retriever.settings import RetrieverSettings
from tests.fakes.clock import START, ManualClock
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.indexed_pages import IndexedPages, PageText, page_of

HOST = "docs.example.org"


def url_of(path: str) -> str:
    """Returns the URL of a page on the host that the default scope holds."""
    return f"https://{HOST}/{path}"


def scope_of(
    *patterns: str,
    scope_id: str = "docs",
    kind: RuleKind = RuleKind.PREFIX,
    exclude: Sequence[str] = (),
    revision: int = 1,
    deleted: bool = False,
    access_contexts: Sequence[str] = (),
) -> Scope:
    """Builds a scope of rules of one kind; excluding rules are prefixes."""
    rules = [ScopeRule(kind=kind, pattern=pattern) for pattern in patterns]
    rules += [ScopeRule(kind=RuleKind.PREFIX, pattern=entry, exclude=True) for entry in exclude]
    return Scope(
        scope_id=ScopeId(scope_id),
        name=f"The {scope_id}",
        revision=revision,
        rules=tuple(rules),
        deleted=deleted,
        access_contexts=tuple(access_contexts),
    )


def listed_page(*chunks: ManifestChunk, page: str = "page", version: str = "version") -> ListedPage:
    """Builds a page that lists some chunks, of which no store knows."""
    body, key = BodyRef(digest=version), OrderKey(observed_from=START)
    return ListedPage(
        StandingVersion(
            page_id=PageId(page),
            version_id=VersionId(version),
            order_key=key,
            manifest=body,
            canonical_url=url_of(page),
            access_context=PUBLIC,
        ),
        Manifest(order_key=key, text=body, document=body, summary=ChangeSummary(), chunks=chunks),
        {chunk.chunk_id: position for position, chunk in enumerate(chunks)},
    )


def ref_to(scope: Scope) -> ScopeRef:
    """Returns a reference to a scope as it is."""
    return ScopeRef(scope_id=scope.scope_id, revision=scope.revision)


@dataclass
class Retrieving:
    """Everything the retriever reaches, real but for the embedder."""

    pages: IndexedPages
    ports: RetrieverPorts
    clock: ManualClock
    embedder: HashingEmbedder
    book: ScopeBook

    @classmethod
    async def create(cls, **settings: Any) -> "Retrieving":
        """Builds an empty index and a scope `docs` over the host."""
        embedder, clock = HashingEmbedder(), ManualClock()
        pages = await IndexedPages.create(embedder)
        book = ScopeBook([scope_of(HOST)])

        async def loaded() -> HashingEmbedder:
            return embedder

        ports = RetrieverPorts(
            store=pages.store,
            heads=pages.heads,
            mirrors=pages.mirrors,
            objects=pages.objects,
            manifests=ManifestReader(pages.archive),
            texts=ArchiveVersionTexts(pages.archive),
            embedder=loaded,
            scope_book=book,
            clock=clock,
            settings=RetrieverSettings.model_validate(settings),
        )
        return cls(pages, ports, clock, embedder, book)

    def with_ports(self, **changed: Any) -> "Retrieving":
        """Returns the same with some ports replaced."""
        ports = replace(self.ports, **changed)
        return Retrieving(self.pages, ports, self.clock, self.embedder, self.book)

    async def show(
        self,
        path: str,
        *paragraphs: str,
        at: datetime | None = None,
        access_context: str = PUBLIC,
    ) -> PageText:
        """Indexes a page of which each paragraph is a chunk."""
        page = page_of(url_of(path), *paragraphs, title=path)
        await self.pages.show(page, at=at or self.clock.now(), access_context=access_context)
        return page

    async def ask(self, query: str, *scopes: Scope, **options: Any) -> RetrieveResponse:
        """Asks about scopes, by default about `docs`, and for chunks as they are indexed."""
        options.setdefault("as_chunks", True)
        asked = scopes or (scope_of(HOST),)
        request = RetrieveRequest(
            query=query, scopes=tuple(ref_to(scope) for scope in asked), **options
        )
        return await retrieve(request, self.ports)

    async def texts(self, query: str, *scopes: Scope, **options: Any) -> list[str]:
        """Returns the texts of the passages found, best first."""
        response = await self.ask(query, *scopes, **options)
        return [passage.text for passage in response.evidence]
