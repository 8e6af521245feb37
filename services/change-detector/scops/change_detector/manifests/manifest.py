"""Builds manifests: the chunks of a version, where each comes from, and what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scops.change_detector.chunking.chunker import Body, Chunker
from scops.change_detector.chunking.chunks import Chunk
from scops.change_detector.manifests.alignment import AlignedChunk, Alignment, align
from scops.change_detector.strategies.port import (
    ChangeLabels,
    ComparedChunk,
    ComparedVersion,
    Comparison,
    counted,
    summary_of_first,
)
from scops.change_detector.timeline.runs import PlannedVersion
from scops.change_detector.volatile.memory import NOTHING_VOLATILE, VolatileSpans
from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, LineageId, PageId, VersionId
from scops.common.contract.messages.change import ChunkOrigin, Manifest, ManifestChunk, TextSpan
from scops.common.contract.messages.types import BodyRef, ChangeSummary, OrderKey, StatedTime
from scops.common.text.sentences import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionContent:
    """What a version says, by reference, and what the page states of itself.

    Attributes:
        captured_by: who captured it; empty for what was fetched.
        body: what the text was taken out of; None where an earlier release made the version.
    """

    text: BodyRef
    document: BodyRef
    pipeline_version: str
    title: str
    language: str
    stated: tuple[StatedTime, ...]
    captured_by: str = ""
    body: BodyRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousChunk:
    """A chunk of the version that a new one is compared with."""

    chunk_id: ChunkId
    lineage_id: LineageId
    compared: ComparedChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestDraft:
    """The chunks of a new version beside those it is compared with, not yet labelled."""

    chunks: tuple[Chunk, ...]
    simhashes: tuple[int, ...]
    known: tuple[PreviousChunk, ...]
    comparison: Comparison
    left_out: tuple[Span, ...] = ()


def content_of(manifest: Manifest) -> VersionContent:
    """Returns the content that a version had."""
    return VersionContent(
        text=manifest.text,
        document=manifest.document,
        pipeline_version=manifest.pipeline_version,
        title=manifest.title,
        language=manifest.language,
        stated=manifest.stated,
        captured_by=manifest.captured_by,
        body=manifest.body,
    )


def stored_chunks(manifest: Manifest, body: Body) -> tuple[ComparedChunk, ...]:
    """Returns the chunks of a version as its manifest lists them."""
    return tuple(
        ComparedChunk(
            text=body.text[chunk.start : chunk.end],
            header=chunk.header,
            simhash=chunk.simhash,
            start=chunk.start,
            end=chunk.end,
        )
        for chunk in manifest.chunks
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CutVersion:
    """The chunks of a new version and their correspondence, without the texts they lie in."""

    chunks: tuple[Chunk, ...]
    simhashes: tuple[int, ...]
    known: tuple[PreviousChunk, ...]
    alignment: Alignment
    left_out: tuple[Span, ...]
    repeated_old: tuple[Span, ...]
    repeated_new: tuple[Span, ...]


def cut_version(
    page_id: PageId,
    new: Body,
    old: Body | None,
    previous: Manifest | None,
    chunker: Chunker,
) -> CutVersion:
    """Chunks a new version and aligns it; costs CPU in proportion to both texts.

    Args:
        old, previous: body and manifest of the version to compare with; None for a first one.
    """
    chunks = chunker.cut(page_id, new)
    known = _known_chunks(page_id, previous, old, chunker) if previous and old else ()
    alignment = align([k.compared.text for k in known], [c.text for c in chunks])
    simhashes = tuple(
        _simhash(chunk, aligned, known, chunker)
        for chunk, aligned in zip(chunks, alignment.chunks, strict=True)
    )
    return CutVersion(
        chunks=chunks,
        simhashes=simhashes,
        known=known,
        alignment=alignment,
        left_out=chunker.left_out(page_id, new),
        repeated_old=chunker.repeated(old) if old else (),
        repeated_new=chunker.repeated(new),
    )


def draft(
    new: Body, old: Body | None, cut: CutVersion, volatile: VolatileSpans = NOTHING_VOLATILE
) -> ManifestDraft:
    """Returns the chunks of a new version beside what it is compared with."""
    compared = tuple(
        ComparedChunk(
            text=chunk.text,
            header=chunk.header,
            simhash=simhash,
            start=chunk.start,
            end=chunk.end,
        )
        for chunk, simhash in zip(cut.chunks, cut.simhashes, strict=True)
    )
    before = old or Body(text="", document=new.document)
    return ManifestDraft(
        chunks=cut.chunks,
        left_out=cut.left_out,
        simhashes=cut.simhashes,
        known=cut.known,
        comparison=Comparison(
            old=ComparedVersion(
                text=before.text,
                document=before.document,
                chunks=tuple(k.compared for k in cut.known),
                repeated=cut.repeated_old,
                volatile=volatile.old,
            ),
            new=ComparedVersion(
                text=new.text,
                document=new.document,
                chunks=compared,
                repeated=cut.repeated_new,
                volatile=volatile.new,
            ),
            alignment=cut.alignment,
        ),
    )


def build_manifest(
    page_id: PageId,
    version: PlannedVersion,
    content: VersionContent,
    made: ManifestDraft,
    labels: ChangeLabels | None,
    previous: Manifest | None,
    chunker: Chunker,
    *,
    strategy: str,
) -> Manifest:
    """Returns the manifest of a version.

    Args:
        labels: None for a version without one to compare with.
    """
    chunks = _manifest_chunks(version.version_id, made, labels, chunker)
    return Manifest(
        page_id=page_id,
        version_id=version.version_id,
        order_key=OrderKey(observed_from=version.observed_from, revision=version.revision),
        compared_with=version.compared_with,
        text=content.text,
        document=content.document,
        pipeline_version=content.pipeline_version,
        template_epoch=chunker.mask.epoch,
        left_out=tuple(TextSpan(start=start, end=end) for start, end in made.left_out),
        chunker_version=chunker.version,
        embedder_id=chunker.embedder_id,
        summary=_summary(made, labels, strategy),
        chunks=chunks,
        removed_lineage_ids=_removed_lineages(previous, chunks),
        title=content.title,
        language=content.language,
        stated=content.stated,
        pipeline_changed=version.pipeline_changed,
        captured_by=content.captured_by,
        body=content.body,
    )


def _known_chunks(
    page_id: PageId, previous: Manifest, old: Body, chunker: Chunker
) -> tuple[PreviousChunk, ...]:
    """Returns the predecessor's chunks as the chunker at hand cuts them.

    Where another chunker or mask made them, the predecessor is chunked again in memory, so that
    two cuts of one text never look like a change of the page.
    """
    stored = tuple(
        PreviousChunk(chunk_id=chunk.chunk_id, lineage_id=chunk.lineage_id, compared=compared)
        for chunk, compared in zip(previous.chunks, stored_chunks(previous, old), strict=True)
    )
    made_by = (previous.chunker_version, previous.template_epoch)
    if made_by == (chunker.version, chunker.mask.epoch):
        return stored
    return _recut(page_id, previous.version_id, old, stored, chunker)


def _recut(
    page_id: PageId,
    version_id: VersionId,
    old: Body,
    stored: Sequence[PreviousChunk],
    chunker: Chunker,
) -> tuple[PreviousChunk, ...]:
    chunks = chunker.cut(page_id, old)
    aligned = align([k.compared.text for k in stored], [c.text for c in chunks])
    known = []
    for chunk, origin in zip(chunks, aligned.chunks, strict=True):
        before = None if origin.previous is None else stored[origin.previous]
        known.append(
            PreviousChunk(
                chunk_id=before.chunk_id if before else ChunkId(""),
                lineage_id=before.lineage_id if before else _new_lineage(version_id, chunk),
                compared=ComparedChunk(
                    text=chunk.text,
                    header=chunk.header,
                    simhash=chunker.fingerprint(chunk.text),
                    start=chunk.start,
                    end=chunk.end,
                ),
            )
        )
    return tuple(known)


def _simhash(
    chunk: Chunk, aligned: AlignedChunk, known: Sequence[PreviousChunk], chunker: Chunker
) -> int:
    """An unchanged chunk keeps its fingerprint; only others are computed."""
    if aligned.previous is not None and aligned.origin is not ChunkOrigin.EDITED:
        return known[aligned.previous].compared.simhash
    return chunker.fingerprint(chunk.text)


def _manifest_chunks(
    version_id: VersionId, made: ManifestDraft, labels: ChangeLabels | None, chunker: Chunker
) -> tuple[ManifestChunk, ...]:
    changes: Mapping[int, ChangeSummary] = labels.chunks if labels else {}
    return tuple(
        _manifest_chunk(version_id, made, place, changes.get(place), chunker)
        for place in range(len(made.chunks))
    )


def _manifest_chunk(
    version_id: VersionId,
    made: ManifestDraft,
    place: int,
    change: ChangeSummary | None,
    chunker: Chunker,
) -> ManifestChunk:
    chunk = made.chunks[place]
    aligned = made.comparison.alignment.chunks[place]
    before = None if aligned.previous is None else made.known[aligned.previous]
    return ManifestChunk(
        chunk_id=chunk.chunk_id,
        start=chunk.start,
        end=chunk.end,
        section_path=chunk.section_path,
        header=chunk.header,
        embedding_key=chunker.embedding_key(chunk),
        lineage_id=before.lineage_id if before else _new_lineage(version_id, chunk),
        origin=aligned.origin,
        change=change,
        previous_chunk_id=before.chunk_id if before else ChunkId(""),
        simhash=made.simhashes[place],
        trust=chunk.trust,
        read_by_ocr=chunk.read_by_ocr,
    )


def _new_lineage(version_id: VersionId, chunk: Chunk) -> LineageId:
    return LineageId(ids.derived_id("lineage", version_id, chunk.chunk_id))


def _summary(made: ManifestDraft, labels: ChangeLabels | None, strategy: str) -> ChangeSummary:
    if labels is None:
        return summary_of_first(strategy, chunks=len(made.chunks))
    return counted(labels.page, made.comparison.alignment)


def _removed_lineages(
    previous: Manifest | None, chunks: Sequence[ManifestChunk]
) -> tuple[LineageId, ...]:
    if previous is None:
        return ()
    standing = {chunk.lineage_id for chunk in chunks}
    return tuple(c.lineage_id for c in previous.chunks if c.lineage_id not in standing)
