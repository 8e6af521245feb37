"""Learns which blocks a host repeats, from the blocks of a sample of its pages.

Pure. A block becomes a template where a good share of the pages show it, or where it took the
place of a template, but for its numbers the same, on several pages. It stops being one, and is
retired, once few pages show it; the two shares differ so that no block comes and goes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scops.change_detector.templates.blocks import BlockKey
from scops.common.contract.ids import PageId

# Pages that show a block before it can be a template: fewer are chance.
PAGES_MIN = 10
# Share of a host's pages that show a template: a smaller one takes headings of reference pages, and
# below the second it no longer is one.
SHARE_MIN, SHARE_KEPT_MIN = 0.5, 0.3
# Pages on which a block replaced a template of the same shape to be one too.
SUCCESSOR_PAGES_MIN = 5
# Templates of a host, retired ones included; the commonest are kept.
BLOCKS_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlocks:
    """The blocks of a page, each once, and which of them took the place of a template."""

    keys: tuple[BlockKey, ...]
    successors: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTemplate:
    """A block that a host repeats, or repeated.

    Attributes:
        key: the text's hash; see `BlockKey`.
        pages: pages of the sample that show it.
        keeper: the page that goes on showing it.
    """

    key: int
    shape: int
    pages: int
    keeper: PageId
    retired: bool = False


def seen_again(
    before: PageBlocks | None, keys: Sequence[BlockKey], templates: Mapping[int, BlockTemplate]
) -> PageBlocks:
    """Returns the blocks of a page, given those it showed before and the templates of its host."""
    if before is None:
        return PageBlocks(keys=tuple(keys))
    now = {key.text for key in keys}
    gone = {k.shape for k in before.keys if k.text not in now and k.text in templates}
    was = {key.text for key in before.keys}
    come = {k.text for k in keys if k.text not in was and k.shape in gone}
    return PageBlocks(keys=tuple(keys), successors=frozenset(come | (before.successors & now)))


def learned(
    pages: Mapping[PageId, PageBlocks], known: Mapping[int, BlockTemplate]
) -> dict[int, BlockTemplate]:
    """Returns the templates of a host by their keys.

    Args:
        pages: a sample; pages without blocks do not count.
        known: the templates so far.
    """
    shown = {page: blocks for page, blocks in pages.items() if blocks.keys}
    if len(shown) < PAGES_MIN:
        return dict(known)
    counts: Counter[int] = Counter()
    succeeded: Counter[int] = Counter()
    for blocks in shown.values():
        counts.update({key.text for key in blocks.keys})
        succeeded.update(blocks.successors)
    chosen = {key for key, count in counts.items() if _stands(key, count, succeeded, shown, known)}
    found = _described(chosen, counts, shown, known)
    for key, template in known.items():
        if key not in found:
            found[key] = replace(template, retired=True, pages=counts[key])
    commonest = sorted(found.values(), key=lambda t: (t.retired, -t.pages, t.key))
    return {template.key: template for template in commonest[:BLOCKS_MAX]}


def masks_alike(one: Mapping[int, BlockTemplate], other: Mapping[int, BlockTemplate]) -> bool:
    """Returns whether two sets of templates leave out the same blocks of the same pages."""
    return {k: (t.keeper, t.retired) for k, t in one.items()} == {
        k: (t.keeper, t.retired) for k, t in other.items()
    }


def _stands(
    key: int,
    count: int,
    succeeded: Counter[int],
    shown: Mapping[PageId, PageBlocks],
    known: Mapping[int, BlockTemplate],
) -> bool:
    if succeeded[key] >= SUCCESSOR_PAGES_MIN:
        return True
    is_known = key in known and not known[key].retired
    share = SHARE_KEPT_MIN if is_known else SHARE_MIN
    return count >= max(PAGES_MIN, share * len(shown))


def _described(
    chosen: set[int],
    counts: Counter[int],
    shown: Mapping[PageId, PageBlocks],
    known: Mapping[int, BlockTemplate],
) -> dict[int, BlockTemplate]:
    """Keepers stay as long as they show the block; else the page known for longest takes over."""
    found: dict[int, BlockTemplate] = {}
    for page in sorted(shown):
        for key in shown[page].keys:
            if key.text in chosen and key.text not in found:
                found[key.text] = BlockTemplate(
                    key=key.text, shape=key.shape, pages=counts[key.text], keeper=page
                )
    for text, template in found.items():
        keeper = known[text].keeper if text in known else template.keeper
        if keeper in shown and text in {key.text for key in shown[keeper].keys}:
            found[text] = replace(template, keeper=keeper)
    return found
