"""What a page shows, for whoever learns what its host repeats; a child process may read it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scops.change_detector.manifests.bodies import PackedBody
from scops.change_detector.templates.blocks import BlockKey, block_key
from scops.common.contract.messages.content import Block

# Of a block, enough for a person to know it by.
TEXT_CHARACTERS_MAX = 200
PAGE_BLOCKS_MAX = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBlocks:
    """The blocks of a page, each once.

    Attributes:
        texts: by the text of their keys, as they begin.
    """

    keys: tuple[BlockKey, ...] = ()
    texts: Mapping[int, str] = field(default_factory=dict)


def shown_blocks(body: PackedBody) -> ShownBlocks:
    """Returns what a page shows; a long one is read at both ends."""
    page = body.opened()
    keys: dict[int, BlockKey] = {}
    texts: dict[int, str] = {}
    for block in _counted(page.document.blocks):
        key = block_key(page.text, block)
        keys[key.text] = key
        texts[key.text] = page.text[block.start : block.end][:TEXT_CHARACTERS_MAX]
    return ShownBlocks(keys=tuple(keys.values()), texts=texts)


def _counted(blocks: Sequence[Block]) -> Iterable[Block]:
    """The ends of a page are where frames stand."""
    if len(blocks) <= PAGE_BLOCKS_MAX:
        return blocks
    return (*blocks[: PAGE_BLOCKS_MAX // 2], *blocks[-PAGE_BLOCKS_MAX // 2 :])
