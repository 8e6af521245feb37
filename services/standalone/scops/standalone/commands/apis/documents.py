"""Documents of what an API gives in parts."""

import re
from collections.abc import Iterable
from html import escape

from scops.standalone.commands.warc.served import Served, body_of

HTML = "text/html; charset=utf-8"
# HTML is Markdown that is read to its end: an extractor looks for the main text of a page alone.
WHOLE = "text/markdown; charset=utf-8"
# It would end the HTML (CommonMark, HTML blocks).
BLANK_LINE = re.compile(r"\r?\n[ \t]*(?=\r?\n)")


def document(title: str, parts: Iterable[str], *, language: str = "") -> Served:
    """Returns a page with a heading, of which the main text is read.

    Args:
        title: text.
        parts: HTML.
        language: BCP 47; empty where it is not said.

    Raises:
        LeftOut: it is too long.
    """
    said = f' lang="{escape(language, quote=True)}"' if language else ""
    body = "".join(parts)
    html = (
        f'<!DOCTYPE html><html{said}><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head><body><main><article><h1>{escape(title)}</h1>"
        f"{body}</article></main></body></html>"
    )
    return body_of(HTML, html.encode())


def conversation(title: str, parts: Iterable[str]) -> Served:
    """Returns a document with a heading, all of which is read: short answers, too.

    Args:
        title: text.
        parts: HTML.

    Raises:
        LeftOut: it is too long.
    """
    html = f"<h1>{escape(title)}</h1>{''.join(parts)}"
    return body_of(WHOLE, BLANK_LINE.sub("&#10;", html).encode())
