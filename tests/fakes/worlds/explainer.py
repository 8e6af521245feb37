"""Passages with their texts in an archive, and the services that the explainer asks, scripted."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.contract import ids, wire
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.explanation import AnswerRequest, AnswerResponse
from scops.common.contract.messages.retrieval import (
    Evidence,
    RetrieveRequest,
    RetrieveResponse,
    ScopeMatch,
    ScorePart,
)
from scops.common.contract.messages.types import (
    BodyRef,
    ChangeSummary,
    Clocks,
    OrderKey,
    RuleKind,
    ScopeRule,
)
from scops.common.query.ports import RETRIEVE, QueryMethod, Request, Response
from scops.explainer.adapters.archive_texts import ArchiveTexts
from scops.explainer.handlers.answer import answer
from scops.explainer.ports import ExplainerPorts, VersionText
from scops.explainer.settings import ExplainerSettings
from tests.fakes.clock import START, ManualClock
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.indexed_pages import PageText

RULE = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org")
MATCH = ScopeMatch(scope_name="The docs", rule=RULE)
HASHING_SUPPORT_MIN = 0.1
ABSENT = BodyRef(digest="0" * 64)


def passage_of(
    page: PageText,
    place: int = 0,
    *,
    score: float = 0.5,
    manifest_digest: str = "",
    observed: datetime = START,
) -> Evidence:
    """Builds the evidence of a page's chunk."""
    span = page.spans[place]
    page_id = PageId(ids.derived_id("test-page", page.url))
    text = page.text[span.start : span.end]
    return Evidence(
        chunk_id=ids.chunk_id(page_id, span.header, text, 0),
        page_id=page_id,
        version_id=ids.version_id(page_id, observed, 0),
        canonical_url=page.url,
        title=page.title,
        section_path=span.section_path,
        start=span.start,
        end=span.end,
        text=text,
        score=score,
        parts=(ScorePart(name="vector", raw=score, weight=1, weighted=score, present=True),),
        scopes=(MATCH,),
        clocks=Clocks(observed_time=observed),
        text_digest=ids.sha256_hex(page.text.encode()),
        manifest_digest=manifest_digest,
        order_key=OrderKey(observed_from=observed),
    )


def version_of(page: PageText) -> VersionText:
    """Returns the text of a page."""
    return VersionText(page.text, page.blocks)


async def stored(archive: Archive, page: PageText) -> str:
    """Puts text, document and manifest of a page; returns the manifest's digest."""
    document = Document(title=page.title, blocks=page.blocks)
    manifest = Manifest(
        order_key=OrderKey(observed_from=START),
        text=await archive.put(page.text.encode(), media_type="text/plain"),
        document=await archive.put(wire.encode(document), media_type="document"),
        summary=ChangeSummary(),
    )
    return (await archive.put(wire.encode(manifest), media_type="manifest")).digest


@dataclass
class ScriptedQueries:
    """A query client whose answers a test gives; who is not scripted does not answer."""

    answers: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    deadlines: list[datetime] = field(default_factory=list)

    async def call(
        self, method: QueryMethod[Request, Response], request: Request, *, deadline: datetime
    ) -> Response:
        self.asked.append(request)
        self.deadlines.append(deadline)
        if method.name not in self.answers:
            raise TransientError(f"No {method.role} is running.", reason="NO_RESPONDERS")
        # As over the wire: what does not survive encoding must not pass here either.
        request = wire.decode(method.request, wire.encode(request))
        reply = cast(Response, self.answers[method.name](request))
        return wire.decode(method.response, wire.encode(reply))


@dataclass
class Explaining:
    """Everything the explainer reaches, real but for the embedder and who it asks."""

    ports: ExplainerPorts
    queries: ScriptedQueries
    archive: Archive
    clock: ManualClock
    embedder: HashingEmbedder
    found: list[Evidence] = field(default_factory=list)

    @classmethod
    def create(cls, **settings: Any) -> "Explaining":
        """Builds an explainer whose retriever has found nothing yet.

        Support is fitted for the real embedder; the hashing one's cosines are lower.
        """
        settings = {"support_min": HASHING_SUPPORT_MIN, **settings}
        archive, clock = open_archive("memory://", "main"), ManualClock()
        embedder, queries = HashingEmbedder(), ScriptedQueries()

        async def loaded() -> HashingEmbedder:
            return embedder

        ports = ExplainerPorts(
            query_client=queries,
            texts=ArchiveTexts(archive, bytes_max=1_000_000),
            embedder=loaded,
            clock=clock,
            settings=ExplainerSettings.model_validate(settings),
            bundle_key=b"a key of the tests",
            random=random.Random(7),
        )
        world = cls(ports, queries, archive, clock, embedder)
        queries.answers[RETRIEVE.name] = world._retrieved
        return world

    async def finds(self, *pages: PageText) -> Sequence[Evidence]:
        """Lets the retriever find every chunk of some pages, in order."""
        for page in pages:
            digest = await stored(self.archive, page)
            for place in range(len(page.spans)):
                score = 0.9 - 0.01 * len(self.found)
                self.found.append(passage_of(page, place, score=score, manifest_digest=digest))
        return self.found

    async def ask(self, query: str, **options: Any) -> AnswerResponse:
        """Returns the answer to a question."""
        return await answer(AnswerRequest(query=query, **options), self.ports)

    def _retrieved(self, request: RetrieveRequest) -> RetrieveResponse:
        found = tuple(self.found[: request.limit])
        reason = "" if len(found) == request.limit else f"Only {len(found)} passages."
        return RetrieveResponse(evidence=found, shortfall_reason=reason)
