"""Manifests: what another chunker or embedder changes, and what it must not."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scops.change_detector.chunking.chunker import Body, Chunker
from scops.change_detector.chunking.chunks import ChunkSizes
from scops.change_detector.manifests.manifest import (
    VersionContent,
    build_manifest,
    cut_version,
    draft,
)
from scops.change_detector.timeline.runs import PlannedVersion
from scops.common.contract import ids
from scops.common.contract.messages.change import ChunkOrigin, Manifest
from scops.common.contract.messages.types import BodyRef
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.page_lines import PAGES
from tests.fakes.worlds.change import PAGE, at, body_of

CONTENT = VersionContent(
    text=BodyRef(digest="t"),
    document=BodyRef(digest="d"),
    pipeline_version="p1",
    title="Title",
    language="en",
    stated=(),
)
TEXT = "\n".join(
    f"Paragraph {i}: permit {i} costs {i * 7} euros and lasts {i} days." for i in range(20)
)


def chunker(*, tokens_max: int = 40, embedder_id: str = "e1") -> Chunker:
    """Returns a chunker that counts words."""
    return Chunker(
        sizes=ChunkSizes(
            tokens_min=20, tokens_max=tokens_max, header_tokens_max=8, overlap_tokens_max=0
        ),
        embedder_id=embedder_id,
        embedder_tokens_max=512,
        count_tokens=HashingEmbedder().count_tokens,
    )


def manifest_of(
    text: str, minute: int, using: Chunker, previous: tuple[Manifest, str] | None = None
) -> Manifest:
    """Builds the manifest of a text, compared with an earlier manifest and its text."""
    new = Body(text=text, document=body_of(text))
    old = Body(text=previous[1], document=body_of(previous[1])) if previous else None
    before = previous[0] if previous else None
    version = PlannedVersion(
        version_id=ids.version_id(PAGE, at(minute), 0),
        observed_from=at(minute),
        revision=0,
        text_digest="",
        pipeline_version="p1",
    )
    made = draft(new, old, cut_version(PAGE, new, old, before, using))
    return build_manifest(PAGE, version, CONTENT, made, None, before, using, strategy="none")


def test_a_manifest_is_the_same_when_it_is_made_again() -> None:
    """A crash between put and row costs nothing: the same blob is put again."""
    assert manifest_of(TEXT, 0, chunker()) == manifest_of(TEXT, 0, chunker())


def test_lineages_are_unique_in_a_version() -> None:
    """Each chunk is a line of its own."""
    lineages = [chunk.lineage_id for chunk in manifest_of(TEXT, 0, chunker()).chunks]

    assert len(set(lineages)) == len(lineages) > 3


def test_removed_lineages_are_those_that_no_chunk_carries_on() -> None:
    """What was cut off the end is named."""
    old = manifest_of(TEXT, 0, chunker())
    shorter = TEXT[: old.chunks[-1].start].rstrip()

    new = manifest_of(shorter, 1, chunker(), (old, TEXT))

    assert new.removed_lineage_ids == (old.chunks[-1].lineage_id,)


def test_another_chunker_is_compared_with_the_predecessor_cut_anew() -> None:
    """Two cuts of one text are no change of the page."""
    old = manifest_of(TEXT, 0, chunker())

    new = manifest_of(TEXT, 1, chunker(tokens_max=60), (old, TEXT))

    assert {chunk.origin for chunk in new.chunks} == {ChunkOrigin.KEPT}
    assert new.chunker_version != old.chunker_version
    assert {c.lineage_id for c in new.chunks} & {c.lineage_id for c in old.chunks}


def test_another_embedder_changes_embedding_keys_and_nothing_else() -> None:
    """Chunks are cut by tokens alone; vectors belong to one embedder."""
    old = manifest_of(TEXT, 0, chunker())

    new = manifest_of(TEXT, 0, chunker(embedder_id="e2"))

    keys = [chunk.embedding_key for chunk in old.chunks]
    assert not set(keys) & {chunk.embedding_key for chunk in new.chunks}
    chunks = tuple(
        replace(chunk, embedding_key=key) for chunk, key in zip(new.chunks, keys, strict=True)
    )
    assert replace(new, embedder_id="e1", chunks=chunks) == old


def test_a_kept_chunk_keeps_its_fingerprint() -> None:
    """Only changed chunks are fingerprinted; the result is the same."""
    old = manifest_of(TEXT, 0, chunker())

    new = manifest_of(f"{TEXT}\nOne more line.", 1, chunker(), (old, TEXT))

    assert [c.simhash for c in new.chunks] == [
        chunker().fingerprint(f"{TEXT}\nOne more line."[c.start : c.end]) for c in new.chunks
    ]


@given(st.lists(PAGES, min_size=2, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_lineage_is_a_line_through_versions(pages: list[list[str]]) -> None:
    """Each chunk has one predecessor or none, none has two successors, and what ends is named."""
    texts = ["\n".join(lines) for lines in pages]
    using = chunker(tokens_max=24)
    old, text = manifest_of(texts[0], 0, using), texts[0]
    for minute, new_text in enumerate(texts[1:], start=1):
        new = manifest_of(new_text, minute, using, (old, text))
        before = {chunk.chunk_id: chunk.lineage_id for chunk in old.chunks}
        after = [chunk.lineage_id for chunk in new.chunks]
        followed = [c.previous_chunk_id for c in new.chunks if c.previous_chunk_id]

        assert len(set(after)) == len(after)
        assert len(set(followed)) == len(followed)
        for chunk in new.chunks:
            if chunk.previous_chunk_id:
                assert before[chunk.previous_chunk_id] == chunk.lineage_id
            else:
                assert chunk.lineage_id not in before.values()
        assert set(before.values()) - set(after) == set(new.removed_lineage_ids)
        old, text = new, new_text
