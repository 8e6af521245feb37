"""Versions that another installation extracted: taken as they are, once they fit together.

What comes is foreign like any page: it is unpacked within bounds, its text must be clean text and
its blocks must lie in it, and whether a block gives orders to a model is judged here.
"""

import zlib
from dataclasses import replace

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.content import (
    Block,
    Document,
    LinkList,
    PageKind,
    PortableVersion,
    TrustTier,
)
from scops.common.text.instructions import gives_orders
from scops.extractor.extraction import TEXT_CHARACTERS_MAX, Extraction
from scops.extractor.text.clean_text import seen_text
from scops.extractor.text.injection import INSTRUCTION_LIKE

# Of a version unpacked: the longest text, and a document of as many blocks as a page may have.
UNPACKED_BYTES_MAX = 64 * 1024 * 1024
BLOCKS_MAX = 100_000
PIPELINE_CHARACTERS_MAX = 500
_GZIP = zlib.MAX_WBITS | 16


def read_imported(body: bytes) -> Extraction:
    """Returns the text and document of a version as they were exported.

    Raises:
        InvalidInput: the body is no exported version, or its parts do not fit together.
    """
    content = wire.decode(PortableVersion, _unpacked(body))
    if not content.text or not content.pipeline_version:
        raise _unusable("has no text, or does not say what extracted it")
    if len(content.pipeline_version) > PIPELINE_CHARACTERS_MAX:
        raise _unusable(f"names its extraction in more than {PIPELINE_CHARACTERS_MAX} characters")
    if len(content.text) > TEXT_CHARACTERS_MAX or len(content.document.blocks) > BLOCKS_MAX:
        raise _unusable(f"has more than {TEXT_CHARACTERS_MAX} characters or {BLOCKS_MAX} blocks")
    if content.text != seen_text(content.text):
        raise _unusable("has characters that no clean text has")
    return Extraction(
        kind=PageKind.ARTICLE,
        text=content.text,
        document=_judged(content.document, content.text),
        links=LinkList(),
        pipeline_version=content.pipeline_version,
    )


def _unpacked(body: bytes) -> bytes:
    unpacking = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacking.decompress(body, UNPACKED_BYTES_MAX)
    except zlib.error as error:
        raise _unusable("is not packed by gzip") from error
    if not unpacking.eof:
        raise _unusable(f"is cut off, or has more than {UNPACKED_BYTES_MAX} bytes")
    return unpacked


def _judged(document: Document, text: str) -> Document:
    end = 0
    blocks: list[Block] = []
    for block in document.blocks:
        if not end <= block.start <= block.end <= len(text):
            raise _unusable("has blocks that do not follow each other in its text")
        end = block.end
        orders = gives_orders(text[block.start : block.end])
        trust = TrustTier.INSTRUCTION_LIKE if orders else TrustTier.UNSPECIFIED
        blocks.append(replace(block, trust=trust))
    flags = [flag for flag in document.flags if flag != INSTRUCTION_LIKE]
    if any(block.trust is TrustTier.INSTRUCTION_LIKE for block in blocks):
        flags.append(INSTRUCTION_LIKE)
    return replace(document, blocks=tuple(blocks), flags=tuple(flags))


def _unusable(why: str) -> InvalidInput:
    return InvalidInput(
        f"An imported version {why}. Export it again, and change nothing of it.",
        reason="IMPORT_UNUSABLE",
    )
