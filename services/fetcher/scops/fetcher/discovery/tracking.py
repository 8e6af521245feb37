"""Query parameters that say how a visitor came, not which page is meant.

The list is courlan's, which is kept from AdGuard's, ClearURLs' and Mozilla's; it also holds words
that sites use for what a page is about, so only its families (`utm_…`) and click ids are taken.
Session ids are ours: few names, and only with values that no person would type.
"""

import re
from functools import cache
from urllib.parse import urlsplit, urlunsplit

from scops.common.runtime.short_texts import kept_for_short

URLS_CACHED = 20_000

# Words of the list that also name content: a branch, a country, a search, a product.
_CONTENT_WORDS = re.compile(
    r"aff|affi|affiliate|campaign|cid|eid|ga|gl|kwd|keyword|medium|ref|referr?er|session|source|"
    r"uid|partnerid|ads?_.*|gs_.*|ml_.*"
)
_SESSION_NAMES = re.compile(
    r"phpsessid|jsessionid|aspsessionid[a-z]*|asp\.net_sessionid|session_?id|sid|cftoken"
)
_SESSION_VALUE = re.compile(r"[A-Za-z0-9_.!-]{16,}")
_PATH_SESSION = re.compile(r";jsessionid=[^/?;]*", re.IGNORECASE)


@kept_for_short(URLS_CACHED)
def without_tracking(url: str) -> str:
    """Returns a canonical URL without parameters that track a visitor or a session.

    What stays keeps its order and spelling.
    """
    parts = urlsplit(url)
    query = "&".join(each for each in parts.query.split("&") if not _tracks(each))
    path = _PATH_SESSION.sub("", parts.path)
    if (query, path) == (parts.query, parts.path):
        return url
    return urlunsplit(parts._replace(path=path or "/", query=query))


def _tracks(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = name.lower()
    if not name:
        return False
    if _SESSION_NAMES.fullmatch(name):
        return _SESSION_VALUE.fullmatch(value) is not None
    found = _trackers().match(name)
    # A family is a prefix; anything else has to be the whole name.
    whole = found is not None and (found[0].endswith("_") or found[0] == name)
    return whole and _CONTENT_WORDS.fullmatch(name) is None


@cache
def _trackers() -> re.Pattern[str]:
    # Imported here: it brings urllib3 and Babel, 3 MB, and many sites have no queries.
    from courlan.clean import TRACKERS_RE

    return TRACKERS_RE
