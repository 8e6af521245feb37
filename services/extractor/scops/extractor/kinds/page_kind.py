"""What sort of page a body turned out to be; in doubt it is an article.

A page of another kind never replaces good text, so that only pages with little text of their own
are put there, and only by a sign that ordinary pages do not show.
"""

import re
from dataclasses import dataclass

from lxml.html import HtmlElement

from scops.common.contract.messages.content import PageKind
from scops.extractor.text.clean_text import flow_text

LOGIN_WALL_CHARACTERS_MAX = 600
SOFT_404_CHARACTERS_MAX = 600
ERROR_PAGE_CHARACTERS_MAX = 600
COOKIE_WALL_CHARACTERS_MAX = 1_000
APP_SHELL_CHARACTERS_MAX = 200
REDIRECT_CHARACTERS_MAX = 300
COOKIE_WORDS_MIN = 3
COOKIE_CHARACTERS_A_WORD = 120
HEADLINE_CHARACTERS_MAX = 200

# Looked for in the markup as it came: a search of the tree takes ten times as long, and where a
# page only quotes them its own text stands beside, so that it is too long to be of another kind.
_PASSWORD = re.compile(r"""<input\b[^<>]{0,2000}\btype\s*=\s*["']?password""", re.IGNORECASE)
_REFRESH = re.compile(
    r"""<meta\b(?=[^<>]{0,2000}\bhttp-equiv\s*=\s*["']?refresh\b)"""
    r"""(?=[^<>]{0,2000}\bcontent\s*=\s*["']?\s*\d(?:\.\d+)?\s*[;,]\s*["']?\s*url\s*=)""",
    re.IGNORECASE,
)
_ROOT_ELEMENT = re.compile(
    r"""\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|q-app|svelte)["'\s>]|<app-root\b"""
    r"|data-reactroot|ng-version"
)
_SCRIPT = re.compile(r"<script\b[^<>]{0,2000}(?:\bsrc\s*=|module)", re.IGNORECASE)
_NEEDS_SCRIPT = re.compile(
    r"<noscript\b[^>]{0,200}>(?:(?!</noscript).){0,500}\b(?:enable|requires?|activate|turn on"
    r"|aktivieren|activer|habilit\w+) (?:\w+ ){0,3}javascript",
    re.IGNORECASE | re.DOTALL,
)
_NOT_FOUND = re.compile(
    r"^\W*(error\s*)?404\b(?!\d)|\berror 404\b|\b404 not found\b|^not found\b"
    r"|^(the |this )?(page|file|document|site)\b.{0,40}(\bnot (be )?found|(\bnot|n't) exist)"
    r"|\bpage not found\b|\b(seite|datei) (wurde )?nicht gefunden|\bpage (introuvable|non trouvée)"
    r"|\bpágina no encontrada|\bpagina non trovata|\bpágina não encontrada",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"^\W*(please )?(log[ -]?in|sign[ -]?in|login|anmelden|einloggen|anmeldung|(se )?connexion"
    r"|se connecter|connectez-vous|iniciar sesión|inicia sesión|accedi|inloggen|zaloguj)\b"
    r"|\b(log|sign) in (to continue|required)|\blogin required|authentication required"
    r"|\b(subscribe|log in|sign in|register) to (continue|keep) reading",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"^\W*(error\s*)?(400|401|403|405|429|50[0-4]|52\d)\b(?!\d)"
    r"|\b(internal server error|bad gateway|service (temporarily )?unavailable|gateway time-?out"
    r"|too many requests|access denied|403 forbidden|^forbidden$|database error|fatal error"
    r"|error establishing a database connection|site is (down|temporarily unavailable)"
    r"|under maintenance|interner serverfehler|zugriff verweigert|erreur interne|accès refusé"
    r"|acceso denegado|accesso negato)\b"
    r"|^just a moment\b|^attention required|\bchecking your browser\b|are you (a robot|human)\b"
    r"|verify (that )?you are (a )?human",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    r"\bcookies?\b|\bconsent\b|\bprivacy (policy|settings|choices)\b|\bGDPR\b|\bDSGVO\b"
    r"|\bdatenschutz\w*|\beinwillig\w*|\bzustimm\w*|\baccept(er|ar)? (all|tout|todo)\b"
    r"|\balle akzeptieren\b|\bconsentement\b|\bconfidentialité\b|\bconsenso\b|\bpartners?\b",
    re.IGNORECASE,
)
_ASKS_CONSENT = re.compile(
    r"\b(accept|agree|allow|reject|decline|refuse) (all|and|cookies|everything)\b"
    r"|\bI (accept|agree)|\bmanage (my |your )?(preferences|choices|settings|options)\b"
    r"|\balle (akzeptieren|ablehnen)\b"
    r"|\b(akzeptieren|zustimmen) und\b|\btout (accepter|refuser)\b|\baccepter et\b"
    r"|\baceptar (todo|todas|y)\b|\baccetta (tutti|e)\b|\bakceptuj",
    re.IGNORECASE,
)
_COOKIE_HEADLINE = re.compile(
    r"\bcookies?\b|\bconsent\b|\bprivacy\b|\beinwilligung|\bdatenschutz|\bconsentement"
    r"|before you continue|bevor (du|sie) |we value your",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageSigns:
    """Where a page's kind shows: its title and main headings, one a line, and its markup.

    The markup is searched only where the page has little text, which is rare.
    """

    headline: str
    source: str

    @property
    def asks_password(self) -> bool:
        """Whether the page has a field for a password."""
        return _PASSWORD.search(self.source) is not None

    @property
    def sends_elsewhere(self) -> bool:
        """Whether browsers leave it within seconds for another page (HTML, `refresh`)."""
        return _REFRESH.search(self.source) is not None

    @property
    def is_shell(self) -> bool:
        """Whether scripts are to fill the page."""
        if _NEEDS_SCRIPT.search(self.source):
            return True
        return bool(_ROOT_ELEMENT.search(self.source) and _SCRIPT.search(self.source))


def page_signs(root: HtmlElement, source: str) -> PageSigns:
    """Reads the signs from the whole page, before anything is taken out."""
    return PageSigns(headline=_headline(root), source=source)


def page_kind(signs: PageSigns, text: str) -> PageKind:
    """Returns the kind of a page with a clean text."""
    length = len(text)
    if length <= LOGIN_WALL_CHARACTERS_MAX and signs.asks_password:
        return PageKind.LOGIN_WALL
    if length <= SOFT_404_CHARACTERS_MAX and _says(_NOT_FOUND, signs.headline):
        return PageKind.SOFT_404
    if length <= ERROR_PAGE_CHARACTERS_MAX and _says(_FAILED, signs.headline):
        return PageKind.ERROR_PAGE
    if length <= LOGIN_WALL_CHARACTERS_MAX and _says(_LOGIN, signs.headline):
        return PageKind.LOGIN_WALL
    if length <= COOKIE_WALL_CHARACTERS_MAX and _is_cookie_wall(signs.headline, text):
        return PageKind.COOKIE_WALL
    if length <= APP_SHELL_CHARACTERS_MAX and signs.is_shell:
        return PageKind.APP_SHELL
    if length <= REDIRECT_CHARACTERS_MAX and signs.sends_elsewhere:
        return PageKind.EMPTY
    return PageKind.ARTICLE if text else PageKind.EMPTY


def _is_cookie_wall(headline: str, text: str) -> bool:
    """Whether a page asks for consent in a few sentences, and says little else.

    A policy explains at length and asks for nothing.
    """
    words = len(_COOKIES.findall(text))
    if words < COOKIE_WORDS_MIN or words * COOKIE_CHARACTERS_A_WORD < len(text):
        return False
    opening = text[:HEADLINE_CHARACTERS_MAX]
    return _ASKS_CONSENT.search(text) is not None and _says(
        _COOKIE_HEADLINE, f"{headline}\n{opening}"
    )


def _headline(root: HtmlElement) -> str:
    """Returns title and main headings, one a line."""
    head = root.find("head")
    titles = list(head.iter("title")) if head is not None else []
    return "\n".join(
        flow_text("".join(element.itertext())) for element in (*titles, *root.iter("h1"))
    )


def _says(pattern: re.Pattern[str], headline: str) -> bool:
    return any(pattern.search(line) for line in headline.splitlines())
