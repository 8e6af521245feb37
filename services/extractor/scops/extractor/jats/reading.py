"""Reads JATS: articles of journals in XML, as markup without navigation, with what they state.

Source: ANSI/NISO Z39.96-2021 (JATS 1.3), of which older versions and the tag sets of NLM before it
are read, too. Nothing is loaded that a document names, and one that declares entities is not read.
"""

from lxml import etree

from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.html.markup_reading import DEPTH_EXCEEDED, TRUNCATED, read_markup
from scops.extractor.jats.markup import article_html
from scops.extractor.jats.metadata import with_metadata
from scops.extractor.library_faults import LIBRARY_FAULTS
from scops.extractor.office.archive import declares_entities
from scops.extractor.reading import ParsedBody

JATS = "jats"
UNREADABLE, UNSAFE = "unreadable", "unsafe_entities"
_PUBLIC = "//NLM//DTD"
# What nobody writes by chance on an element of that name.
_SIGNS = ("dtd-version", "article-type")


def read_jats(body: bytes, fetched: PageFetched) -> ParsedBody:
    """Reads an article; XML of another kind is unsupported."""
    # In encodings that hide it from this look, libxml2's own bounds are what holds.
    if declares_entities(body):
        return ParsedBody(kind=PageKind.UNSUPPORTED, flags=(UNSAFE,))
    # Without `huge_tree` libxml2 bounds depth and entities; what it has read until then is kept.
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(body, parser)
        if root is None:
            return ParsedBody(kind=PageKind.UNSUPPORTED, flags=(UNREADABLE,))
        if not _is_article(root):
            return ParsedBody(kind=PageKind.UNSUPPORTED)
        reading = read_markup(article_html(root), fetched, extractor=JATS)
        return with_metadata(reading, root, fetched, flags=_flags(parser))
    except LIBRARY_FAULTS:
        return ParsedBody(kind=PageKind.UNSUPPORTED, flags=(UNREADABLE,))


def _is_article(root: etree._Element) -> bool:
    name = etree.QName(root)
    if name.localname != "article":
        return False
    public = root.getroottree().docinfo.public_id or ""
    is_named = any(root.get(sign) for sign in _SIGNS) or "jats" in (name.namespace or "")
    return _PUBLIC in public or is_named


def _flags(parser: etree.XMLParser) -> tuple[str, ...]:
    """Returns what was lost of a document that is not well-formed, or nests too deep."""
    fatal = [one for one in parser.error_log if one.level_name == "FATAL"]
    if any("depth" in one.message.lower() for one in fatal):
        return (DEPTH_EXCEEDED, TRUNCATED)
    return (TRUNCATED,) if fatal else ()
