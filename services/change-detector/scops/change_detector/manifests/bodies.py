"""Reads and writes the blobs that versions are made of.

They are passed on as bytes: a page may have 100,000 blocks, and whoever works on all of them
decodes them where that work is done, which for long pages is a child process.
"""

from dataclasses import dataclass

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.manifests.manifest import stored_chunks
from scops.change_detector.strategies.port import ComparedVersion
from scops.change_detector.templates.blocks import NO_MASK, TemplateMask
from scops.common.archive.ports import Archive
from scops.common.contract import wire
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.types import BodyRef

MANIFEST_MEDIA_TYPE = "application/x-protobuf"
# What a long page has many of.
MANIFEST_PARTS = ("chunks", "left_out", "removed_lineage_ids")
# Encoded, a page has about as many bytes of blocks as of text; pages of more have tiny blocks,
# each of which costs as much as some characters.
DOCUMENT_BYTES_PER_CHARACTER = 2


@dataclass(frozen=True, slots=True)
class PackedBody:
    """The text and the document of a page, encoded."""

    text: bytes
    document: bytes

    @property
    def characters(self) -> int:
        """What it costs to go through, counted in characters of text."""
        return max(len(self.text), len(self.document) // DOCUMENT_BYTES_PER_CHARACTER)

    def opened(self) -> Body:
        """Decodes both."""
        return Body(text=self.text.decode(), document=wire.decode(Document, self.document))


@dataclass(frozen=True, slots=True)
class PackedVersion:
    """A version's manifest and body, encoded."""

    manifest: bytes
    body: PackedBody

    @property
    def characters(self) -> int:
        """What it costs to go through; see `PackedBody`."""
        return max(len(self.manifest) // DOCUMENT_BYTES_PER_CHARACTER, self.body.characters)

    def compared(self, mask: TemplateMask = NO_MASK) -> ComparedVersion:
        """Decodes it as strategies compare it, whatever is volatile in it.

        Args:
            mask: of the host; what happens in its blocks is no change of the page.
        """
        body = self.body.opened()
        return ComparedVersion(
            text=body.text,
            document=body.document,
            chunks=stored_chunks(wire.decode(Manifest, self.manifest), body),
            repeated=mask.repeated(body.text, body.document.blocks),
        )


def manifest_head(manifest: bytes) -> Manifest:
    """Returns a manifest without what a long page has many of."""
    return wire.decode(Manifest, manifest, without=MANIFEST_PARTS)


async def load_body(archive: Archive, text: BodyRef, document: BodyRef) -> PackedBody:
    """Returns the text and blocks behind two references.

    Raises:
        BlobMissing: the archive lacks one of them.
        StoreUnavailable: the archive does not answer.
    """
    return PackedBody(await archive.get(text), await archive.get(document))


async def load_manifest(archive: Archive, ref: BodyRef) -> Manifest:
    """Returns a manifest; raises like `load_body`."""
    return await decode_in_turns(Manifest, await archive.get(ref), "chunks", "left_out")


async def load_head(archive: Archive, ref: BodyRef) -> Manifest:
    """Returns a manifest without its many parts; raises like `load_body`."""
    return manifest_head(await archive.get(ref))


async def load_version(archive: Archive, ref: BodyRef) -> PackedVersion:
    """Returns a version by its manifest; raises like `load_body`."""
    return await opened_version(archive, await archive.get(ref))


async def opened_version(archive: Archive, manifest: bytes) -> PackedVersion:
    """Returns the version of an encoded manifest; raises like `load_body`."""
    head = manifest_head(manifest)
    return PackedVersion(manifest, await load_body(archive, head.text, head.document))
