"""Parts that every view is made of.

Serif is what a page says, sans what Scops says, mono an address or id. Colours come with a word or
a shape, and are seen on light and dark grounds: a notebook has either.
"""

from collections.abc import Iterable
from datetime import datetime
from html import escape
from urllib.parse import urlsplit

from scops.client.values.pages import DiffPart
from scops.client.values.words import PartKind

STYLE = (
    ".scops{font:14px/20px -apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;max-width:44rem}"
    ".scops p{margin:4px 0}.scops .page{font-family:'Iowan Old Style',Charter,'Noto Serif',serif;"
    "font-size:16px;line-height:26px;white-space:pre-wrap}"
    ".scops .facts{opacity:.75;font-size:12px;line-height:16px}"
    ".scops code{font-size:12px}.scops blockquote{margin:4px 0;padding:0 12px;"
    "border-left:3px solid #4a86b8}.scops .critical{border-color:#c2483d}"
    ".scops .lexical{border-color:#2f8794}.scops .moved{border-color:#7187b5}"
    ".scops .superseded{border-left-style:dashed}"
    ".scops ins{background:rgba(46,160,90,.22);text-decoration:underline}"
    ".scops del{background:rgba(210,70,60,.2);text-decoration:line-through}"
)
_TAGS = {PartKind.DELETE: "del", PartKind.INSERT: "ins"}


def view(*parts: str) -> str:
    """Returns a view of parts that are HTML already."""
    return f'<div class="scops"><style>{STYLE}</style>{"".join(parts)}</div>'


def page(title: str, inner: str) -> str:
    """Returns a view as one page that needs nothing else."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title></head><body>\n<h1>{escape(title)}</h1>\n{inner}\n"
        "</body></html>\n"
    )


def line(text: str, *, kind: str = "") -> str:
    """Returns a line of what Scops says; nothing for an empty one."""
    return f'<p class="{escape(kind)}">{escape(text)}</p>' if text else ""


def facts(*found: str) -> str:
    """Returns facts, HTML already, in a line; empty ones are left out."""
    said = " · ".join(one for one in found if one)
    return f'<p class="facts">{said}</p>' if said else ""


def quote(inner: str, *, kinds: Iterable[str] = (), below: str = "") -> str:
    """Returns words of a page, which are HTML already."""
    names = " ".join(escape(kind) for kind in kinds if kind)
    return f'<blockquote class="{names}"><p class="page" dir="auto">{inner}</p>{below}</blockquote>'


def link(uri: str, text: str) -> str:
    """Returns a link to a page; its words alone where the address is none of the web."""
    words = f'<span dir="auto">{escape(text or uri)}</span>'
    try:
        is_web = urlsplit(uri).scheme in ("http", "https")
    except ValueError:
        is_web = False
    if not is_web:
        return words
    return f'<a href="{escape(uri)}" target="_blank" rel="noopener noreferrer">{words}</a>'


def section(path: Iterable[str]) -> str:
    """Returns a section path, escaped."""
    return escape(" › ".join(path))


def at(words: str, when: datetime | None) -> str:
    """Returns when something was, to the minute in UTC; empty where nobody knows."""
    return f"{escape(words)} {when:%Y-%m-%d %H:%M}Z" if when is not None else ""


def words(parts: Iterable[DiffPart]) -> str:
    """Returns runs of words, with what came and went."""
    return "".join(_run(part) for part in parts)


def _run(part: DiffPart) -> str:
    tag, text = _TAGS.get(part.kind), escape(part.text)
    return f"<{tag}>{text}</{tag}>" if tag else text
