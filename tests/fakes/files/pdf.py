"""PDF files made of placed words, and files that are made to break whoever reads them.

Written by hand, object by object, so that a test says where each word stands.
Source: ISO 32000-1, sections 7.3, 7.5, 7.7 and 9.4.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

PAGE_WIDTH, PAGE_HEIGHT = 595, 842
LEADING = 14
_PIXEL = b"BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI"


@dataclass(frozen=True, slots=True)
class Words:
    """Words on one line; places in points from the lower left corner of the page."""

    text: str
    x: float = 72
    y: float = 700
    size: float = 11
    bold: bool = False
    # Operators of colour and of rendering mode, such as `1 g` (white) or `3 Tr` (no ink).
    ink: str = "0 g 0 Tr"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: words in the order in which the file writes them, a picture behind, one link."""

    words: tuple[Words, ...] = ()
    picture: bool = False
    uri: str = ""


def lines(texts: Iterable[str], *, x: float = 72, top: float = 700) -> tuple[Words, ...]:
    """Returns the lines of a paragraph, one below the other."""
    return tuple(Words(text, x, top - LEADING * at) for at, text in enumerate(texts))


def pdf(sheets: Sequence[Sheet], *, info: Mapping[str, str] | None = None) -> bytes:
    """Returns a file with these pages and these properties."""
    objects = _Objects()
    tree = objects.reserve()
    fonts = [objects.add(_font(name)) for name in ("Helvetica", "Helvetica-Bold")]
    pages = [_page(objects, sheet, tree, fonts) for sheet in sheets]
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects.put(tree, f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    catalogue = objects.add(f"<< /Type /Catalog /Pages {tree} 0 R >>".encode())
    entries = " ".join(f"/{name} {_text(value)}" for name, value in (info or {}).items())
    properties = objects.add(f"<< {entries} >>".encode("latin-1"))
    return objects.file(f"/Root {catalogue} 0 R /Info {properties} 0 R")


def encrypted_pdf() -> bytes:
    """Returns a file that asks for a password before it shows anything."""
    locked = "<" + "5a" * 32 + ">"
    encryption = f"<< /Filter /Standard /V 1 /R 2 /P -4 /O {locked} /U {locked} >>"
    return pdf([Sheet((Words("Nobody reads this."),))]).replace(
        b"trailer\n<< ", b"trailer\n<< /ID [<00> <00>] /Encrypt " + encryption.encode() + b" "
    )


def inflating_pdf(mebibytes: int) -> bytes:
    """Returns a small file whose only page inflates to so much, in two steps."""
    objects = _Objects()
    packer = zlib.compressobj(9)
    parts = [packer.compress(b"0 g " * 262_144) for _ in range(mebibytes)]
    stream = zlib.compress(b"".join((*parts, packer.flush())), 9)
    content = objects.add(_stream(stream, "/Filter [/FlateDecode /FlateDecode]"))
    return _single(objects, content, "")


def multiplying_pdf(levels: int, copies: int) -> bytes:
    """Returns a file whose only page draws a form that draws forms, `copies ** levels` words."""
    objects = _Objects()
    font = objects.add(_font("Helvetica"))
    resources = f"/Resources << /Font << /F0 {font} 0 R >> >>"
    drawn = b"BT /F0 9 Tf 72 700 Td (owl) Tj ET"
    for _ in range(levels):
        form = objects.add(
            _stream(drawn, f"/Type /XObject /Subtype /Form /BBox [0 0 999 999] {resources}")
        )
        resources = f"/Resources << /XObject << /X {form} 0 R >> >>"
        drawn = b"/X Do " * copies
    return _single(objects, objects.add(_stream(drawn, "")), resources)


def looping_pdf() -> bytes:
    """Returns a file whose tree of pages holds itself, and claims two thousand million pages."""
    objects = _Objects()
    tree = objects.reserve()
    loop = f"<< /Type /Pages /Kids [{tree} 0 R {tree} 0 R] /Parent {tree} 0 R /Count 2147483647 >>"
    objects.put(tree, loop.encode())
    return objects.file(
        f"/Root {objects.add(f'<< /Type /Catalog /Pages {tree} 0 R >>'.encode())} 0 R"
    )


class _Objects:
    """The numbered objects of a file."""

    def __init__(self) -> None:
        self._bodies: list[bytes] = []

    def reserve(self) -> int:
        """Returns the number of an object that is put later."""
        self._bodies.append(b"null")
        return len(self._bodies)

    def add(self, body: bytes) -> int:
        """Returns the number that an object got."""
        self._bodies.append(body)
        return len(self._bodies)

    def put(self, number: int, body: bytes) -> None:
        self._bodies[number - 1] = body

    def file(self, trailer: str) -> bytes:
        """Returns the file: header, objects, where each begins, trailer."""
        data = bytearray(b"%PDF-1.7\n")
        starts = []
        for number, body in enumerate(self._bodies, start=1):
            starts.append(len(data))
            data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        table = len(data)
        data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(starts) + 1)
        data += b"".join(b"%010d 00000 n \n" % start for start in starts)
        data += f"trailer\n<< /Size {len(starts) + 1} {trailer} >>\n".encode()
        return bytes(data + b"startxref\n%d\n%%%%EOF\n" % table)


def _page(objects: _Objects, sheet: Sheet, tree: int, fonts: Sequence[int]) -> int:
    drawn = [_show(words) for words in sheet.words]
    content = objects.add(_stream(b"\n".join((*drawn, _PIXEL * sheet.picture)), ""))
    named = " ".join(f"/F{at} {font} 0 R" for at, font in enumerate(fonts))
    annotation = (
        f"/Annots [<< /Type /Annot /Subtype /Link /Rect [72 72 200 90]"
        f" /A << /S /URI /URI {_text(sheet.uri)} >> >>]"
        if sheet.uri
        else ""
    )
    return objects.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
        f" /Resources << /Font << {named} >> >> /Contents {content} 0 R {annotation} >>".encode()
    )


def _single(objects: _Objects, content: int, resources: str) -> bytes:
    tree = objects.reserve()
    page = objects.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
        f" {resources} /Contents {content} 0 R >>".encode()
    )
    objects.put(tree, f"<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>".encode())
    catalogue = objects.add(f"<< /Type /Catalog /Pages {tree} 0 R >>".encode())
    return objects.file(f"/Root {catalogue} 0 R")


def _show(words: Words) -> bytes:
    font = f"/F{int(words.bold)} {words.size} Tf"
    shown = f"BT {words.ink} {font} {words.x} {words.y} Td {_text(words.text)} Tj ET"
    return shown.encode("latin-1")


def _stream(data: bytes, entries: str) -> bytes:
    head = f"<< /Length {len(data)} {entries} >>\nstream\n".encode()
    return head + data + b"\nendstream"


def _font(name: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    )


def _text(text: str) -> str:
    return "(" + text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"
