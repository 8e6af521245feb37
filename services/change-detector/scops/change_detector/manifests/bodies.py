"""Reads and writes the blobs that versions are made of."""

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.manifests.manifest import stored_chunks
from scops.change_detector.strategies.port import ComparedVersion
from scops.change_detector.templates.blocks import NO_MASK, TemplateMask
from scops.common.archive.ports import Archive
from scops.common.contract import wire
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.types import BodyRef

MANIFEST_MEDIA_TYPE = "application/x-protobuf"


async def load_body(archive: Archive, text: BodyRef, document: BodyRef) -> Body:
    """Returns the text and blocks behind two references.

    Raises:
        BlobMissing: the archive lacks one of them.
        StoreUnavailable: the archive does not answer.
    """
    data = await archive.get(text)
    return Body(text=data.decode(), document=wire.decode(Document, await archive.get(document)))


async def load_manifest(archive: Archive, ref: BodyRef) -> Manifest:
    """Returns a manifest; raises like `load_body`."""
    return wire.decode(Manifest, await archive.get(ref))


async def load_version_body(archive: Archive, manifest: BodyRef) -> Body:
    """Returns the text and blocks of a version by its manifest; raises like `load_body`."""
    read = await load_manifest(archive, manifest)
    return await load_body(archive, read.text, read.document)


async def load_compared(
    archive: Archive, manifest: BodyRef, mask: TemplateMask = NO_MASK
) -> ComparedVersion:
    """Returns a version as strategies compare it; raises like `load_body`.

    Args:
        mask: of the host; what happens in its blocks is no change of the page.
    """
    read = await load_manifest(archive, manifest)
    body = await load_body(archive, read.text, read.document)
    return ComparedVersion(
        text=body.text,
        document=body.document,
        chunks=stored_chunks(read, body),
        repeated=mask.repeated(body.text, body.document.blocks),
    )


async def store_manifest(archive: Archive, manifest: Manifest) -> BodyRef:
    """Puts a manifest into the archive and returns its reference once it is durable."""
    return await archive.put(wire.encode(manifest), media_type=MANIFEST_MEDIA_TYPE)
