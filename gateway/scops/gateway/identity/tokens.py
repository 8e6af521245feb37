"""Bearer tokens of issuers: a JWT counts by its signature, issuer, audience and time (RFC 9068).

A token decides nothing by itself: which keys and algorithms may sign it says the issuer that the
operator has named, never its header.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError

from scops.common.access.principal import USER, Principal
from scops.common.contract.errors import NotAuthenticated
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.gateway.identity.issuer import Issuer
from scops.gateway.identity.signing_keys import SigningKeys

TOKEN_CHARACTERS_MAX = 8 * 1024
LEEWAY = timedelta(seconds=60)
GROUPS_MAX = 500
GROUP_CHARACTERS_MAX = 200
ID_CHARACTERS = 20
# What a header may hold without saying where keys come from.
HEADER_NAMES = frozenset({"alg", "kid", "typ", "cty", "x5t", "x5t#S256"})
# A logout token, signed by the same issuer, is no credential.
TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
log = get_logger("gateway")


@dataclass(frozen=True, slots=True)
class _Refused(Exception):
    """Why a token does not count; for the log, not for its bearer."""

    why: str


class TokenVerifier:
    """Says whom the tokens of the installation's issuers name."""

    def __init__(
        self,
        issuers: Sequence[Issuer],
        *,
        keys_of: Callable[[Issuer], SigningKeys],
        clock: Clock,
        organisation_id: str,
    ) -> None:
        self._issuers = {issuer.issuer: (issuer, keys_of(issuer)) for issuer in issuers}
        self._clock = clock
        self._organisation_id = organisation_id

    async def principal(self, token: str) -> Principal:
        """Returns whom a token names.

        Raises:
            NotAuthenticated: it does not count; why is in the log.
            StoreUnavailable: the keys of its issuer cannot be fetched.
        """
        try:
            return await self._principal(token)
        except _Refused as refused:
            log.info("token_refused", why=refused.why)
            raise NotAuthenticated(
                "The token does not count here. Get a fresh one from your organisation's issuer "
                "(`scops login`).",
                reason="TOKEN_EXPIRED" if refused.why == "expired" else "TOKEN_INVALID",
            ) from None

    async def _principal(self, token: str) -> Principal:
        header, claims = _unchecked(token)
        found = self._issuers.get(str(claims.get("iss", "")))
        if found is None:
            raise _Refused("issuer")
        issuer, keys = found
        if header.get("alg") not in issuer.algorithms:
            raise _Refused("algorithm")
        key = await keys.key(str(header["kid"]))
        if key is None:
            raise _Refused("key")
        try:
            jws.deserialize_compact(token, key, algorithms=list(issuer.algorithms))
        except (JoseError, ValueError, TypeError) as error:
            raise _Refused("signature") from error
        self._check_times(claims)
        _check_audience(claims, issuer)
        _check_required(claims, issuer)
        return self._of(claims, issuer)

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        now = self._clock.now()
        if now >= _instant(claims, "exp") + LEEWAY:
            raise _Refused("expired")
        for name in ("nbf", "iat"):
            if name in claims and now < _instant(claims, name) - LEEWAY:
                raise _Refused("not yet valid")

    def _of(self, claims: Mapping[str, Any], issuer: Issuer) -> Principal:
        subject = claims.get("sub")
        if not isinstance(subject, str) or not subject:
            raise _Refused("subject")
        return Principal(
            principal_id=principal_id(issuer.issuer, subject),
            organisation_id=self._organisation_id,
            email=_email(claims, issuer),
            groups=_groups(claims, issuer),
        )


def principal_id(issuer: str, subject: str) -> str:
    """Returns the id of an issuer's subject, the same for ever and nobody else's."""
    digest = hashlib.sha256(json.dumps([issuer, subject]).encode()).hexdigest()
    return f"{USER}u-{digest[:ID_CHARACTERS]}"


def _unchecked(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns header and claims of a token that nobody has checked yet."""
    if len(token) > TOKEN_CHARACTERS_MAX:
        raise _Refused("size")
    parts = token.split(".")
    if len(parts) != 3:
        raise _Refused("form")
    header, claims = (_object(part) for part in parts[:2])
    if not header.keys() <= HEADER_NAMES or not isinstance(header.get("kid"), str):
        raise _Refused("header")
    if str(header.get("typ", "JWT")).lower() not in TYPES:
        raise _Refused("type")
    return header, claims


def _object(part: str) -> dict[str, Any]:
    """Returns the JSON object of a part of a token, of which every name stands once."""
    try:
        data = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
        found = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _Refused("form") from error
    if not isinstance(found, dict):
        raise _Refused("form")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _instant(claims: Mapping[str, Any], name: str) -> datetime:
    value = claims.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _Refused(name)
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise _Refused(name) from error


def _check_audience(claims: Mapping[str, Any], issuer: Issuer) -> None:
    named = claims.get("aud")
    audiences = named if isinstance(named, list) else [named]
    if issuer.audience not in audiences:
        raise _Refused("audience")


def _check_required(claims: Mapping[str, Any], issuer: Issuer) -> None:
    for name, wanted in issuer.required_claims.items():
        found = claims.get(name)
        if type(found) is not type(wanted) or found != wanted:
            raise _Refused(name)


def _email(claims: Mapping[str, Any], issuer: Issuer) -> str:
    email = claims.get("email")
    confirmed = claims.get("email_verified") is True or issuer.email_trusted
    return email.strip().lower() if isinstance(email, str) and confirmed else ""


def _groups(claims: Mapping[str, Any], issuer: Issuer) -> frozenset[str]:
    named = claims.get(issuer.groups_claim) if issuer.groups_claim else None
    listed = named if isinstance(named, list) else []
    texts = (one for one in listed if isinstance(one, str))
    names = (one.strip() for one in texts)
    usable = (one for one in names if 0 < len(one) <= GROUP_CHARACTERS_MAX)
    return frozenset(f"{issuer.groups_prefix}{one}" for one in islice(usable, GROUPS_MAX))
