"""The form in which rules and filter see a URL, and the other ways in which servers may read it.

Source: RFC 3986 section 6.2.2 and RFC 9309 section 2.2.2: escapes of unreserved characters are
decoded, the hexadecimal digits of others are capitals; dot segments and the case of the host are
settled by `urls.canonical_url` before. Differs: slashes in a row are one, and the dot at the end
of a host is dropped, since servers do so. The case of a path is significant.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
# What the name of a collection stands with where hosts are meant too; a file has no port.
FILE, NO_PORT = "file", 0
# Escapes of escapes that are decoded; who nests them deeper hides something.
ESCAPE_DEPTH_MAX = 8

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# Also as IIS once wrote it.
_ASCII_ESCAPE = re.compile(r"%(?:u00)?([0-7][0-9A-Fa-f])")
# ASCII in more bytes than it has: no UTF-8, but once decoded by many.
_OVERLONG = re.compile(r"%(?:C[01]|E0%[89])", re.IGNORECASE)
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_SLASHES = re.compile(r"//+")
# Once decoded, a question mark or a number sign ends a path for some.
_PARAMETERS = re.compile(r"[;?#][^/]*")
_AUTHORITY = re.compile(r"(\[[^\]]*+\]\.*+|[^:]*+)(?::([0-9]+))?")


@dataclass(frozen=True, slots=True)
class NormalUrl:
    """A URL in parts.

    Attributes:
        host: in lower case, without port.
        port: also the default one of the scheme.
        path: begins with a slash.
        query: without its question mark; empty where there is none.
        route: with its number sign; empty where there is none.
    """

    scheme: str
    host: str
    port: int
    path: str
    query: str
    route: str = ""

    @property
    def authority(self) -> str:
        """The host, with its port where it is not the default one; of a file its collection."""
        if self.scheme == FILE:
            return f"{FILE}:{self.host}"
        default = self.port == DEFAULT_PORTS[self.scheme]
        return self.host if default else f"{self.host}:{self.port}"

    @property
    def asked(self) -> str:
        """Path and query, which a server is asked for."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def target(self) -> str:
        """Path, query and route."""
        return f"{self.asked}{self.route}"


def as_written(url: str) -> NormalUrl:
    """Returns the parts of a canonical URL, with path, query and route as they stand in it."""
    parts = urlsplit(url)
    found = _AUTHORITY.fullmatch(parts.netloc)
    assert found is not None, "a canonical URL has a host and no userinfo"
    port = int(found[2]) if found[2] else DEFAULT_PORTS.get(parts.scheme, NO_PORT)
    route = f"#{parts.fragment}" if parts.fragment else ""
    host = found[1].rstrip(".")
    return NormalUrl(parts.scheme, host, port, parts.path or "/", parts.query, route)


def normal_form(url: str) -> NormalUrl:
    """Returns the normal form of a canonical URL."""
    written = as_written(url)
    path = _SLASHES.sub("/", normal_escapes(written.path))
    query, route = normal_escapes(written.query), normal_escapes(written.route)
    return replace(written, path=path, query=query, route=route)


def normal_escapes(text: str) -> str:
    """Returns a text with the escapes of unreserved characters decoded, all others in capitals."""
    return _ESCAPE.sub(_normal_escape, text) if "%" in text else text


def other_readings(url: NormalUrl) -> tuple[NormalUrl, ...] | None:
    """Returns how servers may read a URL that is in normal form, beside what it says.

    Encoded slashes and backslashes are slashes to some, escapes of escapes are decoded twice, and
    path parameters (`;v=1`) are cut off.

    Returns:
        None where a reading leaves its place: a dot segment that hides behind an escape or a
        parameter, a zero byte, overlong UTF-8, or escapes that are nested too deep. No honest page
        is named so.
    """
    if "%" not in url.target and ";" not in url.path:
        return ()
    path, query = _decoded(url.path), _decoded(url.query)
    if path is None or query is None or "\0" in path or _OVERLONG.search(path):
        return None
    path = path.replace("\\", "/")
    bare = _PARAMETERS.sub("", path)
    if any(segment in (".", "..") for segment in bare.split("/")):
        return None
    return tuple(
        replace(url, path=_SLASHES.sub("/", each), query=query)
        for each in dict.fromkeys((path, bare))
    )


def _normal_escape(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if _UNRESERVED.match(char) else found[0].upper()


def _decoded(text: str) -> str | None:
    """Returns a text with ASCII decoded until no escape of it is left; None where some are."""
    for _ in range(ESCAPE_DEPTH_MAX):
        if _ASCII_ESCAPE.search(text) is None:
            return text
        text = _ASCII_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return None
