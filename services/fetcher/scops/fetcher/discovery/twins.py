"""Other URLs under which a site may serve the same page."""

import re
from urllib.parse import urlsplit, urlunsplit

_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)


def twin_urls(url: str, *, stated_url: str = "") -> tuple[str, ...]:
    """Returns the URLs that a page may belong to if they give the same content, likeliest first.

    They are what the page calls its own URL, its folder where it is an index page, and the same
    path with or without a slash at its end; of a route the same without its query, and the page
    that it is a route of. Nothing is assumed: sites exist where each of these is another page.

    Args:
        url: canonical.
        stated_url: of `<link rel=canonical>`, canonical; empty where the page has none.
    """
    parts = urlsplit(url)
    paths = []
    if _INDEX.search(parts.path):
        paths.append(_INDEX.sub("/", parts.path))
    elif parts.path.endswith("/"):
        paths.append(parts.path.rstrip("/"))
    else:
        paths.append(f"{parts.path}/")
    variants = [urlunsplit(parts._replace(path=path)) for path in paths if path]
    if parts.fragment:
        route = parts.fragment.partition("?")[0]
        variants += [urlunsplit(parts._replace(fragment=each)) for each in (route, "")]
    found = dict.fromkeys((*((stated_url,) if stated_url else ()), *variants))
    found.pop(url, None)
    return tuple(found)
