"""Scanned PDF files: pages of text drawn as pictures, as a copier with a flatbed makes them."""

import io
from collections.abc import Sequence

import pypdfium2 as pdfium
from fpdf import FPDF

from tests.fakes.files.pdf import PAGE_HEIGHT, PAGE_WIDTH, Sheet, pdf

DOTS_PER_INCH = 200
POINTS_PER_INCH = 72


def scan(sheets: Sequence[Sheet], *, enlarged: int = 1) -> bytes:
    """Returns a file whose pages are pictures of these pages, without any text.

    Args:
        enlarged: times the size of the pages; their pictures have as many pixels as ever.
    """
    width, height = enlarged * PAGE_WIDTH, enlarged * PAGE_HEIGHT
    made = FPDF(unit="pt", format=(width, height))
    with pdfium.PdfDocument(pdf(sheets)) as document:
        for page in document:
            picture = page.render(scale=DOTS_PER_INCH / POINTS_PER_INCH, grayscale=True).to_pil()
            made.add_page()
            made.image(picture, x=0, y=0, w=width, h=height)
    return bytes(made.output())


def joined(*files: bytes) -> bytes:
    """Returns one file with the pages of some."""
    whole, output = pdfium.PdfDocument.new(), io.BytesIO()
    for file in files:
        with pdfium.PdfDocument(file) as document:
            whole.import_pages(document)
    whole.save(output)
    whole.close()
    return output.getvalue()
