"""Identifiers: minted once (fetches, jobs) or derived from what they name."""

import hashlib
import os
import time
import uuid
from datetime import UTC, datetime
from typing import NewType

PageId = NewType("PageId", str)
FetchId = NewType("FetchId", str)
JobId = NewType("JobId", str)
PurgeId = NewType("PurgeId", str)
ScopeId = NewType("ScopeId", str)
VersionId = NewType("VersionId", str)
ChunkId = NewType("ChunkId", str)
ObjectId = NewType("ObjectId", str)
LineageId = NewType("LineageId", str)
EmbeddingKey = NewType("EmbeddingKey", str)
WordingId = NewType("WordingId", str)
Digest = NewType("Digest", str)
EventId = NewType("EventId", str)

NAMESPACE = uuid.UUID("5c0b5000-0000-5000-8000-5c0b50000001")
PARTITION_BITS = 6


def uuid7(at: datetime, entropy: bytes | None = None) -> str:
    """Returns a UUIDv7 (RFC 9562, section 5.7) for an instant.

    Args:
        at: aware; its milliseconds become the leading 48 bits.
        entropy: 10 random bytes; taken from the operating system when omitted.
    """
    noise = int.from_bytes(entropy if entropy is not None else os.urandom(10), "big")
    milliseconds = int(at.timestamp() * 1000) & ((1 << 48) - 1)
    value = milliseconds << 80 | 0x7 << 76 | (noise >> 62 & 0xFFF) << 64 | 0b10 << 62
    return str(uuid.UUID(int=value | noise & ((1 << 62) - 1)))


def uuid7_time(identifier: str) -> datetime:
    """Returns the instant of a UUIDv7, to the millisecond.

    Raises:
        ValueError: it is no UUIDv7.
    """
    found = uuid.UUID(identifier)
    if found.version != 7:
        raise ValueError(f"{identifier} is a UUID without a time.")
    return datetime.fromtimestamp((found.int >> 80) / 1000, UTC)


def derived_id(*parts: str) -> str:
    """Returns a UUIDv5 over the parts; the same parts always give the same id."""
    return str(uuid.uuid5(NAMESPACE, "\x1f".join(parts)))


def event_id(producer: str, cause: str, ordinal: int) -> EventId:
    """Returns the `ce-id` of an output: the same cause redelivered repeats the id.

    Args:
        producer: the role that publishes.
        cause: id of the message or lease that caused the output.
        ordinal: place of the output among the outputs of that cause, from 0.
    """
    return EventId(derived_id("event", producer, cause, str(ordinal)))


def page_id(organisation_id: str, access_context: str, url: str) -> PageId:
    """Returns the id of the page that is first met at a URL, whoever meets it and how often.

    A fetcher that lost its rows gives the page the id again under which others know it.
    """
    return PageId(derived_id("page", organisation_id, access_context, url))


def version_id(page_id: PageId, observed_from: datetime, revision: int) -> VersionId:
    """Returns the id of the version of a page whose stay began at `observed_from`."""
    return VersionId(derived_id("version", page_id, instant_text(observed_from), str(revision)))


def chunk_id(page_id: PageId, header: str, text: str, occurrence: int) -> ChunkId:
    """Returns the id of a chunk: equal header and text on one page differ by occurrence."""
    return ChunkId(content_hash(page_id, header, text, str(occurrence)))


def embedded_text(header: str, text: str) -> str:
    """Returns the string that is embedded for a chunk: its header and its text, nothing else."""
    return f"{header}\n{text}" if header else text


def embedding_key(embedder_id: str, embedded_text: str) -> EmbeddingKey:
    """Returns the key under which the vector of a text is cached."""
    return EmbeddingKey(content_hash(embedder_id, embedded_text))


def object_id(chunk: ChunkId, incarnation: int) -> ObjectId:
    """Returns the id of a stored chunk object; a chunk that comes back gets a new one."""
    return ObjectId(derived_id("object", chunk, str(incarnation)))


def content_hash(*parts: str) -> str:
    """Returns 32 hex digits of BLAKE2b over length-prefixed parts."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def sha256_hex(data: bytes) -> Digest:
    """Returns the lower-case hex sha256 of some bytes."""
    return Digest(hashlib.sha256(data).hexdigest())


def instant_text(at: datetime) -> str:
    """Returns an instant as RFC 3339 in UTC with microseconds, the form that ids hash."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def partition(key: str) -> str:
    """Returns the first 6 bits of hash(key) as two hex digits."""
    first = hashlib.blake2b(key.encode(), digest_size=1).digest()[0]
    return f"{first >> (8 - PARTITION_BITS):02x}"


def monotonic_seconds() -> float:
    """Returns seconds of the machine's monotonic clock, for durations only."""
    return time.monotonic()
