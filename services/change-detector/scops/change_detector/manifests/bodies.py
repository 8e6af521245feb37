"""Reads and writes the blobs that versions are made of."""

from scops.change_detector.chunking.chunker import Body
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


async def store_manifest(archive: Archive, manifest: Manifest) -> BodyRef:
    """Puts a manifest into the archive and returns its reference once it is durable."""
    return await archive.put(wire.encode(manifest), media_type=MANIFEST_MEDIA_TYPE)
