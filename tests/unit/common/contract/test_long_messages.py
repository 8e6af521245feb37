"""Messages of many parts are decoded in turns, to the same values."""

import pytest

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.long_messages import AT_ONCE_BYTES_MAX, decode_in_turns
from scops.common.contract.messages.content import Block, BlockKind, Document
from tests.fakes.stalls import measured_stalls

STALL_SECONDS_MAX = 0.2


def _document(blocks: int) -> Document:
    return Document(
        title="Owls",
        blocks=tuple(
            Block(kind=BlockKind.LIST_ITEM, start=9 * i, end=9 * i + 8, section_path=("a", "é"))
            for i in range(blocks)
        ),
        extractor="html",
    )


@pytest.mark.parametrize("blocks", [0, 1, 10, 20_000])
async def test_value_is_that_of_decoding_at_once(blocks: int) -> None:
    """Long or short."""
    document = _document(blocks)

    assert document == await decode_in_turns(Document, wire.encode(document), "blocks")


async def test_hundred_thousand_blocks_stall_nobody() -> None:
    """What takes most of a second is done in turns of milliseconds."""
    data = wire.encode(_document(100_000))
    async with measured_stalls() as stalls:
        found = await decode_in_turns(Document, data, "blocks")

    assert 100_000 == len(found.blocks)
    assert stalls.longest < STALL_SECONDS_MAX


@pytest.mark.parametrize("tail", [b"\x0a\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\xff" * 11, b"\x0b"])
async def test_broken_bytes_are_told(tail: bytes) -> None:
    """A field that is cut off, a number without end, a kind that is none."""
    data = wire.encode(_document(10_000))
    assert len(data) > AT_ONCE_BYTES_MAX
    with pytest.raises(InvalidInput, match="Document"):
        await decode_in_turns(Document, data + tail, "blocks")
