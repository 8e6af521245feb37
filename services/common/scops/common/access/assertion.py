"""The caller's identity on its way between roles: signed by the gateway, checked by who answers.

The gateway signs who calls for as long as the call may last (a JWT, Ed25519). Its public key
stands in the projection of scopes, which nobody else writes. How a question carries it:
`scops.common.access.bearing`.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from scops.common.access.principal import InstallationRole, Principal
from scops.common.contract.errors import NotPermitted, NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole

KEY_BYTES = 32
ALGORITHM = "Ed25519"
# Between the clocks of two machines.
LEEWAY = timedelta(seconds=10)
# Of a header: an assertion with a thousand groups.
ASSERTION_CHARACTERS_MAX = 64 * 1024


class IdentitySigner:
    """Signs who calls.

    Args:
        key: 32 secret bytes, the same for every gateway of the installation.
    """

    def __init__(self, key: bytes) -> None:
        private = Ed25519PrivateKey.from_private_bytes(key)
        pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._key = OKPKey.import_key(pem)
        self.key_id = self._key.thumbprint()

    @property
    def public_keys(self) -> dict[str, str]:
        """The public part, as the projection holds it: x of the JWK (RFC 8037) by key id."""
        return {self.key_id: str(self._key.as_dict(private=False)["x"])}

    def assertion(self, principal: Principal, *, until: datetime) -> str:
        """Returns who calls, signed, good until an instant."""
        header = {"alg": ALGORITHM, "kid": self.key_id}
        return jwt.encode(header, _claims(principal, until), self._key, algorithms=[ALGORITHM])


def principal_of(assertion: str, *, keys: Mapping[str, str], now: datetime) -> Principal:
    """Returns who an assertion says that calls.

    Args:
        keys: the gateway's public keys, by id.

    Raises:
        NotPermitted: there is none, it has run out, or the gateway did not sign it.
        NotYetKnown: no key has arrived here yet.
    """
    if not keys:
        raise NotYetKnown(
            "The gateway's key has not arrived yet; it writes it beside the scopes.",
            reason="IDENTITY_KEY_NOT_YET_KNOWN",
        )
    if not assertion or len(assertion) > ASSERTION_CHARACTERS_MAX:
        raise _refused()
    try:
        token = jwt.decode(assertion, lambda held: _key(keys, held.headers()), [ALGORITHM])
        claims = token.claims
        if datetime.fromisoformat(claims["until"]) + LEEWAY < now:
            raise _refused()
        return _principal(claims)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise _refused() from error


def _key(keys: Mapping[str, str], header: Mapping[str, Any]) -> OKPKey:
    return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": keys[str(header["kid"])]})


def _claims(principal: Principal, until: datetime) -> dict[str, Any]:
    limited = principal.limited_to
    return {
        "sub": principal.principal_id,
        "organisation": principal.organisation_id,
        "email": principal.email,
        "groups": sorted(principal.groups),
        "roles": sorted(principal.roles),
        "limited_to": None if limited is None else sorted(limited),
        "ceiling": principal.ceiling.value,
        "until": until.isoformat(),
    }


def _principal(claims: Mapping[str, Any]) -> Principal:
    limited = claims["limited_to"]
    return Principal(
        principal_id=str(claims["sub"]),
        organisation_id=str(claims["organisation"]),
        email=str(claims["email"]),
        groups=frozenset(map(str, claims["groups"])),
        roles=frozenset(InstallationRole(one) for one in claims["roles"]),
        limited_to=None if limited is None else frozenset(ScopeId(one) for one in limited),
        ceiling=ScopeRole(claims["ceiling"]),
    )


def _refused() -> NotPermitted:
    return NotPermitted(
        "A question says for whom it is asked, signed by the gateway; this one does not, or not "
        "any more. Ask through the gateway. While versions change, update the gateway first.",
        reason="IDENTITY_NOT_ASSERTED",
    )
