"""Writes the manifests of new versions: load, chunk, align, label, put."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scops.change_detector.chunking.chunker import Chunker
from scops.change_detector.manifests.apart import worked_apart
from scops.change_detector.manifests.bodies import (
    MANIFEST_MEDIA_TYPE,
    load_body,
    manifest_head,
    opened_version,
)
from scops.change_detector.manifests.making import VersionSources, make_manifest
from scops.change_detector.manifests.manifest import VersionContent, content_of
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import WrittenVersion
from scops.change_detector.timeline.runs import PlannedVersion, TimelineChange, TimelineContext
from scops.change_detector.volatile.memory import PageLook, Recollection
from scops.common.archive.ports import NewBlob
from scops.common.contract import wire
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import PageMemory
from scops.common.contract.messages.types import BodyRef
from scops.common.processes.turns import leave_turn


async def write_versions(
    incoming: IncomingObservation,
    change: TimelineChange,
    extracted: VersionContent | None,
    context: TimelineContext,
    ports: ChangeDetectorPorts,
) -> tuple[WrittenVersion, ...]:
    """Returns the new versions of a change, in order, their manifests durable in the archive.

    Nothing refers to these manifests yet: writing them again changes nothing.

    Args:
        extracted: what the message brought; None when it brought no content.

    Raises:
        BlobMissing: a text or manifest that a row references is not in the archive.
        StoreUnavailable: the archive does not answer.
        TaskFailed: the page takes more than one may.
    """
    made = await make_versions(incoming, change, extracted, context, ports)
    if made and incoming.patient:
        leave_turn()
    return await store_versions(made, ports, patient=incoming.patient)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeVersion:
    """A new version whose manifest nobody has stored yet.

    Attributes:
        counts: chunks, and blocks left out.
        memory: as `WrittenVersion` has it.
    """

    version: PlannedVersion
    chunker: Chunker
    manifest: bytes
    counts: tuple[int, int]
    memory: PageMemory | None


async def make_versions(
    incoming: IncomingObservation,
    change: TimelineChange,
    extracted: VersionContent | None,
    context: TimelineContext,
    ports: ChangeDetectorPorts,
) -> tuple[MadeVersion, ...]:
    """Makes the new versions of a change, in order, of what the archive holds.

    Arguments and errors are those of `write_versions`.
    """
    if not change.planned:
        return ()
    recollection = await _recollection(incoming, change, context, ports)
    mask = await ports.templates.mask(incoming.organisation_id, host_of(incoming.canonical_url))
    chunker = (await ports.chunker()).masked(mask)
    cache = ManifestCache(ports, chunker, context.manifests())
    page_id = incoming.page_id
    made = [
        await _make(page_id, version, extracted, cache, recollection) for version in change.planned
    ]
    return tuple(made)


async def store_versions(
    made: Sequence[MadeVersion], ports: ChangeDetectorPorts, *, patient: bool
) -> tuple[WrittenVersion, ...]:
    """Puts manifests into the archive, all at once, and returns their versions in order.

    Args:
        patient: they may wait a little for company.

    Raises:
        StoreUnavailable: the archive does not take them.
    """
    if not made:
        return ()
    blobs = [NewBlob(data=one.manifest, media_type=MANIFEST_MEDIA_TYPE) for one in made]
    refs = await ports.archive.put_many(blobs, patient=patient)
    return tuple(_written(one, ref) for one, ref in zip(made, refs, strict=True))


def _written(made: MadeVersion, manifest: BodyRef) -> WrittenVersion:
    head = manifest_head(made.manifest)
    chunk_count, left_out_blocks = made.counts
    return WrittenVersion(
        version=made.version,
        chunking=made.chunker.chunking,
        template_epoch=made.chunker.mask.epoch,
        manifest=manifest,
        summary=head.summary,
        title=head.title,
        chunk_count=chunk_count,
        left_out_blocks=left_out_blocks,
        document_digest=head.document.digest,
        memory=made.memory,
    )


@dataclass(slots=True)
class ManifestCache:
    """The manifests in reach, encoded: of versions that are recorded, and of those just made."""

    ports: ChangeDetectorPorts
    chunker: Chunker
    refs: dict[VersionId, BodyRef]
    made: dict[VersionId, bytes] = field(default_factory=dict)

    async def manifest(self, version_id: VersionId) -> bytes:
        if version_id not in self.made:
            self.made[version_id] = await self.ports.archive.get(self.refs[version_id])
        return self.made[version_id]


async def _make(
    page_id: PageId,
    version: PlannedVersion,
    extracted: VersionContent | None,
    cache: ManifestCache,
    recollection: Recollection | None,
) -> MadeVersion:
    sources = await _sources(page_id, version, extracted, cache)
    sources = replace(sources, recollection=recollection)
    manifest, counts, memory = await worked_apart(
        make_manifest, sources, characters=sources.characters, ports=cache.ports
    )
    cache.made[version.version_id] = manifest
    chunk_count, left_out_blocks = map(int, counts.split())
    return MadeVersion(
        version=version,
        chunker=cache.chunker,
        manifest=manifest,
        counts=(chunk_count, left_out_blocks),
        memory=wire.decode(PageMemory, memory) if memory else None,
    )


async def _recollection(
    incoming: IncomingObservation,
    change: TimelineChange,
    context: TimelineContext,
    ports: ChangeDetectorPorts,
) -> Recollection | None:
    """Returns what is remembered of the page; None unless a new text follows the newest one."""
    preceding = context.preceding
    if change.late or change.pipeline_changed or preceding is None or len(change.planned) != 1:
        return None
    version = change.planned[0]
    if version.revision or version.compared_with != preceding.version_id:
        return None
    found = await ports.memories.read(incoming.page_id)
    return Recollection(
        memory=found.memory,
        look=PageLook(change.sequence, version.observed_from),
        told_before=preceding.observed_from,
    )


async def _sources(
    page_id: PageId, version: PlannedVersion, extracted: VersionContent | None, cache: ManifestCache
) -> VersionSources:
    archive, content = cache.ports.archive, extracted
    if version.content_of is not None:
        content = content_of(manifest_head(await cache.manifest(version.content_of)))
    assert content is not None
    before = await cache.manifest(version.compared_with) if version.compared_with else None
    return VersionSources(
        page_id=page_id,
        version=version,
        content=content,
        new=await load_body(archive, content.text, content.document),
        previous=await opened_version(archive, before) if before is not None else None,
        chunker=cache.chunker,
    )
