"""Extraction: a pure function from a body to its text, structure, dates and links."""

from dataclasses import dataclass

from scops.common import wire
from scops.common.messages.content import Document, LinkList, PageKind
from scops.extractor.charset import DecodedBody, decode_body
from scops.extractor.clean_text import CleanText, RawBlock, assemble
from scops.extractor.html_blocks import html_blocks
from scops.extractor.html_tree import HtmlTree, parse_html
from scops.extractor.links import page_links
from scops.extractor.main_text import main_text
from scops.extractor.media_types import Format, body_format
from scops.extractor.metadata import page_language, page_title, robots_wishes, text_language
from scops.extractor.page_kind import page_kind, page_signs
from scops.extractor.plain_text import markdown_blocks, plain_blocks
from scops.extractor.ports import BodyFacts, PackedExtraction
from scops.extractor.regions import remove_unseen
from scops.extractor.stated_dates import stated_times
from scops.extractor.structured_data import json_ld_objects

TEXT_CHARACTERS_MAX = 2_000_000

TRUNCATED = "truncated"
DEPTH_EXCEEDED = "depth_exceeded"
FALLBACK = "fallback"
REPLACEMENT_CHARACTERS = "replacement_characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a body holds; `text[block.start:block.end]` is each block of the document."""

    kind: PageKind
    text: str
    document: Document
    links: LinkList


def extract(
    body: bytes, facts: BodyFacts, *, text_characters_max: int = TEXT_CHARACTERS_MAX
) -> Extraction:
    """Extracts a body.

    The text of a page that asks not to be indexed is empty; pages of the other kinds keep what
    text they have.
    """
    how = body_format(body, facts.media_type)
    if how is Format.UNSUPPORTED:
        return _empty(PageKind.UNSUPPORTED)
    decoded = decode_body(body, media_type=facts.media_type, charset=facts.charset)
    if how is Format.HTML:
        return _extract_html(decoded, facts, text_characters_max)
    return _extract_plain(decoded, facts, text_characters_max, markdown=how is Format.MARKDOWN)


def pack(extraction: Extraction) -> PackedExtraction:
    """Returns an extraction as it is stored."""
    document = extraction.document
    return PackedExtraction(
        kind=extraction.kind,
        text=extraction.text.encode(),
        document=wire.encode(document),
        links=wire.encode(extraction.links),
        title=document.title,
        language=document.language,
        stated=document.stated,
        flags=document.flags,
    )


def _extract_html(decoded: DecodedBody, facts: BodyFacts, characters_max: int) -> Extraction:
    tree = parse_html(decoded.text)
    if tree is None:
        return _empty(PageKind.EMPTY)
    root = tree.root
    # Everything that needs the whole page comes before the unseen is taken out.
    wishes = robots_wishes(root, robots_tag=facts.robots_tag)
    links = () if wishes.nofollow else page_links(root, url=facts.url)
    signs, title = page_signs(root), page_title(root)
    stated = stated_times(
        tree,
        json_ld_objects(root),
        url=facts.url,
        observed_time=facts.observed_time,
        last_modified_time=facts.last_modified_time,
    )
    language = page_language(root, content_language=facts.content_language)
    main = _main_text(tree, facts)
    clean = assemble(() if wishes.noindex else main[0], characters_max=characters_max)
    return Extraction(
        kind=page_kind(signs, clean.text, noindex=wishes.noindex),
        text=clean.text,
        document=Document(
            title=title,
            language=language or text_language(clean.text),
            blocks=clean.blocks,
            stated=stated,
            flags=_flags(decoded, clean, tree, fallback=main[1]),
        ),
        links=LinkList(links=links, nofollow=wishes.nofollow),
    )


def _main_text(tree: HtmlTree, facts: BodyFacts) -> tuple[tuple[RawBlock, ...], bool]:
    remove_unseen(tree.root)
    main = main_text(tree, html_blocks(tree.root), url=facts.url)
    return main.blocks, main.fallback


def _extract_plain(
    decoded: DecodedBody, facts: BodyFacts, characters_max: int, *, markdown: bool
) -> Extraction:
    wishes = robots_wishes(None, robots_tag=facts.robots_tag)
    blocks = markdown_blocks(decoded.text) if markdown else plain_blocks(decoded.text)
    clean = assemble(() if wishes.noindex else blocks, characters_max=characters_max)
    kind = PageKind.ARTICLE if clean.text else PageKind.EMPTY
    heading = next((block.text for block in blocks if block.level), "")
    return Extraction(
        kind=PageKind.NOINDEX if wishes.noindex else kind,
        text=clean.text,
        document=Document(
            title=heading,
            language=text_language(clean.text),
            blocks=clean.blocks,
            flags=_flags(decoded, clean, None, fallback=False),
        ),
        links=LinkList(nofollow=wishes.nofollow),
    )


def _flags(
    decoded: DecodedBody, clean: CleanText, tree: HtmlTree | None, *, fallback: bool
) -> tuple[str, ...]:
    raised = {
        TRUNCATED: clean.truncated or (tree is not None and tree.truncated),
        DEPTH_EXCEEDED: tree is not None and tree.depth_exceeded,
        FALLBACK: fallback,
        REPLACEMENT_CHARACTERS: decoded.damaged,
    }
    return tuple(name for name, is_raised in raised.items() if is_raised)


def _empty(kind: PageKind) -> Extraction:
    return Extraction(kind=kind, text="", document=Document(), links=LinkList())
