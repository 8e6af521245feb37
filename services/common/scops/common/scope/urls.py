"""URLs: the canonical form that names a page, its prefixes, and the host that owns its clock.

    https://docs.example.org/guide    a page of the web
    https://app.example.org/#/plan    a route of an app (ADR 76), which its scripts read alone
    file://handbook/guide/intro.md    a file of the collection `handbook` (ADR 63), never fetched

Source: WHATWG URL Standard, by ada-url. Differs: a fragment that is no route is dropped and, in
prefixes, the scheme of the web too, so that a scope over a host holds both schemes. What stands
where a host does is the name of a collection in the URL of a file, and no query follows.
"""

import re
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from ada_url import URL, join_url
from publicsuffixlist import PublicSuffixList

from scops.common.contract.errors import InvalidInput
from scops.common.scope.normal_form import NormalUrl, normal_form

URL_CHARACTERS_MAX = 2000
SCHEMES = ("http", "https")
FILE_START = "file:"

_COLLECTION = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
# Where the segments of a route end, and its query begins.
_ROUTE_STEP = re.compile(r"(?<!#)(?<!#!)[/?]")
_USERINFO = re.compile(r"^(\s*[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]*[^/\\?#]*@")


def canonical_url(url: str, base: str | None = None) -> str:
    """Returns the canonical form of an absolute URL, or of a relative one against `base`.

    It has no fragment, as what a server is asked for has none.

    Raises:
        InvalidInput: not a URL, not http(s), with credentials, without a host, or too long.
    """
    return _checked(url, without_route(_href(url, base)))


def routed_url(url: str, base: str | None = None) -> str:
    """Returns the canonical form as `canonical_url` does, with its route where it has one.

    Raises:
        InvalidInput: as `canonical_url` does.
    """
    href = _href(url, base)
    return _checked(url, f"{without_route(href)}{route_of(href)}")


def route_of(url: str) -> str:
    """Returns the route of a URL with its number sign; empty where its fragment is none.

    A fragment that begins with `/`, `!/` or `!` is one: so write the routers of Vue, React and
    Angular (`#/plan`), and AngularJS (`#!/plan`). A place inside what a route shows (`#/plan#fees`)
    and a directive (`:~:text=`) are no part of it. The first route of an app (`#/`, `#!`) is what
    it shows without one, and therefore none.
    """
    fragment = url.partition("#")[2]
    shown = fragment.partition(":~:")[0].partition("#")[0]
    return f"#{shown}" if shown.startswith(("/", "!")) and shown.strip("!/") else ""


def without_route(url: str) -> str:
    """Returns what a server is asked for to show a URL."""
    return url.partition("#")[0]


def _href(url: str, base: str | None) -> str:
    """Raises InvalidInput."""
    try:
        return str(join_url(base, url.strip()) if base else URL(url.strip()).href)
    except ValueError as error:
        raise _invalid(url, "it is not an absolute URL such as https://host/path") from error


def _checked(url: str, found: str) -> str:
    """Returns the serialised form of a URL that may be a page's.

    It is read as it stands: each attribute of a parsed URL costs a call into C++.

    Raises:
        InvalidInput: it may not.
    """
    scheme, _, rest = found.partition("://")
    if scheme not in SCHEMES:
        raise _invalid(url, "only http and https are crawled")
    # The path of such a URL begins with a slash, even an empty one.
    authority = rest.partition("/")[0]
    if "@" in authority:
        raise _invalid(url, "it holds credentials; remove the part before @")
    if not authority:
        raise _invalid(url, "it names no host")
    if len(found) > URL_CHARACTERS_MAX:
        raise _invalid(url, f"it is longer than {URL_CHARACTERS_MAX} characters")
    return found


def page_url(url: str) -> str:
    """Returns the canonical form of what names a page: a URL of the web, or that of a file.

    Raises:
        InvalidInput: as `routed_url` does; or the file is of no collection.
    """
    return (
        _file_url(url) if url.strip()[: len(FILE_START)].lower() == FILE_START else routed_url(url)
    )


def file_uri(collection: str, name: str) -> str:
    """Returns the URL of a file of a collection, not in its normal form yet."""
    return f"file://{collection}/{quote(name, safe='/')}"


def is_file(url: str) -> bool:
    """Returns whether a canonical URL names a file of a collection, which nobody can fetch."""
    return url.startswith(FILE_START)


def _file_url(url: str) -> str:
    try:
        parsed = URL(url.strip())
    except ValueError as error:
        raise _invalid(url, "it is not the URL of a file, such as file://handbook/a.md") from error
    if _COLLECTION.fullmatch(parsed.host) is None:
        why = "a collection, as in file://handbook/a.md, has lower-case letters, digits and dashes"
        raise _invalid(url, why)
    if parsed.search:
        raise _invalid(url, "a file has no query; write a question mark in its name as %3F")
    found = f"file://{parsed.host}{parsed.pathname}"
    if len(found) > URL_CHARACTERS_MAX:
        raise _invalid(url, f"it is longer than {URL_CHARACTERS_MAX} characters")
    return found


def url_prefixes(url: str) -> tuple[str, ...]:
    """Returns the tokens a page is filtered by, from the normal form of its canonical URL.

    They are the host with its port where it is not the default one, each path prefix on segment
    boundaries up to the full path, the path with its query, each prefix of a route on segment
    boundaries, and `*.` forms of the parent domains. `https://docs.example.org/a/b?x=1` gives
    `docs.example.org`, `docs.example.org/a`, `docs.example.org/a/b`, `docs.example.org/a/b?x=1`,
    `*.example.org` and `*.org`; `https://example.org/#/a/b` gives `example.org`, `example.org/`,
    `example.org/#/a`, `example.org/#/a/b` and `*.org`; `file://handbook/a.md` gives
    `file:handbook` and `file:handbook/a.md`.
    """
    normal = normal_form(url)
    return tuple(dict.fromkeys(_prefixes(normal)))


def schemeless(url: str) -> str:
    """Returns `host/path?query` of the normal form of a canonical URL."""
    normal = normal_form(url)
    return f"{normal.authority}{normal.asked}"


def origin_of(url: str) -> str:
    """Returns scheme, host and port of a canonical URL (RFC 6454), such as `https://a.example`."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def host_key(url: str) -> str:
    """Returns what politeness is counted by: the registrable domain, or a literal's address."""
    host = urlsplit(url).hostname or ""
    if _is_literal(host):
        return host
    return _suffixes(only_icann=True).privatesuffix(host) or host


def registrable_domain(url: str) -> str:
    """Returns the domain that somebody registered for the host of a canonical URL.

    Unlike `host_key` it tells apart who shares a domain by the private part of the list:
    `a.github.io` and `b.github.io` are two. Empty for addresses and names without a suffix.
    """
    host = urlsplit(url).hostname or ""
    if _is_literal(host):
        return ""
    return _suffixes(only_icann=False).privatesuffix(host) or ""


def _prefixes(url: NormalUrl) -> Iterator[str]:
    netloc, path = url.authority, url.path
    yield netloc
    prefix = netloc
    for segment in path.strip("/").split("/") if path.strip("/") else ():
        prefix = f"{prefix}/{segment}"
        yield prefix
    if path.endswith("/"):
        yield f"{netloc}{path}"
    if url.query:
        yield f"{netloc}{url.asked}"
    if url.route:
        ends = (step.start() for step in _ROUTE_STEP.finditer(url.route))
        yield from (f"{netloc}{url.asked}{url.route[:end]}" for end in ends)
        yield f"{netloc}{url.target}"
    labels = netloc.split(".")
    for start in range(1, len(labels)):
        yield f"*.{'.'.join(labels[start:])}"


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@cache
def _suffixes(*, only_icann: bool) -> PublicSuffixList:
    """Returns the list that the library ships; a name under no listed suffix has none."""
    return PublicSuffixList(accept_unknown=False, only_icann=only_icann)


def _invalid(url: str, why: str) -> InvalidInput:
    # Whatever stands before an @ may be a password, and messages are logged and published.
    masked = _USERINFO.sub(r"\1//…@", url)
    shown = masked if len(masked) <= 120 else f"{masked[:117]}..."
    return InvalidInput(f"The URL {shown!r} cannot be used: {why}.", reason="INVALID_URL")
