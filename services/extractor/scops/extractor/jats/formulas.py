"""Formulas of articles: MathML as a page has it, else TeX without the document around it."""

from html import escape

from lxml import etree

from scops.extractor.jats.names import child, first, local_name, named, words

_BEGIN, _END = r"\begin{document}", r"\end{document}"
_DISPLAYED = "disp-formula"


def formula_html(element: etree._Element) -> str:
    """Returns a formula on a line of its own where it is displayed, with its number."""
    label = child(element, "label")
    said = _formula(element)
    if local_name(element) != _DISPLAYED:
        return said
    number = f" {escape(words(label))}" if label is not None else ""
    return f"<p>{said}{number}</p>"


def _formula(element: etree._Element) -> str:
    math = first(element, "math")
    if math is not None:
        return f"<math>{_tokens(math)}</math>"
    tex = first(element, "tex-math")
    if tex is not None:
        return escape(_tex(words(tex)))
    label = child(element, "label")
    said = words(element)
    return escape(said.removesuffix(words(label)) if label is not None else said)


def _tokens(math: etree._Element) -> str:
    """Returns what a formula is written with, each apart from the others."""
    tokens = named(math, "mi", "mn", "mo", "ms", "mtext")
    return "".join(f"<mi>{escape(words(one))}</mi>" for one in tokens)


def _tex(said: str) -> str:
    inside = said.partition(_BEGIN)[2].partition(_END)[0] if _BEGIN in said else said
    return inside.strip().strip("$").strip()
