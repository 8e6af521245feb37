"""Writes the manifests of new versions: load, chunk, align, label, put."""

from dataclasses import dataclass, field, replace

from scops.change_detector.chunking.chunker import Chunker
from scops.change_detector.manifests.bodies import load_body, load_manifest, store_manifest
from scops.change_detector.manifests.manifest import (
    VersionContent,
    build_manifest,
    content_of,
    cut_version,
    draft,
)
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import WrittenVersion
from scops.change_detector.timeline.runs import PlannedVersion, TimelineChange, TimelineContext
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.types import BodyRef


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
    """
    if not change.planned:
        return ()
    mask = await ports.templates.mask(incoming.organisation_id, host_of(incoming.canonical_url))
    chunker = (await ports.chunker()).masked(mask)
    cache = ManifestCache(ports, chunker, context.manifests())
    page_id = incoming.page_id
    return tuple([await _write(page_id, version, extracted, cache) for version in change.planned])


@dataclass(slots=True)
class ManifestCache:
    """The manifests in reach: of versions that are recorded, and of those just made."""

    ports: ChangeDetectorPorts
    chunker: Chunker
    refs: dict[VersionId, BodyRef]
    made: dict[VersionId, Manifest] = field(default_factory=dict)

    async def manifest(self, version_id: VersionId) -> Manifest:
        if version_id not in self.made:
            self.made[version_id] = await load_manifest(self.ports.archive, self.refs[version_id])
        return self.made[version_id]


async def _write(
    page_id: PageId, version: PlannedVersion, extracted: VersionContent | None, cache: ManifestCache
) -> WrittenVersion:
    manifest = await _manifest(page_id, version, extracted, cache)
    cache.made[version.version_id] = manifest
    return WrittenVersion(
        version=version,
        chunking=cache.chunker.chunking,
        template_epoch=cache.chunker.mask.epoch,
        manifest=await store_manifest(cache.ports.archive, manifest),
        summary=manifest.summary,
        title=manifest.title,
        chunk_count=len(manifest.chunks),
        left_out_blocks=len(manifest.left_out),
        document_digest=manifest.document.digest,
    )


async def _manifest(
    page_id: PageId, version: PlannedVersion, extracted: VersionContent | None, cache: ManifestCache
) -> Manifest:
    ports, chunker, content = cache.ports, cache.chunker, extracted
    if version.content_of is not None:
        content = content_of(await cache.manifest(version.content_of))
    assert content is not None
    previous = await cache.manifest(version.compared_with) if version.compared_with else None
    new = await load_body(ports.archive, content.text, content.document)
    content = replace(content, title=content.title or new.document.title)
    old = await load_body(ports.archive, previous.text, previous.document) if previous else None
    cut = await ports.compute(
        cut_version,
        page_id,
        new,
        old,
        previous,
        chunker,
        characters=len(new.text) + (len(old.text) if old else 0),
    )
    made = draft(new, old, cut)
    labels = await ports.strategy.label(made.comparison) if previous else None
    return build_manifest(
        page_id,
        version,
        content,
        made,
        labels,
        previous,
        chunker,
        strategy=ports.strategy.name,
    )
