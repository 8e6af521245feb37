"""What is kept of a version, read from the archive and packed to be given out."""

import asyncio
import gzip
from collections.abc import Mapping
from dataclasses import dataclass

from scops.common.contract import wire
from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.change import HistoryEntry, Manifest, ManifestChunk
from scops.common.contract.messages.retrieval import VectorsRequest
from scops.common.contract.messages.types import BodyRef
from scops.common.query.ports import VECTORS
from scops.content.v1.content_pb2 import PortableVersion
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.transfers.importing import MEDIA_TYPE
from scops.gateway.handlers.transfers.values import GivenChunk, GivenVersion
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import CAPTURE_BYTES_MAX, CONTENT_BYTES_MAX

# In one answer of the bus, of 512 KiB: as many as 64 of 1,024 dimensions.
VECTORS_AT_ONCE = 64
# Of one version; the chunks of a longer one have none.
VECTOR_BYTES_MAX = 1024 * 1024
TOO_LARGE, MISSING = "too_large", "missing"


@dataclass(frozen=True, slots=True)
class Contents:
    """Reads what is kept of versions for one call."""

    ports: GatewayPorts
    call: Call
    with_vectors: bool
    with_bodies: bool = False

    async def of(self, entry: HistoryEntry, *, stands: bool) -> GivenVersion:
        """Returns a version with its content and chunks, or with why they are left out."""
        if entry.dropped_reason:
            return _bare(entry, entry.dropped_reason)
        try:
            manifest = await self._manifest(entry.manifest)
            if self.with_bodies and (body := await self._body(manifest)):
                kept, ref = body
                return _bare(entry, body=kept, media_type=ref.media_type, charset=ref.charset)
            content = await self._content(manifest)
        except BlobMissing:
            return _bare(entry, MISSING)
        if len(content) > CONTENT_BYTES_MAX:
            return _bare(entry, TOO_LARGE)
        wanted = stands and not self.with_bodies
        vectors = await self._vectors(manifest) if wanted and self.with_vectors else {}
        listed = manifest.chunks if wanted else ()
        chunks = tuple(_chunk(one, vectors.get(one.chunk_id, b"")) for one in listed)
        return _bare(
            entry,
            language=manifest.language,
            content=content,
            embedder=manifest.embedder_id,
            chunks=chunks,
        )

    async def _manifest(self, ref: BodyRef) -> Manifest:
        data = await self.ports.archive.get(ref)
        return await asyncio.to_thread(wire.decode, Manifest, data)

    async def _body(self, manifest: Manifest) -> tuple[bytes, BodyRef] | None:
        """Returns the body of a version; None where it is not kept, or is too large to go out."""
        ref = manifest.body
        # What another installation read comes as its text, packed in a way of ours.
        if ref is None or ref.media_type == MEDIA_TYPE or ref.size > CAPTURE_BYTES_MAX:
            return None
        try:
            return await self.ports.archive.get(ref), ref
        except BlobMissing:
            return None

    async def _content(self, manifest: Manifest) -> bytes:
        text = await self.ports.archive.get(manifest.text)
        document = await self.ports.archive.get(manifest.document)
        return await asyncio.to_thread(packed, text, document, manifest.pipeline_version)

    async def _vectors(self, manifest: Manifest) -> Mapping[ChunkId, bytes]:
        names = [chunk.chunk_id for chunk in manifest.chunks]
        found: dict[ChunkId, bytes] = {}
        for start in range(0, len(names), VECTORS_AT_ONCE):
            if sum(map(len, found.values())) > VECTOR_BYTES_MAX:
                break
            request = VectorsRequest(chunk_ids=tuple(names[start : start + VECTORS_AT_ONCE]))
            answer = await ask(self.ports, VECTORS, request, call=self.call)
            found.update((one.chunk_id, one.vector) for one in answer.vectors)
        return found


def packed(text: bytes, document: bytes, pipeline_version: str) -> bytes:
    """Returns a text and its document as they go out; the same at each call."""
    content = PortableVersion(text=text.decode(), pipeline_version=pipeline_version)
    content.document.ParseFromString(document)
    return gzip.compress(content.SerializeToString(deterministic=True), mtime=0)


def _bare(entry: HistoryEntry, left_out_reason: str = "", **kept: object) -> GivenVersion:
    summary = entry.summary
    values: dict[str, object] = {
        "version": entry.version_id,
        "observed_from_time": entry.order_key.observed_from,
        "revision": entry.order_key.revision,
        "observed_to_time": entry.observed_to,
        "last_verified_time": entry.last_verified_time,
        "text_digest": entry.text_digest,
        "title": entry.title,
        "change_class": summary.change_class.value if summary is not None else "",
        "change_reasons": summary.reasons if summary is not None else (),
        "semantic": summary is not None and summary.semantic,
        "restored_version": entry.restored_version_id,
        "left_out_reason": left_out_reason,
    }
    return GivenVersion(**values, **kept)  # type: ignore[arg-type]


def _chunk(chunk: ManifestChunk, vector: bytes) -> GivenChunk:
    return GivenChunk(
        chunk=chunk.chunk_id,
        start=chunk.start,
        end=chunk.end,
        section_path=chunk.section_path,
        header=chunk.header,
        lineage=chunk.lineage_id,
        embedding_key=chunk.embedding_key,
        vector=vector,
    )
