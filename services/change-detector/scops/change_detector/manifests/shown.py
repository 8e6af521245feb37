"""What a page shows, for whoever learns what its host repeats; a child process may read it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scops.change_detector.manifests.bodies import PackedBody
from scops.change_detector.templates.blocks import BlockKey, block_key
from scops.change_detector.volatile.steps import page_step, text_keys
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidBlocks:
    """What the blocks of the newest versions of a page say.

    Attributes:
        texts: as they begin, by what memories know them by.
        standing: what of it the newest version shows.
    """

    texts: Mapping[int, str] = field(default_factory=dict)
    standing: frozenset[int] = frozenset()


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


def said_by_keys(bodies: Sequence[PackedBody]) -> SaidBlocks:
    """Returns how the blocks of some versions of a page begin.

    Args:
        bodies: the newest first; what several show alike is told of the first.
    """
    pages = [packed.opened() for packed in bodies]
    texts: dict[int, str] = {}
    for new, old in pairwise(pages):
        step = page_step(old, new)
        for page, blocks in ((new, step.came), (old, step.went)):
            for block in blocks:
                for key in block.keys:
                    texts.setdefault(key, page.text[slice(*block.span)][:TEXT_CHARACTERS_MAX])
    for page in pages:
        for key, (start, end) in text_keys(page):
            texts.setdefault(key, page.text[start:end][:TEXT_CHARACTERS_MAX])
    standing = frozenset(key for page in pages[:1] for key, _ in text_keys(page))
    return SaidBlocks(texts=texts, standing=standing)


def _counted(blocks: Sequence[Block]) -> Iterable[Block]:
    """The ends of a page are where frames stand."""
    if len(blocks) <= PAGE_BLOCKS_MAX:
        return blocks
    return (*blocks[: PAGE_BLOCKS_MAX // 2], *blocks[-PAGE_BLOCKS_MAX // 2 :])
