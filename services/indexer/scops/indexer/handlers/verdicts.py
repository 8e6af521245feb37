"""Applies verdicts to the index; all four in the same way.

Chunks are claimed and inserted first, which nobody sees; then one transaction moves the head.
Every step repeats without harm, and the answer is recorded with the head: whatever crashes, a
redelivery ends in the same state and says the same.
"""

from collections.abc import Mapping, Sequence

from scops.common.bus.ports import Cause
from scops.common.contract.errors import BlobMissing, InvalidInput, ScopsError, TransientError
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.change import (
    Verdict,
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionUnchanged,
)
from scops.common.contract.messages.index import IndexFailed, IndexOutcome, VersionIndexed
from scops.common.contract.service_table import Lane
from scops.common.db.batches import batches_in_turns
from scops.indexer import metrics
from scops.indexer.handlers.purging import erase_purged
from scops.indexer.objects.chunk_objects import OBJECTS_AT_ONCE, chunk_objects, chunk_spans
from scops.indexer.objects.chunk_texts import ChunkText, ListedChunk, chunk_texts, listed_chunks
from scops.indexer.objects.materials import chunk_mentions, chunk_vectors, chunk_wordings
from scops.indexer.objects.prefixes import settle_prefixes
from scops.indexer.objects.target import (
    IndexTarget,
    is_purged,
    target_of,
    version_ids,
    without_purged,
)
from scops.indexer.ports import (
    PURGED_MEANWHILE,
    Answer,
    AppliedVerdict,
    ChunkClaim,
    ChunkSpan,
    HeadChange,
    IndexerPorts,
    PageState,
)

DETAIL_CHARACTERS_MAX = 500
PURGED = "purged"
# Attempts of one delivery where the sweeper takes a chunk back meanwhile.
APPLY_ATTEMPTS_MAX = 3


async def handle_version_added(
    event: VersionAdded, cause: Cause, ports: IndexerPorts
) -> Sequence[Answer]:
    """Indexes a version; a late one is superseded at once."""
    standing = IndexOutcome.SUPERSEDED if event.verdict.late else IndexOutcome.ADDED
    return await _apply_verdict(event.verdict, cause, ports, standing=standing)


async def handle_version_restored(
    event: VersionRestored, cause: Cause, ports: IndexerPorts
) -> Sequence[Answer]:
    """Indexes a version whose text the page had shown before."""
    standing = IndexOutcome.SUPERSEDED if event.verdict.late else IndexOutcome.ADDED
    return await _apply_verdict(event.verdict, cause, ports, standing=standing)


async def handle_version_unchanged(
    event: VersionUnchanged, cause: Cause, ports: IndexerPorts
) -> Sequence[Answer]:
    """Renews the head's verified time, and indexes what an earlier verdict failed to."""
    return await _apply_verdict(event.verdict, cause, ports, standing=IndexOutcome.REFRESHED)


async def handle_version_closed(
    event: VersionClosed, cause: Cause, ports: IndexerPorts
) -> Sequence[Answer]:
    """Closes the head; its versions stay for questions about the past."""
    return await _apply_verdict(
        event.verdict, cause, ports, standing=IndexOutcome.CLOSED, reason=event.reason
    )


async def _apply_verdict(
    verdict: Verdict, cause: Cause, ports: IndexerPorts, *, standing: IndexOutcome, reason: str = ""
) -> Sequence[Answer]:
    state = await ports.rows.page_state(verdict.page_id, cause.event_id, version_ids(verdict))
    if is_purged(verdict, state.purged_through):
        await erase_purged(verdict.page_id, ports)
        return (_purged_answer(verdict),)
    verdict = without_purged(verdict, state.purged_through)
    answer, prefixes_stale = state.answer, state.prefixes_stale
    if answer is None:
        try:
            applied = await _applied(
                verdict, cause, ports, state=state, standing=standing, reason=reason
            )
        except (BlobMissing, InvalidInput) as error:
            failure = _failure(verdict, error, ports)
            answer = await ports.rows.record_failure(cause.event_id, failure)
        else:
            answer, prefixes_stale = applied.answer, applied.prefixes_stale
            observed = verdict.observed_time
            metrics.note_freshness(answer, observed=observed, now=ports.clock.now())
    if prefixes_stale:
        await settle_prefixes(verdict.page_id, ports)
    metrics.count_answer(answer)
    return (answer,)


async def _applied(
    verdict: Verdict,
    cause: Cause,
    ports: IndexerPorts,
    *,
    state: PageState,
    standing: IndexOutcome,
    reason: str,
) -> AppliedVerdict:
    target = target_of(verdict, state.head, state.intervals)
    chunks, current, spans = await _chunks_of(target, ports)
    for _ in range(APPLY_ATTEMPTS_MAX):
        claims: Mapping[ChunkId, ChunkClaim] = {}
        if spans:
            claims = await ports.rows.claim(verdict.page_id, spans, now=ports.clock.now())
        wanted = [chunk for key, chunk in chunks.items() if not claims[key].stored]
        metrics.CHUNKS.labels("kept").inc(len(chunks) - len(wanted))
        texts = await chunk_texts(wanted, ports) if wanted else []
        embedded = await _insert(texts, claims, verdict, cause, ports)
        change = HeadChange(
            verdict=verdict,
            event_id=cause.event_id,
            reason=reason,
            listed=current if target.moves else None,
            claims=claims,
            wordings=await chunk_wordings(texts, ports),
            versions=target.versions,
            outcome_standing=standing,
            embedded=embedded,
            purged_through=state.purged_through,
        )
        try:
            applied = await ports.rows.apply(change, now=ports.clock.now())
        except TransientError as error:
            if error.reason == PURGED_MEANWHILE:
                # They were cached after the purge had looked; nobody else knows of them.
                await ports.rows.forget_vectors(sorted({text.embedding_key for text in texts}))
            raise
        if applied is not None:
            return applied
    raise TransientError(
        f"Chunks of page {verdict.page_id} were swept while its version was being indexed, "
        f"{APPLY_ATTEMPTS_MAX} times; the verdict is tried again. Is "
        "SCOPS_INDEXER_SWEEP_AGE_SECONDS shorter than indexing a page takes?",
        reason="CHUNKS_SWEPT",
    )


async def _chunks_of(
    target: IndexTarget, ports: IndexerPorts
) -> tuple[dict[ChunkId, ListedChunk], tuple[ChunkId, ...], Sequence[ChunkSpan]]:
    """Reads the manifests of a target: all chunks, those of the current version, and stays."""
    rows = dict.fromkeys(((target.current,) if target.current else ()) + target.unindexed)
    manifests = {row: await ports.manifests.get(row.manifest) for row in rows}
    current = manifests[target.current].chunks if target.current else ()
    return (
        listed_chunks(list(manifests.values())),
        tuple(dict.fromkeys(chunk.chunk_id for chunk in current)),
        chunk_spans(manifests),
    )


async def _insert(
    texts: Sequence[ChunkText],
    claims: Mapping[ChunkId, ChunkClaim],
    verdict: Verdict,
    cause: Cause,
    ports: IndexerPorts,
) -> int:
    """Puts chunks into the store; returns how many texts had to be embedded for that."""
    if not texts:
        return 0
    vectors, embedded = await chunk_vectors(texts, urgent=cause.lane is Lane.NOW, ports=ports)
    mentions = await chunk_mentions(texts, ports)
    incarnations = {chunk_id: claim.incarnation for chunk_id, claim in claims.items()}
    async for batch in batches_in_turns(texts, OBJECTS_AT_ONCE):
        objects = chunk_objects(
            batch,
            vectors,
            mentions,
            incarnations,
            page_id=verdict.page_id,
            access_context=verdict.access_context,
            canonical_url=verdict.canonical_url,
        )
        await ports.store.insert(objects)
    metrics.CHUNKS.labels("inserted").inc(len(texts))
    return embedded


def _purged_answer(verdict: Verdict) -> VersionIndexed:
    """Answers a verdict on what a purge has dropped meanwhile."""
    return VersionIndexed(
        page_id=verdict.page_id,
        fetch_id=verdict.fetch_id,
        outcome=IndexOutcome.CLOSED,
        version_id=verdict.version_id,
        order_key=verdict.order_key,
        reason=PURGED,
    )


def _failure(verdict: Verdict, error: ScopsError, ports: IndexerPorts) -> IndexFailed:
    return IndexFailed(
        page_id=verdict.page_id,
        fetch_id=verdict.fetch_id,
        reason=error.reason,
        detail=error.message[:DETAIL_CHARACTERS_MAX],
        failed_time=ports.clock.now(),
    )
