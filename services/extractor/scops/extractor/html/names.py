"""HTML elements, roles and usual class names by what they do to a page's text.

Source: HTML Living Standard, sections 4 and 15.3; MathML Core, sections 3 and 5.
"""

from scops.common.contract.messages.content import LinkPosition


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}

# Elements that begin on a line of their own.
BLOCK_TAGS = _names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing "
    "main menu nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
# Of these, what holds one block; the others hold several.
SINGLE_TAGS = _names("caption dd dt hr li listing p pre tbody td tfoot th thead tr") | frozenset(
    HEADING_LEVELS
)

# Never shown as text of the page.
UNSEEN_TAGS = _names(
    "applet area audio canvas datalist embed frame frameset head iframe input link map "
    "meta noscript object option param script select source style svg template textarea "
    "track video annotation annotation-xml mphantom"
)
# The last two hold a second copy of a formula that KaTeX or MathJax 2 shows as text.
HIDING_CLASSES = _names(
    "sr-only visually-hidden visuallyhidden screen-reader-text screenreader-only "
    "katex-mathml MJX_Assistive_MathML"
)

# What a formula is written with, each apart from the others (MathML Core, section 3.2).
MATH_TOKENS = _names("mi mn mo ms mtext")

# Elements that say nothing of the text they stand in; `strong` and `code` say what it is.
PLAIN_TAGS = _names(
    "abbr acronym b bdi bdo big cite data dfn em font hgroup i img ins kbd mark nobr samp small "
    "span tbody tfoot thead tt u var wbr"
)

# What stands beside a page's text, by where that is.
BOILERPLATE_TAGS = {
    "nav": LinkPosition.NAV,
    "menu": LinkPosition.NAV,
    "aside": LinkPosition.ASIDE,
    "footer": LinkPosition.FOOTER,
}
BOILERPLATE_ROLES = {
    **dict.fromkeys(_names("navigation search menu menubar"), LinkPosition.NAV),
    "banner": LinkPosition.HEADER,
    "contentinfo": LinkPosition.FOOTER,
    "dialog": LinkPosition.ASIDE,
}
BOILERPLATE_NAMES = {
    **dict.fromkeys(
        _names(
            "nav navbar navigation navheader navfooter menu menubar breadcrumb breadcrumbs "
            "site-nav topnav skip-link pagination"
        ),
        LinkPosition.NAV,
    ),
    **dict.fromkeys(_names("site-header page-header"), LinkPosition.HEADER),
    **dict.fromkeys(_names("footer site-footer page-footer"), LinkPosition.FOOTER),
    **dict.fromkeys(_names("sidebar sphinxsidebar"), LinkPosition.ASIDE),
    # Notices of consent, by the names that the usual managers give them.
    **dict.fromkeys(
        _names(
            "cookie-banner cookie-notice cookie-consent cookie-bar cookies-banner cookieconsent "
            "cc-window cc-banner cookie-law-info-bar gdpr-cookie-notice onetrust-consent-sdk "
            "onetrust-banner-sdk cybotcookiebotdialog usercentrics-root didomi-host "
            "qc-cmp2-container iubenda-cs-banner borlabscookiebox truste-consent-track"
        ),
        LinkPosition.ASIDE,
    ),
}
CONTENT_TAGS = _names("main article")

# Notes beside the text, whose titles open no section.
ADMONITION_NAMES = _names(
    "admonition note warning tip caution important danger hint attention error"
)

# Kept when nesting is taken out of a page that nests too deep.
FLAT_TAGS = _names("title meta base script style h1 h2 h3 h4 h5 h6 pre a p br")
INLINE_TAGS = _names("html head body b big code em font i ins s small span strong sub sup tt u")
