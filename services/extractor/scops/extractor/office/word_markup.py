"""Word documents without the text that nobody sees: hidden, set in a point, white on white.

mammoth reads what a document says, not how it looks, so that it would show all of it.
Source: ECMA-376 part 1, sections 17.3.2.6 (color), 17.3.2.38 (sz), 17.3.2.41 (vanish).
"""

import zipfile
from io import BytesIO
from typing import cast

from lxml import etree

from scops.extractor.office.archive import read_xml

_NAMES = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
_WITH_RUNS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_STYLES = "word/styles.xml"
# Half points.
_SIZE_MIN = 4
_HIDES = (
    "w:rPr[w:vanish[not(@w:val = '0' or @w:val = 'false' or @w:val = 'off')]"
    f" or w:sz[@w:val < {_SIZE_MIN}]]"
)
_HIDING_STYLES = etree.XPath(f"//w:style[{_HIDES}]/@w:styleId", namespaces=_NAMES)
_HIDDEN = etree.XPath(f"//w:r[{_HIDES}]", namespaces=_NAMES)
# Cells and shaded paragraphs may be dark.
_WHITE = etree.XPath(
    "//w:r[w:rPr/w:color[translate(@w:val, 'f', 'F') = 'FFFFFF']"
    " and not(w:rPr/w:shd or w:rPr/w:highlight or ancestor::w:tc or ancestor::w:txbxContent"
    " or ancestor::w:p/w:pPr/w:shd or ancestor::w:p/w:pPr/w:pStyle)]",
    namespaces=_NAMES,
)
_STYLED = etree.XPath(
    "//w:r[w:rPr/w:rStyle/@w:val = $name or ancestor::w:p/w:pPr/w:pStyle/@w:val = $name]",
    namespaces=_NAMES,
)


def seen_document(archive: zipfile.ZipFile) -> BytesIO:
    """Returns a Word document with its markup alone, and of that what a reader sees."""
    styles = _hiding_styles(archive)
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as copy:
        for name in archive.namelist():
            if name in _WITH_RUNS:
                copy.writestr(name, _seen_part(archive.read(name), styles))
            elif name.endswith((".xml", ".rels")):
                copy.writestr(name, archive.read(name))
    kept.seek(0)
    return kept


def _hiding_styles(archive: zipfile.ZipFile) -> list[str]:
    if _STYLES not in archive.NameToInfo:
        return []
    return cast("list[str]", _HIDING_STYLES(read_xml(archive.read(_STYLES))))


def _seen_part(part: bytes, styles: list[str]) -> bytes:
    root = read_xml(part)
    unseen = [*cast("list[etree._Element]", _HIDDEN(root))]
    unseen += cast("list[etree._Element]", _WHITE(root))
    for name in styles:
        unseen += cast("list[etree._Element]", _STYLED(root, name=name))
    for run in unseen:
        parent = run.getparent()
        if parent is not None:
            parent.remove(run)
    return etree.tostring(root)
