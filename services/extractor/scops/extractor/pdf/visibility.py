"""Which words on a page of a PDF a reader sees.

Words may be drawn without ink, in white on a white page, in a point's size or beside the page:
nobody reads them, a model would. An unseen layer of words over a picture is what text recognition
writes, and is read.
"""

import ctypes
from functools import cached_property

import pypdfium2 as pdfium
import pypdfium2.raw as raw

SIZE_MIN = 2.0
WHITE_MIN = 250
ALPHA_MIN = 10
# Rounding of generators; no word fits.
EDGE_POINTS = 2.0
_NO_INK = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_BACKGROUNDS = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING, raw.FPDF_PAGEOBJ_IMAGE)
FORM_DEPTH_MAX = 2


class PdfVisibility:
    """The page, asked about its words."""

    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> None:
        self._page = page
        self._text = textpage.raw
        # Left, bottom, right, top.
        self._box: tuple[float, float, float, float] = page.get_cropbox()
        self._color = tuple(ctypes.c_uint() for _ in range(4))
        self._color_places = tuple(map(ctypes.byref, self._color))

    @cached_property
    def has_image(self) -> bool:
        """Whether a picture stands on the page."""
        return self._has((raw.FPDF_PAGEOBJ_IMAGE,))

    def shows(self, index: int, *, left: float, right: float, baseline: float, size: float) -> bool:
        """Whether a reader sees a word.

        Args:
            index: of its first character.
            left, right, baseline, size: in points, in the coordinates of the page.
        """
        if size < SIZE_MIN or not self._is_inside(left, right, baseline):
            return False
        if self._mode(index) in _NO_INK:
            return self.has_image
        if not raw.FPDFText_GetFillColor(self._text, index, *self._color_places):
            return True
        red, green, blue, alpha = (int(part.value) for part in self._color)
        if alpha < ALPHA_MIN:
            return False
        dark = min(red, green, blue) < WHITE_MIN
        return dark or self._has_background

    @cached_property
    def _has_background(self) -> bool:
        return self._has(_BACKGROUNDS)

    def _is_inside(self, left: float, right: float, baseline: float) -> bool:
        box_left, bottom, box_right, top = self._box
        across = box_left - EDGE_POINTS < right and left < box_right + EDGE_POINTS
        return across and bottom - EDGE_POINTS < baseline < top + EDGE_POINTS

    def _mode(self, index: int) -> int:
        drawn = raw.FPDFText_GetTextObject(self._text, index)
        return int(raw.FPDFTextObj_GetTextRenderMode(drawn)) if drawn else -1

    def _has(self, kinds: tuple[int, ...]) -> bool:
        found = self._page.get_objects(filter=kinds, max_depth=FORM_DEPTH_MAX)
        return next(iter(found), None) is not None
