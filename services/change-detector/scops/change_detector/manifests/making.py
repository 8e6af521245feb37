"""Makes manifests out of encoded bodies, in one piece of work that a child process may do."""

from dataclasses import dataclass, replace

from scops.change_detector.chunking.chunker import Chunker
from scops.change_detector.manifests.bodies import PackedBody, PackedVersion
from scops.change_detector.manifests.manifest import (
    VersionContent,
    build_manifest,
    cut_version,
    draft,
)
from scops.change_detector.strategies.port import ChangeStrategy
from scops.change_detector.strategies.vectors import MADE, VectorsWanted, finished, wanted_parts
from scops.change_detector.timeline.runs import PlannedVersion
from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import Manifest
from scops.common.processes.tasks import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSources:
    """What a manifest is made of.

    Attributes:
        previous: the version to compare with; None for a first one.
    """

    page_id: PageId
    version: PlannedVersion
    content: VersionContent
    new: PackedBody
    previous: PackedVersion | None
    chunker: Chunker

    @property
    def characters(self) -> int:
        """What it costs to go through them, counted in characters of text."""
        return self.new.characters + (self.previous.characters if self.previous else 0)


def make_manifest(sources: VersionSources, strategy: ChangeStrategy) -> Parts:
    """Returns the encoded manifest and how many chunks and blocks left out it has.

    Args:
        strategy: apart from its model.
    """
    before, chunker = sources.previous, sources.chunker
    new, old = sources.new.opened(), before.body.opened() if before else None
    previous = wire.decode(Manifest, before.manifest) if before else None
    content = replace(sources.content, title=sources.content.title or new.document.title)
    made = draft(new, old, cut_version(sources.page_id, new, old, previous, chunker))
    try:
        labels = finished(strategy.label(made.comparison)) if previous else None
    except VectorsWanted as wanted:
        return wanted_parts(wanted)
    manifest = build_manifest(
        sources.page_id,
        sources.version,
        content,
        made,
        labels,
        previous,
        chunker,
        strategy=strategy.name,
    )
    counts = f"{len(manifest.chunks)} {len(manifest.left_out)}"
    return (MADE, wire.encode(manifest), counts.encode())
