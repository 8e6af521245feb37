"""An issuer of OpenID Connect tokens with its keys in hand, for tokens right and wrong."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

from scops.gateway.identity.issuer import Issuer

ISSUER = "https://login.example.org/realms/main"
AUDIENCE = "scops"


def rsa_key(key_id: str) -> RSAKey:
    """Makes a key."""
    return RSAKey.generate_key(2048, {"kid": key_id, "use": "sig"})


@dataclass
class FakeIssuer:
    """Signs tokens, and serves its key set as often as it is asked."""

    name: str = ISSUER
    keys: dict[str, RSAKey | ECKey | OKPKey] = field(
        default_factory=lambda: {"first": rsa_key("first")}
    )
    fetches: int = 0
    away: bool = False

    @property
    def settings(self) -> Issuer:
        """What an operator writes of it."""
        return Issuer(issuer=self.name, audience=AUDIENCE)

    async def key_set(self) -> Any:
        """Serves its public keys."""
        self.fetches += 1
        if self.away:
            raise ConnectionError("the issuer is away")
        return {"keys": [key.as_dict(private=False) for key in self.keys.values()]}

    def claims(self, now: datetime, **changes: Any) -> dict[str, Any]:
        """Returns the claims of somebody's token; None leaves one out."""
        claims = {
            "iss": self.name,
            "aud": AUDIENCE,
            "sub": "248289761001",
            "exp": int(now.timestamp()) + 300,
            "iat": int(now.timestamp()),
            "email": "Ann@Example.org",
            "email_verified": True,
            "groups": ["team"],
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, claims: dict[str, Any], *, key_id: str = "first", **header: Any) -> str:
        """Signs claims."""
        key = self.keys[key_id]
        header = {"alg": "RS256", "kid": key_id, **header}
        return jwt.encode(header, claims, key, algorithms=[str(header["alg"])])
