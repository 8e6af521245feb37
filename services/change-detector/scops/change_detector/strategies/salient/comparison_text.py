"""Comparison text: a text without the ways of writing it, and where each character comes from.

Only what is compared is made so; what is stored and cited is the text itself.
"""

import html
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

# Characters nobody sees: zero width, soft hyphen, bidi controls, variation selectors, and others.
_UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]")
# What may be written otherwise: anything but ASCII, with the letter a mark may belong to.
_VARIABLE = regex.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});|.?[^\x00-\x7f]+")
_CLUSTER = regex.compile(r"\X")
_TYPOGRAPHIC = {
    ord(variant): plain
    for plain, variants in {
        "'": "‘’‚‛′‵ʹʼˈ՚＇`´",
        '"': "“”„‟″‶«»〝〞＂",
        "-": "‐‑‒–—―−﹣－⁃",
        "...": "…⋯",
        ".": "․",
        "/": "⁄∕",
        " ": "•·‣◦▪●○■□➢➤✓✔™℠®©",
    }.items()
    for variant in variants
}


@dataclass(frozen=True, slots=True)
class ComparisonText:
    """A normalised text.

    Attributes:
        text: NFKC, casefolded, plain quotes and dashes, nothing unseen, entities resolved.
        offsets: for each character its place in the original, rising; one more for the end.
            None where each character keeps its place.
    """

    text: str
    offsets: Sequence[int] | None

    def origin(self, position: int) -> int:
        """Returns the place in the original of a place in `text`."""
        return position if self.offsets is None else self.offsets[position]


def comparison_text(original: str) -> ComparisonText:
    """Returns the comparison text of an original; linear in its length.

    White space is left as it stands: tokens are separated by any amount of it.
    """
    if original.isascii() and "&" not in original:
        return ComparisonText(original.lower().replace("`", "'"), None)
    parts: list[str] = []
    offsets = array("l")
    for piece, start, step in _pieces(original):
        parts.append(piece)
        offsets.extend(
            range(start, start + len(piece)) if step else (start for _ in range(len(piece)))
        )
    offsets.append(len(original))
    return ComparisonText("".join(parts), offsets)


def _pieces(original: str) -> Iterator[tuple[str, int, bool]]:
    """Yields normalised pieces, where each began, and whether it kept its length."""
    position = 0
    for found in _VARIABLE.finditer(original):
        start, end = found.span()
        if position < start:
            yield original[position:start].lower().replace("`", "'"), position, True
        position = end
        yield from _variable(original, start, end)
    if position < len(original):
        yield original[position:].lower().replace("`", "'"), position, True


def _variable(original: str, start: int, end: int) -> Iterator[tuple[str, int, bool]]:
    piece = original[start:end]
    if piece.startswith("&") and piece.endswith(";"):
        yield _normal(html.unescape(piece)), start, False
        return
    whole = _normal(piece)
    if len(whole) == len(piece) and unicodedata.is_normalized("NFKC", piece):
        yield whole, start, True
        return
    for cluster in _CLUSTER.finditer(original, start, end):
        yield _normal(cluster.group()), cluster.start(), False


def _normal(piece: str) -> str:
    # Twice, because folding case can leave what NFKC composes.
    folded = unicodedata.normalize("NFKC", piece.translate(_TYPOGRAPHIC)).casefold()
    composed = unicodedata.normalize("NFKC", folded).translate(_TYPOGRAPHIC)
    seen: str = _UNSEEN.sub("", composed)
    return seen
