"""A credential as its owner gives it, and the headers that it is sent as."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import SecretKind
from scops.common.scope.urls import canonical_url

COOKIES_MAX = 50
INPUTS_MAX = 50
# Before the name of a field that a form is filled in with.
INPUT = "input:"
VALUE_CHARACTERS_MAX = 8192
# RFC 9110 section 5.6.2; names of cookies are tokens too (RFC 6265 section 4.1.1).
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_PRINTABLE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
# RFC 6750 section 2.1.
_BEARER = re.compile(r"[A-Za-z0-9._~+/-]+=*")
# RFC 6749 appendix A.
_CLIENT = re.compile(r"[\x20-\x7e]+")
_SCOPE = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]*")
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
    SecretKind.OAUTH_CLIENT: frozenset({"token_url", "client_id", "client_secret", "token_scope"}),
    SecretKind.FORM: frozenset({"url", "password", "shows"}),
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
    named = frozenset(secret.fields)
    if secret.kind is SecretKind.FORM:
        named -= {f"{INPUT}{name}" for name in inputs_of(secret)}
    if secret.kind is not SecretKind.COOKIES and _FIELDS.get(secret.kind) != named:
        raise _unusable(f"is of kind {secret.kind} and has other parts than that kind")
    longest = max(map(len, secret.fields.values()), default=0)
    if longest > VALUE_CHARACTERS_MAX:
        raise _unusable(f"has {longest} characters; {VALUE_CHARACTERS_MAX} are taken")
    _CHECKS[secret.kind](secret.fields)


def begins_session(kind: SecretKind) -> bool:
    """Returns whether a secret of a kind is given for a session, and that is sent in its place."""
    return kind in (SecretKind.OAUTH_CLIENT, SecretKind.FORM)


def inputs_of(secret: Secret) -> dict[str, str]:
    """Returns what the form of a login is filled in with beside the password, by field."""
    return {
        name.removeprefix(INPUT): value
        for name, value in secret.fields.items()
        if name.startswith(INPUT)
    }


def headers_of(secret: Secret) -> tuple[tuple[str, str], ...]:
    """Returns the headers that a secret is sent as; it was checked, and begins no session."""
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


def _check_oauth_client(fields: Mapping[str, str]) -> None:
    _check_url(fields["token_url"])
    if not _CLIENT.fullmatch(fields["client_id"]) or not _CLIENT.fullmatch(fields["client_secret"]):
        raise _unusable("has a client with characters that RFC 6749 knows none of")
    if not _SCOPE.fullmatch(fields["token_scope"]):
        raise _unusable("has a scope with characters that RFC 6749 knows none of")


def _check_form(fields: Mapping[str, str]) -> None:
    _check_url(fields["url"])
    names = [name for name in fields if name.startswith(INPUT)]
    if not fields["password"] or len(names) > INPUTS_MAX or INPUT in names:
        raise _unusable(f"has no password, more than {INPUTS_MAX} fields, or one without a name")


def _check_url(url: str) -> None:
    try:
        is_one = canonical_url(url) == url and url.startswith("http")
    except InvalidInput:
        is_one = False
    if not is_one:
        raise _unusable("names an address that is none")


_CHECKS = {
    SecretKind.HEADER: _check_header,
    SecretKind.BASIC: _check_basic,
    SecretKind.BEARER: _check_bearer,
    SecretKind.COOKIES: _check_cookies,
    SecretKind.OAUTH_CLIENT: _check_oauth_client,
    SecretKind.FORM: _check_form,
}


def _is_control(character: str) -> bool:
    return ord(character) < 0x20 or ord(character) == 0x7F


def _unusable(why: str) -> InvalidInput:
    return InvalidInput(
        f"The credential {why}. Send a header, a username with a password, a bearer token, "
        "cookies by name, a client of OAuth, or what fills in the form of a login.",
        reason="CREDENTIAL_MALFORMED",
    )
