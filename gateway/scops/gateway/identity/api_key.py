"""API keys: `sk_<id>_<secret>`, of which the installation keeps a hash.

A secret is 256 random bits, so that a plain hash is as good as a slow one: nobody guesses it.
Of a signing key the secret itself is kept, since a signature is checked by it; nobody comes in by
sending that one.
"""

import base64
import hashlib
import hmac
import random
import re
from dataclasses import dataclass, field
from datetime import datetime

from scops.common.access.principal import ROLES_IN_ORDER
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole

PREFIX = "sk"
ID_BYTES, SECRET_BYTES = 8, 32
FORM = re.compile(r"sk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """What is kept of a key.

    Attributes:
        principal_id: whose it is; it gives what they may, within its own bounds.
        secret_hash: SHA-256 of the secret; empty, which no secret has, of a signing key.
        signing_secret: what bodies are signed with; empty of a key that is sent.
        role: the highest in a scope that its bearer has.
        scope_ids: that it is for; empty is for all.
    """

    key_id: str
    organisation_id: str
    principal_id: str
    display_name: str
    secret_hash: bytes
    signing_secret: bytes = field(default=b"", repr=False)
    role: ScopeRole = ScopeRole.OWNER
    scope_ids: tuple[ScopeId, ...] = ()
    created_time: datetime
    created_by: str
    expired_time: datetime | None = None
    revoked_time: datetime | None = None
    used_time: datetime | None = None

    @property
    def signing(self) -> bool:
        """Whether it signs, instead of being sent."""
        return bool(self.signing_secret)

    def is_good(self, now: datetime) -> bool:
        """Returns whether the key counts now."""
        ended = self.expired_time is not None and now >= self.expired_time
        return self.revoked_time is None and not ended


@dataclass(frozen=True, slots=True)
class PresentedKey:
    """A key as its bearer sends it."""

    key_id: str
    secret: str

    def is_of(self, kept: ApiKey) -> bool:
        """Returns whether the secret is the one that was kept, in a time that tells nothing."""
        return hmac.compare_digest(_hash(self.secret), kept.secret_hash)


def read_key(text: str) -> PresentedKey | None:
    """Returns a key as it was sent; None for what has not its form."""
    found = FORM.fullmatch(text)
    return PresentedKey(found[1], found[2]) if found is not None else None


def new_signing_secret(chance: random.Random) -> tuple[str, str]:
    """Returns the id of a new signing key and its secret.

    Args:
        chance: must not be predictable: `random.SystemRandom` outside of tests.
    """
    return chance.randbytes(ID_BYTES).hex(), _secret(chance)


def new_secret(chance: random.Random) -> tuple[str, str, bytes]:
    """Returns the id of a new key, its text and its hash.

    Args:
        chance: must not be predictable: `random.SystemRandom` outside of tests.
    """
    key_id, secret = chance.randbytes(ID_BYTES).hex(), _secret(chance)
    return key_id, f"{PREFIX}_{key_id}_{secret}", _hash(secret)


def within(role: ScopeRole, bound: ScopeRole) -> bool:
    """Returns whether a role gives no more than another."""
    return ROLES_IN_ORDER.index(role) <= ROLES_IN_ORDER.index(bound)


def _secret(chance: random.Random) -> str:
    return base64.urlsafe_b64encode(chance.randbytes(SECRET_BYTES)).decode().rstrip("=")


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
