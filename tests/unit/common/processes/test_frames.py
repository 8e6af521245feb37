"""Frames: what is sent arrives, and nonsense is refused."""

import io

import pytest

from scops.common.processes.frames import (
    PARTS_MAX,
    BrokenFrame,
    pack_frame,
    read_frames,
    receive_frame,
)


async def _received(data: bytes) -> tuple[bytes, ...]:
    stream = io.BytesIO(data)

    async def read_exactly(size: int) -> bytes:
        return stream.read(size)

    return await receive_frame(read_exactly)


@pytest.mark.parametrize("parts", [(), (b"",), (b"a", b"", b"\x00" * 70_000)])
async def test_frame_arrives_as_it_was_sent(parts: tuple[bytes, ...]) -> None:
    """Both readers give the parts back."""
    data = pack_frame(parts)

    assert await _received(data) == parts
    assert list(read_frames(io.BytesIO(data + data))) == [parts, parts]


@pytest.mark.parametrize("data", [b"", b"\x00", (PARTS_MAX + 1).to_bytes(4, "big")])
async def test_broken_frame_is_refused(data: bytes) -> None:
    """A process that went mad cannot ask for memory without bound."""
    with pytest.raises(BrokenFrame):
        await _received(data)


async def test_part_beyond_its_limit_is_refused() -> None:
    """The length of a part is bounded before it is read."""
    with pytest.raises(BrokenFrame):
        await _received(b"\x00\x00\x00\x01\xff\xff\xff\xff")
