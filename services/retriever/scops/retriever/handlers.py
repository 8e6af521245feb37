"""Answers `Retrieve` (candidates under the filter, heads checked, rules matched, scored, shaped),
`Embed` and `Vectors`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId
from scops.common.contract.messages.retrieval import (
    Awaited,
    ChunkVector,
    EmbedRequest,
    EmbedResponse,
    RetrieveRequest,
    RetrieveResponse,
    VectorsRequest,
    VectorsResponse,
    Weights,
)
from scops.common.observe.tracing import stage
from scops.common.text.remarks import sentences
from scops.libraries.embedder.port import Embedder, FloatArray
from scops.retriever import metrics
from scops.retriever.candidates.scope_rules import live_scopes
from scops.retriever.candidates.search import find_candidates
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import parse_question
from scops.retriever.scoring.calibrated import calibrated_on
from scops.retriever.scoring.ranking import rank_candidates
from scops.retriever.shape.notes import notes, shortfall
from scops.retriever.shape.passages import build_passages

# Pause between two looks at the heads of awaited pages.
AWAIT_POLL_SECONDS = 0.05
# Texts that are embedded at once for others; questions have their turn between them.
EMBED_TEXTS = 8
LITTLE_ENDIAN = "<f4"


async def retrieve(request: RetrieveRequest, ports: RetrieverPorts) -> RetrieveResponse:
    """Returns the best passages of the scopes, best first.

    Raises:
        InvalidInput: the request cannot be answered as it is; see `question.parse_question`.
        NotYetKnown: a scope revision has not arrived yet.
        StoreUnavailable: the index does not answer.
        PermanentError: the index belongs to another embedder.
    """
    question = parse_question(request, ports.settings, now=ports.clock.now())
    # Unknown scopes are told before anything is waited for.
    live_scopes(question.scopes, ports.scope_book)
    with stage(metrics.STAGE_SECONDS, "await"):
        unverified = await _wait_for(request.awaited, ports)
    embedder = await ports.embedder()
    vector = asyncio.create_task(_embedded(question.text, embedder))
    try:
        found = await find_candidates(question, vector, ports, embedder.calibration)
    finally:
        vector.cancel()
    with stage(metrics.STAGE_SECONDS, "rank"):
        ranked = await rank_candidates(
            found.candidates,
            question,
            ports,
            embedder=embedder,
            now=question.as_of or ports.clock.now(),
        )
    with stage(metrics.STAGE_SECONDS, "shape"):
        reply = await build_passages(ranked, question, ports, calibration=embedder.calibration)
    metrics.CANDIDATES.observe(len(ranked))
    if not reply.evidence:
        metrics.EMPTY.inc()
    scopes = len(live_scopes(question.scopes, ports.scope_book))
    fewer = shortfall(found, reply, question, scopes=scopes)
    return RetrieveResponse(
        evidence=reply.evidence,
        candidates=len(ranked),
        shortfall_reason=sentences(fewer),
        shortfall=fewer,
        unverified_page_ids=unverified,
        embedder_id=embedder.embedder_id,
        recipe=question.recipe.name,
        weights=Weights(**asdict(question.weights)),
        notes=notes(question, found),
        calibrated=calibrated_on(question, embedder),
    )


async def embed(request: EmbedRequest, ports: RetrieverPorts) -> EmbedResponse:
    """Returns a vector a text, as the index has them; the texts are kept nowhere.

    Raises:
        InvalidInput: another embedder is asked for.
    """
    embedder = await ports.embedder()
    if request.embedder_id not in ("", embedder.embedder_id):
        raise InvalidInput(
            f"The model {request.embedder_id[:80]!r} is not the embedder here; that is "
            f"{embedder.embedder_id}. GET /v1/models lists it.",
            reason="MODEL_UNKNOWN",
            field="model",
        )
    rows, tokens = bytearray(), 0
    for start in range(0, len(request.texts), EMBED_TEXTS):
        texts = request.texts[start : start + EMBED_TEXTS]
        rows += (await embedder.embed(texts)).astype(LITTLE_ENDIAN).tobytes()
        # Long texts would hold up the loop.
        tokens += await asyncio.to_thread(_tokens, texts, embedder)
    metrics.EMBEDDED.inc(len(request.texts))
    return EmbedResponse(
        vectors=bytes(rows),
        dimensions=embedder.dimensions,
        embedder_id=embedder.embedder_id,
        tokens=tokens,
    )


async def vectors(request: VectorsRequest, ports: RetrieverPorts) -> VectorsResponse:
    """Returns the vectors of chunks as the index has them; of what is not live, none."""
    objects = await ports.objects.live_objects(request.chunk_ids)
    found = await ports.store.get(list(objects.values()))
    return VectorsResponse(
        vectors=tuple(
            ChunkVector(chunk_id=one.chunk_id, vector=one.vector.astype(LITTLE_ENDIAN).tobytes())
            for one in found
        )
    )


def _tokens(texts: Sequence[str], embedder: Embedder) -> int:
    return sum(embedder.count_tokens(text) for text in texts)


async def _embedded(text: str, embedder: Embedder) -> FloatArray:
    with stage(metrics.STAGE_SECONDS, "embed"):
        vector: FloatArray = (await embedder.embed([text], as_queries=True))[0]
    return vector


async def _wait_for(awaited: Sequence[Awaited], ports: RetrieverPorts) -> tuple[PageId, ...]:
    """Waits until the heads of some pages were verified; returns those that were not."""
    missing: dict[PageId, datetime] = {}
    for entry in awaited:
        earlier = missing.get(entry.page_id, entry.observed_time)
        missing[entry.page_id] = max(earlier, entry.observed_time)
    deadline = ports.clock.now() + timedelta(seconds=ports.settings.await_max_seconds)
    while missing:
        heads = await ports.heads.heads(sorted(missing))
        missing = {
            page_id: observed
            for page_id, observed in missing.items()
            if page_id not in heads or heads[page_id].verified_time < observed
        }
        if not missing or ports.clock.now() >= deadline:
            break
        await ports.clock.sleep(AWAIT_POLL_SECONDS)
    return tuple(sorted(missing))
