"""What sort of page a body turned out to be; in doubt it is an article.

A page of another kind never replaces good text, so that only pages with little text of their own
are put there, and only by a sign that ordinary pages do not show.
"""

import re
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from scops.common.messages.content import PageKind
from scops.extractor.clean_text import flow_text

LOGIN_WALL_CHARACTERS_MAX = 600
SOFT_404_CHARACTERS_MAX = 600
APP_SHELL_CHARACTERS_MAX = 200

_PASSWORD = etree.XPath("boolean(descendant::input[@type='password' or @type='PASSWORD'])")
_ROOT_ELEMENT = etree.XPath(
    "boolean(descendant::*[@id='root' or @id='app' or @id='__next' or @id='__nuxt'"
    " or @id='___gatsby' or @data-reactroot or self::app-root])"
)
_SCRIPT = etree.XPath("boolean(descendant::script[@src or @type='module'])")
_NOT_FOUND = re.compile(
    r"^\W*(error\s*)?404\b(?!\d)|\berror 404\b|\b404 not found\b|^not found\b"
    r"|^(the |this )?(page|file|document|site)\b.{0,40}(\bnot (be )?found|(\bnot|n't) exist)"
    r"|\bpage not found\b|\b(seite|datei) (wurde )?nicht gefunden|\bpage (introuvable|non trouvée)"
    r"|\bpágina no encontrada|\bpagina non trovata|\bpágina não encontrada",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageSigns:
    """Signs of a page's kind, read from the whole page before anything is taken out."""

    asks_password: bool
    app_root: bool
    scripted: bool
    headline: str


def page_signs(root: HtmlElement) -> PageSigns:
    """Reads the signs."""
    return PageSigns(
        asks_password=bool(_PASSWORD(root)),
        app_root=bool(_ROOT_ELEMENT(root)),
        scripted=bool(_SCRIPT(root)),
        headline=_headline(root),
    )


def page_kind(signs: PageSigns, text: str, *, noindex: bool) -> PageKind:
    """Returns the kind of a page with a clean text."""
    if noindex:
        return PageKind.NOINDEX
    if signs.asks_password and len(text) <= LOGIN_WALL_CHARACTERS_MAX:
        return PageKind.LOGIN_WALL
    if len(text) <= SOFT_404_CHARACTERS_MAX and _says_not_found(signs.headline):
        return PageKind.SOFT_404
    if len(text) <= APP_SHELL_CHARACTERS_MAX and signs.app_root and signs.scripted:
        return PageKind.APP_SHELL
    return PageKind.ARTICLE if text else PageKind.EMPTY


def _headline(root: HtmlElement) -> str:
    """Returns title and main headings, one a line."""
    head = root.find("head")
    titles = list(head.iter("title")) if head is not None else []
    return "\n".join(
        flow_text("".join(element.itertext())) for element in (*titles, *root.iter("h1"))
    )


def _says_not_found(headline: str) -> bool:
    return any(_NOT_FOUND.search(line) for line in headline.splitlines())
