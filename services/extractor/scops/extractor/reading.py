"""What a reader of one format takes out of a body, before it becomes text with offsets."""

from dataclasses import dataclass

from scops.common.contract.messages.content import Alternate, Link, PageKind, StatedValue
from scops.common.contract.messages.types import StatedTime
from scops.extractor.kinds.page_kind import PageSigns
from scops.extractor.text.clean_text import RawBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedBody:
    """The parts of a body.

    Attributes:
        extractor: who chose the blocks.
        language: as declared, or nothing.
        kind: where the format decides it; else the signs and the text do.
        noindex: the page must not be indexed.
        page_count: of a document that has pages.
        node_count: elements of the markup.
        depth: to which they nest.
    """

    blocks: tuple[RawBlock, ...] = ()
    extractor: str = ""
    title: str = ""
    language: str = ""
    stated: tuple[StatedTime, ...] = ()
    values: tuple[StatedValue, ...] = ()
    alternates: tuple[Alternate, ...] = ()
    feeds: tuple[str, ...] = ()
    search_indexes: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    nofollow: bool = False
    noindex: bool = False
    kind: PageKind | None = None
    signs: PageSigns | None = None
    flags: tuple[str, ...] = ()
    page_count: int = 0
    node_count: int = 0
    depth: int = 0
