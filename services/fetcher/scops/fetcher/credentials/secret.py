"""A credential as its owner gives it, and the headers that it is sent as."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import SecretKind

COOKIES_MAX = 50
VALUE_CHARACTERS_MAX = 8192
# RFC 9110 section 5.6.2; names of cookies are tokens too (RFC 6265 section 4.1.1).
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_PRINTABLE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
# RFC 6750 section 2.1.
_BEARER = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")
# What a request is made of, and what the fetcher says of itself: no credential.
_OURS = frozenset(
    {
        *("accept", "accept-encoding", "accept-language", "range", "te", "expect"),
        *("connection", "keep-alive", "proxy-connection", "trailer", "upgrade", "via"),
        *("content-length", "content-type", "transfer-encoding", "host", "from", "user-agent"),
        *("if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"),
        "proxy-authorization",
    }
)
_FIELDS: Mapping[SecretKind, frozenset[str]] = {
    SecretKind.HEADER: frozenset({"name", "value"}),
    SecretKind.BASIC: frozenset({"username", "password"}),
    SecretKind.BEARER: frozenset({"token"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What a server knows us by.

    Attributes:
        fields: by name, as `SecretKind` lists them; never shown.
    """

    kind: SecretKind
    fields: Mapping[str, str] = field(repr=False)


def check_secret(secret: Secret) -> None:
    """Checks that a secret can be sent as headers and as nothing else.

    Raises:
        InvalidInput: it has other fields than its kind, or holds what no header may. The message
            says nothing of the values.
    """
    wanted = _FIELDS.get(secret.kind)
    if secret.kind is not SecretKind.COOKIES and wanted != frozenset(secret.fields):
        raise _unusable(f"is of kind {secret.kind} and has other parts than that kind")
    longest = max(map(len, secret.fields.values()), default=0)
    if longest > VALUE_CHARACTERS_MAX:
        raise _unusable(f"has {longest} characters; {VALUE_CHARACTERS_MAX} are taken")
    _CHECKS[secret.kind](secret.fields)


def headers_of(secret: Secret) -> tuple[tuple[str, str], ...]:
    """Returns the headers that a secret is sent as; it was checked."""
    fields = secret.fields
    if secret.kind is SecretKind.HEADER:
        return ((fields["name"], fields["value"]),)
    if secret.kind is SecretKind.BASIC:
        # RFC 7617 section 2.1: what is no ASCII is sent as UTF-8.
        pair = f"{fields['username']}:{fields['password']}".encode()
        return (("Authorization", f"Basic {base64.b64encode(pair).decode()}"),)
    if secret.kind is SecretKind.BEARER:
        return (("Authorization", f"Bearer {fields['token']}"),)
    return (("Cookie", "; ".join(f"{name}={value}" for name, value in fields.items())),)


def _check_header(fields: Mapping[str, str]) -> None:
    name = fields["name"]
    if not _TOKEN.fullmatch(name) or name.lower() in _OURS:
        raise _unusable("names a header that is none, or one that requests are made of")
    if not _PRINTABLE.fullmatch(fields["value"]):
        raise _unusable("has a value that is not printable ASCII")


def _check_basic(fields: Mapping[str, str]) -> None:
    username = fields["username"]
    if not username or ":" in username or any(map(_is_control, "".join(fields.values()))):
        raise _unusable("has no username, one with a colon, or control characters")


def _check_bearer(fields: Mapping[str, str]) -> None:
    if not _BEARER.fullmatch(fields["token"]):
        raise _unusable("has a token with characters that RFC 6750 knows none of")


def _check_cookies(fields: Mapping[str, str]) -> None:
    if not 1 <= len(fields) <= COOKIES_MAX:
        raise _unusable(f"has {len(fields)} cookies; 1 to {COOKIES_MAX} are taken")
    for name, value in fields.items():
        if not _TOKEN.fullmatch(name) or not _COOKIE.fullmatch(value.strip('"')):
            raise _unusable("has a cookie whose name or value RFC 6265 does not let be sent")


_CHECKS = {
    SecretKind.HEADER: _check_header,
    SecretKind.BASIC: _check_basic,
    SecretKind.BEARER: _check_bearer,
    SecretKind.COOKIES: _check_cookies,
}


def _is_control(character: str) -> bool:
    return ord(character) < 0x20 or ord(character) == 0x7F


def _unusable(why: str) -> InvalidInput:
    return InvalidInput(
        f"The credential {why}. Send a header, a username with a password, a bearer token, or "
        "cookies by name.",
        reason="CREDENTIAL_MALFORMED",
    )
