"""Logging in by a code that is entered in a browser anywhere (RFC 8628), and renewing that."""

import base64
import binascii
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scops.client.errors import InvalidRequest, NotAuthenticated, ScopsError
from scops.client.login.endpoints import IssuerClient, IssuerError

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# RFC 8628, 3.2 and 3.5.
INTERVAL_SECONDS = 5.0
SLOW_DOWN_SECONDS = 5.0
# An issuer that names no end of a code, or a late one, is not waited for longer.
WAIT_SECONDS_MAX = 1800.0
# Where an issuer does not say how long its token is good.
LASTS_SECONDS = 300.0
ENDINGS = {
    "access_denied": "was refused in the browser",
    "expired_token": "was not confirmed in time",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The client that `scops login` is at an issuer.

    Attributes:
        secret: of clients that cannot keep one, where the issuer wants it all the same.
        audience: that a token for the gateway names.
    """

    client_id: str
    audience: str
    secret: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedTokens:
    """What an issuer gave.

    Attributes:
        token: for the gateway.
        refresh_token: for the issuer alone; empty where it gave none.
        expires: seconds since 1970.
    """

    token: str
    refresh_token: str
    expires: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCode:
    """A login that waits for somebody.

    Attributes:
        complete_uri: with the code in it; empty where the issuer has none.
    """

    device_code: str
    user_code: str
    uri: str
    complete_uri: str
    lasts_seconds: float
    interval_seconds: float


def start(issuer: IssuerClient, url: str, client: Client, scope: str) -> DeviceCode:
    """Asks an issuer for a code.

    Raises:
        ScopsError: it gives none.
    """
    form = {"client_id": client.client_id, "client_secret": client.secret, "scope": scope}
    try:
        found = issuer.post(url, form)
    except IssuerError as error:
        raise _refused(issuer, error) from None
    # Google calls it verification_url.
    uri = str(found.get("verification_uri") or found.get("verification_url") or "")
    code = DeviceCode(
        device_code=str(found.get("device_code") or ""),
        user_code=str(found.get("user_code") or ""),
        uri=uri,
        complete_uri=_web(str(found.get("verification_uri_complete") or "")),
        lasts_seconds=min(_seconds(found, "expires_in", WAIT_SECONDS_MAX), WAIT_SECONDS_MAX),
        interval_seconds=_seconds(found, "interval", INTERVAL_SECONDS),
    )
    if not (code.device_code and code.user_code and _web(uri)):
        raise _unusable(issuer, "its answer lacks a code or the address to enter it at")
    return code


def wait(
    issuer: IssuerClient,
    url: str,
    client: Client,
    code: DeviceCode,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> IssuedTokens:
    """Waits until somebody has entered the code and confirmed.

    Raises:
        ScopsError: they did not, or refused.
    """
    waited, interval = 0.0, code.interval_seconds
    form = {
        "grant_type": DEVICE_GRANT,
        "device_code": code.device_code,
        "client_id": client.client_id,
        "client_secret": client.secret,
    }
    while waited < code.lasts_seconds:
        sleep(interval)
        waited += interval
        try:
            return _tokens(issuer, client, issuer.post(url, form))
        except IssuerError as error:
            if error.code == "slow_down":
                interval += SLOW_DOWN_SECONDS
            elif error.code != "authorization_pending":
                raise _ended(issuer, error) from None
    raise _ended(issuer, IssuerError("expired_token", ""))


def renew(issuer: IssuerClient, url: str, client: Client, refresh_token: str) -> IssuedTokens:
    """Returns fresh tokens for a refresh token (RFC 6749, 6).

    Raises:
        IssuerError: the login has ended.
        ScopsError: the issuer cannot be asked, or gives no token for the gateway.
    """
    form = {
        "grant_type": "refresh_token",
        "refresh_token": refresh_token,
        "client_id": client.client_id,
        "client_secret": client.secret,
    }
    found = issuer.post(url, form)
    return _tokens(issuer, client, {"refresh_token": refresh_token, **found})


def _tokens(issuer: IssuerClient, client: Client, found: Mapping[str, Any]) -> IssuedTokens:
    """Returns the token that is for the gateway: the access token, else the ID token."""
    for name in ("access_token", "id_token"):
        token = str(found.get(name) or "")
        claims = _claims(token)
        if client.audience in _audiences(claims):
            lasts = _seconds(found, "expires_in", LASTS_SECONDS)
            ends = claims.get("exp")
            return IssuedTokens(
                token=token,
                refresh_token=str(found.get("refresh_token") or ""),
                expires=float(ends) if isinstance(ends, int | float) else time.time() + lasts,
            )
    raise _unusable(
        issuer,
        f"neither its access token nor its ID token is for {client.audience!r}. Have it name this "
        "audience, or have the gateway expect the one that it names; see docs/identity.md",
    )


def _claims(token: str) -> dict[str, Any]:
    """Returns what a JWT says, to choose by; the gateway is who checks it."""
    try:
        part = token.split(".")[1]
        found = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError, binascii.Error, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _audiences(claims: Mapping[str, Any]) -> list[Any]:
    named = claims.get("aud")
    return named if isinstance(named, list) else [named]


def _seconds(found: Mapping[str, Any], name: str, default: float) -> float:
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        return default
    return float(value)


def _web(url: str) -> str:
    """Returns a URL that somebody is sent to, empty for what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("https", "http") and parts.netloc else ""


def _refused(issuer: IssuerClient, error: IssuerError) -> ScopsError:
    return InvalidRequest(
        f"The issuer {issuer.issuer} refuses to log anybody in by a code: {error}. Its client for "
        "`scops login` must be public and may use the device flow; see docs/identity.md.",
        reason="LOGIN_REFUSED",
    )


def _ended(issuer: IssuerClient, error: IssuerError) -> ScopsError:
    ending = ENDINGS.get(error.code)
    if ending is None:
        return _refused(issuer, error)
    return NotAuthenticated(
        f"The login {ending}. Run `scops login` again.",
        reason="LOGIN_NOT_CONFIRMED",
    )


def _unusable(issuer: IssuerClient, why: str) -> ScopsError:
    return InvalidRequest(
        f"What the issuer {issuer.issuer} gave cannot be used: {why}.",
        reason="LOGIN_UNUSABLE",
    )
