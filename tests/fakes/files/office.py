"""DOCX, ODT and EPUB files with what a test puts into them, and archives made to fill memory.

Source: ECMA-376 part 1 (WordprocessingML), OpenDocument 1.3 part 3, EPUB 3.3.
"""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT_TYPE = "application/vnd.oasis.opendocument.text"
EPUB_TYPE = "application/epub+zip"

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_DUBLIN_CORE = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
)


def docx(
    body: str,
    *,
    properties: str = "",
    relationships: str = "",
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """Returns a Word document.

    Args:
        body: WordprocessingML between the tags of `w:body`.
        properties: elements of the core properties.
        relationships: elements that give link targets an id.
        parts: further ones, by path.
    """
    return archive(
        {
            "[Content_Types].xml": (
                f'<Types xmlns="{_PACKAGE}/content-types">'
                '<Default Extension="rels"'
                ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                '<Override PartName="/word/document.xml"'
                ' ContentType="application/vnd.openxmlformats-officedocument.'
                'wordprocessingml.document.main+xml"/></Types>'
            ),
            "_rels/.rels": (
                f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
                f' Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
            ),
            "word/_rels/document.xml.rels": (
                f'<Relationships xmlns="{_PACKAGE}/relationships">{relationships}</Relationships>'
            ),
            "word/document.xml": (
                f'<w:document xmlns:w="{_WORD}" xmlns:r="{_OFFICE}"><w:body>{body}</w:body>'
                "</w:document>"
            ),
            "docProps/core.xml": (
                f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties"'
                f" {_DUBLIN_CORE}>{properties}</cp:coreProperties>"
            ),
            **(parts or {}),
        }
    )


def word_paragraph(text: str, *, style: str = "") -> str:
    """Returns a paragraph of a Word document; heading styles are `Heading1` and so on."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(rows: Sequence[Sequence[str]]) -> str:
    """Returns a table of a Word document."""
    shown = (
        "".join(f"<w:tc>{word_paragraph(cell)}</w:tc>" for cell in row).join(("<w:tr>", "</w:tr>"))
        for row in rows
    )
    return f"<w:tbl>{''.join(shown)}</w:tbl>"


def word_link(text: str, identifier: str) -> str:
    """Returns a paragraph that links to the relationship of that id."""
    return f'<w:p><w:hyperlink r:id="{identifier}"><w:r><w:t>{text}</w:t></w:r></w:hyperlink></w:p>'


def link_target(identifier: str, url: str) -> str:
    """Returns the relationship that a link of a Word document names."""
    return (
        f'<Relationship Id="{identifier}" Type="{_OFFICE}/hyperlink" Target="{url}"'
        ' TargetMode="External"/>'
    )


def odt(body: str, *, properties: str = "", styles: str = "") -> bytes:
    """Returns an OpenDocument text.

    Args:
        body: elements between the tags of `office:text`.
        properties: elements of `office:meta`.
        styles: elements of `office:automatic-styles`.
    """
    names = (
        f'xmlns:office="{_ODF}:office:1.0" xmlns:text="{_ODF}:text:1.0"'
        f' xmlns:table="{_ODF}:table:1.0" xmlns:meta="{_ODF}:meta:1.0"'
        f' xmlns:style="{_ODF}:style:1.0"'
        f' xmlns:xlink="http://www.w3.org/1999/xlink" {_DUBLIN_CORE}'
    )
    return archive(
        {
            "mimetype": ODT_TYPE,
            "META-INF/manifest.xml": (
                f'<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0">'
                f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODT_TYPE}"/>'
                '<manifest:file-entry manifest:full-path="content.xml"'
                ' manifest:media-type="text/xml"/></manifest:manifest>'
            ),
            "content.xml": (
                f"<office:document-content {names}><office:automatic-styles>{styles}"
                f"</office:automatic-styles><office:body><office:text>{body}</office:text>"
                "</office:body></office:document-content>"
            ),
            "meta.xml": (
                f"<office:document-meta {names}><office:meta>{properties}</office:meta>"
                "</office:document-meta>"
            ),
        }
    )


def epub(chapters: Mapping[str, str], *, properties: str = "") -> bytes:
    """Returns a book.

    Args:
        chapters: bodies by file name, in reading order.
        properties: elements of the package's metadata.
    """
    items = "".join(f'<item id="c{at}" href="{name}"/>' for at, name in enumerate(chapters))
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    return archive(
        {
            "mimetype": EPUB_TYPE,
            "META-INF/container.xml": (
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
                '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
            ),
            "OEBPS/book.opf": (
                f'<package xmlns="http://www.idpf.org/2007/opf"><metadata {_DUBLIN_CORE}>'
                f"{properties}</metadata><manifest>{items}"
                '<item id="toc" href="toc.xhtml" properties="nav"/></manifest>'
                f'<spine><itemref idref="toc"/>{spine}</spine></package>'
            ),
            "OEBPS/toc.xhtml": "<html><body><nav><ol><li>Contents</li></ol></nav></body></html>",
            **{
                f"OEBPS/{name}": f"<html><body>{body}</body></html>"
                for name, body in chapters.items()
            },
        }
    )


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """Returns a zip archive; a part named mimetype is stored as it is, the others are packed."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as written:
        for name, content in parts.items():
            packing = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            written.writestr(name, content, packing)
    return buffer.getvalue()
