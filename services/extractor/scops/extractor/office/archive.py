"""Zip archives of office formats, opened within bounds that no bomb can break."""

import zipfile
from io import BytesIO

from lxml import etree

ENTRIES_MAX = 10_000
UNPACKED_BYTES_MAX = 256 * 1024 * 1024
# Text packs twenty times; what packs thousands of times was made to fill memory.
RATIO_MAX = 500
RATIO_BYTES_MIN = 1024 * 1024


class UnsafeArchive(ValueError):
    """The archive is broken, encrypted, or unpacks to more than any document holds."""


def open_archive(body: bytes) -> zipfile.ZipFile:
    """Opens an archive whose table of contents keeps the bounds.

    Sizes in that table may lie; zipfile stops reading an entry at the size it states.

    Raises:
        UnsafeArchive: it does not.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(body))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnsafeArchive("The archive cannot be opened; it is damaged.") from error
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > ENTRIES_MAX or unpacked > UNPACKED_BYTES_MAX:
        raise UnsafeArchive(f"The archive unpacks to {unpacked} bytes; no document is as large.")
    if unpacked > RATIO_BYTES_MIN and unpacked > RATIO_MAX * len(body):
        raise UnsafeArchive(f"The archive unpacks to {unpacked // len(body)} times its size.")
    if any(entry.flag_bits & 1 for entry in entries):
        raise UnsafeArchive("The archive is encrypted.")
    return archive


def declares_entities(part: bytes) -> bool:
    """Whether an XML part declares entities, which no office program writes."""
    return b"<!ENTITY" in part or b"<\x00!\x00E\x00N\x00T\x00I\x00T\x00Y" in part


def read_xml(part: bytes) -> etree._Element:
    """Parses an XML part.

    Raises:
        lxml.etree.XMLSyntaxError: it is not well-formed; no reader of the format shows such a part.
    """
    # Without `huge_tree` what nests deeper than 256 is an error.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    return etree.fromstring(part, parser)
