"""Makes manifests out of encoded bodies, in one piece of work that a child process may do."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from scops.change_detector.chunking.chunker import Chunker
from scops.change_detector.manifests.bodies import PackedBody, PackedVersion
from scops.change_detector.manifests.manifest import (
    VersionContent,
    build_manifest,
    cut_version,
    draft,
)
from scops.change_detector.strategies.port import VOLATILE, ChangeStrategy, Comparison, TypedEdit
from scops.change_detector.strategies.vectors import MADE, VectorsWanted, finished, wanted_parts
from scops.change_detector.timeline.runs import PlannedVersion
from scops.change_detector.volatile.memory import (
    NOTHING_SILENT,
    NOTHING_VOLATILE,
    Recollection,
    SilentSpans,
    learned,
    volatile_spans,
)
from scops.change_detector.volatile.steps import page_step
from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import Manifest
from scops.common.processes.tasks import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSources:
    """What a manifest is made of.

    Attributes:
        previous: the version to compare with; None for a first one.
        recollection: None where the version teaches nothing of its page.
    """

    page_id: PageId
    version: PlannedVersion
    content: VersionContent
    new: PackedBody
    previous: PackedVersion | None
    chunker: Chunker
    recollection: Recollection | None = None

    @property
    def characters(self) -> int:
        """What it costs to go through them, counted in characters of text."""
        return self.new.characters + (self.previous.characters if self.previous else 0)


def make_manifest(sources: VersionSources, strategy: ChangeStrategy) -> Parts:
    """Returns the encoded manifest, how many chunks and blocks left out it has, and the memory.

    The memory of the page is empty where the version teaches nothing.

    Args:
        strategy: apart from its model.
    """
    before, chunker, known = sources.previous, sources.chunker, sources.recollection
    new, old = sources.new.opened(), before.body.opened() if before else None
    previous = wire.decode(Manifest, before.manifest) if before else None
    content = replace(sources.content, title=sources.content.title or new.document.title)
    step = page_step(old, new) if old and known else None
    volatile = (
        volatile_spans(known.memory, step, known.look) if known and step else NOTHING_VOLATILE
    )
    made = draft(new, old, cut_version(sources.page_id, new, old, previous, chunker), volatile)
    try:
        labels = finished(strategy.label(made.comparison)) if previous else None
        silent = _silent(made.comparison, strategy) if volatile else NOTHING_SILENT
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
    memory = b""
    if known and step:
        memory = wire.encode(learned(known, step, silent, run=sources.version.observed_from))
    counts = f"{len(manifest.chunks)} {len(manifest.left_out)}"
    return (MADE, wire.encode(manifest), counts.encode(), memory)


def _silent(comparison: Comparison, strategy: ChangeStrategy) -> SilentSpans:
    edits: Iterable[TypedEdit] = finished(strategy.edits(comparison.old, comparison.new))
    silent = [edit for edit in edits if VOLATILE in edit.reasons]
    return SilentSpans(
        old=[edit.old for edit in silent if edit.old is not None],
        new=[edit.new for edit in silent if edit.new is not None],
    )
