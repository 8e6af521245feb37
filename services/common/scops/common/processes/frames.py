"""Frames between a child process and its owner: a few byte strings, each with its length.

Answers come from a process that read what strangers wrote, so that nothing in a frame is ever
unpickled or evaluated.
"""

import io
import struct
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import BinaryIO

_LENGTH = struct.Struct(">I")
PARTS_MAX = 16
PART_BYTES_MAX = 256 * 1024 * 1024


class BrokenFrame(Exception):
    """The other side ended in the middle of a frame, or sent none."""


def pack_frame(parts: Sequence[bytes]) -> bytes:
    """Returns the bytes of a frame."""
    pieces = [_LENGTH.pack(len(parts))]
    for part in parts:
        pieces += (_LENGTH.pack(len(part)), part)
    return b"".join(pieces)


async def receive_frame(read_exactly: Callable[[int], Awaitable[bytes]]) -> tuple[bytes, ...]:
    """Returns the parts of the next frame.

    Raises:
        BrokenFrame: a length is out of bounds.
    """
    count = _bounded(await read_exactly(_LENGTH.size), PARTS_MAX)
    parts = []
    for _ in range(count):
        length = _bounded(await read_exactly(_LENGTH.size), PART_BYTES_MAX)
        parts.append(await read_exactly(length))
    return tuple(parts)


def read_frames(stream: BinaryIO) -> Iterator[tuple[bytes, ...]]:
    """Yields the parts of each frame until the stream ends."""
    while header := stream.read(_LENGTH.size):
        count = _bounded(header, PARTS_MAX)
        yield tuple(
            stream.read(_bounded(stream.read(_LENGTH.size), PART_BYTES_MAX)) for _ in range(count)
        )


def unpack_frame(data: bytes) -> tuple[bytes, ...]:
    """Returns the parts of a frame.

    Raises:
        BrokenFrame: it is not whole, or a length is out of bounds.
    """
    (parts,) = [*read_frames(io.BytesIO(data))][:1] or [()]
    if data != pack_frame(parts):
        raise BrokenFrame("the frame is not whole")
    return parts


def _bounded(header: bytes, limit: int) -> int:
    if len(header) != _LENGTH.size:
        raise BrokenFrame("the stream ended inside a frame")
    value = int(_LENGTH.unpack(header)[0])
    if value > limit:
        raise BrokenFrame(f"a length of {value} exceeds {limit}")
    return value
