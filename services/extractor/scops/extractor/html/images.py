"""What images show, in the words of the page: alternative texts that say something.

An image that only decorates, leads to another page, is named after its file, or repeats what stands
on the page anyway has nothing to add.

Source: HTML Living Standard, section 4.8.4.4 (requirements for providing text for images).
"""

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from scops.common.contract.messages.content import BlockKind
from scops.extractor.text.clean_text import RawBlock, flow_text

# Fewer words name a thing, a person or a maker, without saying anything of it.
WORDS_MIN = 4
CHARACTERS_MAX = 1_000
_FILE = re.compile(r"\S\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?)\b", re.IGNORECASE)
# Scripts that set no spaces, two characters a word.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{2}")


def image_text(image: HtmlElement) -> str:
    """Returns the alternative text of an image; nothing where it says nothing."""
    text = flow_text(image.get("alt") or "")[:CHARACTERS_MAX].rstrip()
    words = max(len(text.split()), len(_UNSPACED.findall(text)))
    return "" if words < WORDS_MIN or _FILE.search(text) else text


def shows_image(href: str) -> bool:
    """Whether a link only shows an image larger."""
    return _FILE.search(href) is not None


def keep_images(blocks: Sequence[RawBlock], chosen: list[bool]) -> None:
    """Keeps the images that stand between kept blocks, and say what no other block says.

    Args:
        chosen: whether each block is kept; the images are decided here, in place.
    """
    said = "\n".join(block.text.casefold() for block in blocks if block.kind is not BlockKind.IMAGE)
    seen: set[str] = set()
    kept_before = False
    kept_after = _kept_after(blocks, chosen)
    for index, block in enumerate(blocks):
        if block.kind is not BlockKind.IMAGE:
            kept_before = chosen[index]
            continue
        text = block.text.casefold()
        between = kept_before and kept_after[index] and not block.boilerplate
        chosen[index] = between and text not in seen and text.rstrip(".") not in said
        seen.add(text)


def _kept_after(blocks: Sequence[RawBlock], chosen: Sequence[bool]) -> list[bool]:
    """Returns for each place whether the next block that is no image is kept."""
    after = [False] * len(blocks)
    kept = False
    for index in range(len(blocks) - 1, -1, -1):
        after[index] = kept
        if blocks[index].kind is not BlockKind.IMAGE:
            kept = chosen[index]
    return after
