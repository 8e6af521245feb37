"""What a verdict asks of the index, given what the index knows: which versions, which chunks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scops.common.contract import ids
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ChunkId, EmbeddingKey, VersionId
from scops.common.contract.messages.change import Manifest, Verdict, VersionRow
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.indexer.objects.interval import Interval, interval_of
from scops.libraries.index.ports import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The versions that a verdict brings in.

    Attributes:
        versions: rows to write; what the index holds already in a newer state stays.
        current: the version the head is to move to; None when it closes or stands there.
        moves: the head stands before the verdict's key.
        unindexed: versions whose chunks must be looked at: new ones, and those whose stay turned
            out longer, so that an interval in the history may have become too narrow.
    """

    versions: tuple[VersionRow, ...]
    current: VersionRow | None
    moves: bool
    unindexed: tuple[VersionRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChunk:
    """A chunk as the first manifest that lists it describes it."""

    chunk_id: ChunkId
    header: str
    start: int
    end: int
    text: BodyRef
    embedder_id: str
    embedding_key: EmbeddingKey
    simhash: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkText:
    """What a chunk object is made of, beside its vector."""

    chunk_id: ChunkId
    header: str
    text: str
    embedding_key: EmbeddingKey
    simhash: int

    @property
    def embedded_text(self) -> str:
        return ids.embedded_text(self.header, self.text)


def order(key: OrderKey) -> tuple[datetime, int]:
    """Returns what order keys are compared by."""
    return key.observed_from, key.revision


def target_of(
    verdict: Verdict, head: Head | None, intervals: Mapping[VersionId, Interval]
) -> Target:
    """Compares a verdict with what the index knows.

    Args:
        intervals: of those of the verdict's versions that the index knows.

    Raises:
        InvalidInput: the verdict names neither a closed page nor a manifest.
    """
    versions = _rows_of(verdict)
    moves = head is None or order(verdict.order_key) > order(head.order_key)
    named = {row.version_id: row for row in versions}
    unindexed = tuple(
        row
        for row in versions
        if row.version_id not in intervals or not intervals[row.version_id].holds(interval_of(row))
    )
    return Target(
        versions=versions,
        current=named[verdict.version_id] if moves and not verdict.closed else None,
        moves=moves,
        unindexed=unindexed,
    )


def version_ids(verdict: Verdict) -> tuple[VersionId, ...]:
    """Returns the versions that a verdict names, each once, in its order."""
    named = [row.version_id for row in verdict.versions]
    current = [verdict.version_id] if verdict.version_id else []
    return tuple(dict.fromkeys(named + current))


def listed_chunks(manifests: Sequence[Manifest]) -> dict[ChunkId, ListedChunk]:
    """Returns the chunks of some versions, each once, in reading order."""
    listed: dict[ChunkId, ListedChunk] = {}
    for manifest in manifests:
        for chunk in manifest.chunks:
            described = ListedChunk(
                chunk_id=chunk.chunk_id,
                header=chunk.header,
                start=chunk.start,
                end=chunk.end,
                text=manifest.text,
                embedder_id=manifest.embedder_id,
                embedding_key=chunk.embedding_key,
                simhash=chunk.simhash,
            )
            listed.setdefault(chunk.chunk_id, described)
    return listed


def chunk_text(chunk: ListedChunk, clean_text: str, *, embedder_id: str) -> ChunkText:
    """Cuts a chunk out of its version's text and names its vector.

    A manifest of another embedder names keys of that one: the chunk then gets our own.

    Raises:
        InvalidInput: the manifest's key is not that of the text it points at.
    """
    text = clean_text[chunk.start : chunk.end]
    key = ids.embedding_key(embedder_id, ids.embedded_text(chunk.header, text))
    if chunk.embedder_id == embedder_id and chunk.embedding_key != key:
        raise InvalidInput(
            f"The manifest lists chunk {chunk.chunk_id} with embedding key "
            f"{chunk.embedding_key}, but its header and text have {key}. The text or the "
            "manifest is damaged; extract the page again.",
            reason="EMBEDDING_KEY_MISMATCH",
            chunk_id=chunk.chunk_id,
        )
    return ChunkText(
        chunk_id=chunk.chunk_id,
        header=chunk.header,
        text=text,
        embedding_key=key,
        simhash=chunk.simhash,
    )


def _rows_of(verdict: Verdict) -> tuple[VersionRow, ...]:
    """Returns the verdict's rows, and one for its current version where it lacks that."""
    if verdict.closed or any(row.version_id == verdict.version_id for row in verdict.versions):
        return verdict.versions
    if verdict.manifest is None or not verdict.version_id:
        raise InvalidInput(
            f"The verdict on page {verdict.page_id} is open but names no manifest.",
            reason="MANIFEST_UNNAMED",
        )
    # Revision 0 gives way to whatever the change-detector says of this row later.
    current = VersionRow(
        version_id=verdict.version_id,
        order_key=verdict.order_key,
        manifest=verdict.manifest,
        row_revision=0,
    )
    return (*verdict.versions, current)
