"""The content of a version: what the gateway gives and takes, and its text and structure."""

import gzip
from typing import NamedTuple

from scops.content.v1.content_pb2 import PortableVersion


class UnpackedVersion(NamedTuple):
    """A clean text, its serialised `content.Document`, and what extracted both."""

    text: str
    document: bytes
    pipeline_version: str


def unpack(content: bytes) -> UnpackedVersion:
    """Returns what a version's content holds."""
    message = PortableVersion.FromString(gzip.decompress(content))
    document = message.document.SerializeToString(deterministic=True)
    return UnpackedVersion(message.text, document, message.pipeline_version)


def pack(unpacked: UnpackedVersion) -> bytes:
    """Returns content as the gateway takes it."""
    message = PortableVersion(text=unpacked.text, pipeline_version=unpacked.pipeline_version)
    message.document.ParseFromString(unpacked.document)
    return gzip.compress(message.SerializeToString(deterministic=True), mtime=0)
