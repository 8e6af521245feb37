"""Files by which the search of a page's own site finds pages, as its generator leaves them there.

Sphinx puts `searchindex.js` beside the folder `_static` of its scripts. MkDocs puts
`search/search_index.json` below the root of the site, which the script of its search stands in, or
which the settings of the theme Material name (`base`).
"""

import json
from itertools import islice
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url, origin_of

SCRIPTS_MAX = 200
INDEXES_MAX = 2
SETTINGS_CHARACTERS_MAX = 20_000

SPHINX_INDEX, MKDOCS_INDEX = "searchindex.js", "search/search_index.json"
_STATIC = "/_static/"
_SPHINX_SCRIPTS = frozenset({"documentation_options.js", "doctools.js", "searchtools.js"})
_MKDOCS_SCRIPT = "/search/main.js"
_MATERIAL_SETTINGS = "__config"


def page_search_indexes(root: HtmlElement, *, url: str) -> tuple[str, ...]:
    """Returns the search indexes of the page's own origin that its scripts tell of, each once.

    Args:
        url: of the page.
    """
    found: dict[str, None] = {}
    for script in islice(root.iter("script"), SCRIPTS_MAX):
        index = _index(script, url)
        if index and origin_of(index) == origin_of(url):
            found[index] = None
    return tuple(found)[:INDEXES_MAX]


def _index(script: HtmlElement, url: str) -> str:
    if script.get("id") == _MATERIAL_SETTINGS:
        return _below(_material_base(script.text or ""), MKDOCS_INDEX, url)
    source = _target(script.get("src") or "", url)
    path = urlsplit(source).path
    folder, static, name = path.rpartition(_STATIC)
    if static and name in _SPHINX_SCRIPTS:
        stated = script.get("data-url_root")
        return _below(stated, SPHINX_INDEX, url) if stated else _below(folder, SPHINX_INDEX, source)
    if path.endswith(_MKDOCS_SCRIPT):
        return _below(path.removesuffix(_MKDOCS_SCRIPT), MKDOCS_INDEX, source)
    return ""


def _material_base(settings: str) -> str | None:
    if len(settings) > SETTINGS_CHARACTERS_MAX:
        return None
    try:
        read = json.loads(settings)
    except (ValueError, RecursionError):
        return None
    base = read.get("base") if isinstance(read, dict) else None
    return base if isinstance(base, str) else None


def _below(base: str | None, name: str, url: str) -> str:
    """Returns the URL of a file below a base, which is relative to a URL."""
    found = "" if base is None else _target(f"{base.rstrip('/')}/{name}", url)
    # A base may be a fragment, or hide the name behind one.
    return found if urlsplit(found).path.endswith(f"/{name}") else ""


def _target(href: str, base: str) -> str:
    try:
        return canonical_url(href, base) if href else ""
    except InvalidInput:
        return ""
