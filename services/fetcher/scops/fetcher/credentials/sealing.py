"""Credentials sealed by AES-256-GCM, with keys that stand in no database.

What is sealed opens in its own place alone: organisation, scope, access context and origin are
associated data, so that a row that is copied to another one is of no use there.
"""

import base64
import binascii
import json
import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.contract.messages.crawl import SecretKind
from scops.fetcher.credentials.secret import Secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SETTING = "SCOPS_FETCHER_CREDENTIAL_KEYS"
COMMAND = "SCOPS_FETCHER_CREDENTIAL_KEY_COMMAND"
KEY_BYTES = 32
# NIST SP 800-38D section 8.2.2: drawn nonces of 96 bits serve 2**32 seals of a key.
NONCE_BYTES = 12


class CredentialUnreadable(PermanentError):
    """What is kept was sealed by a key that is not here any more, or in another place."""

    default_reason = "CREDENTIAL_UNREADABLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialPlace:
    """Where a credential belongs; it opens nowhere else."""

    organisation_id: str
    scope_id: str
    access_context: str
    origin: str


class CredentialSeal:
    """Seals and opens secrets.

    Args:
        keys: each 32 bytes as base64; the first seals, all open. None keeps no credentials.

    Raises:
        InvalidInput: one of them is no such key.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        self._ciphers = [_cipher(_key_bytes(key)) for key in keys]

    def seal(self, secret: Secret, place: CredentialPlace) -> bytes:
        """Returns a secret, sealed for its place.

        Raises:
            InvalidInput: there is no key.
        """
        if not self._ciphers:
            raise InvalidInput(
                f"This installation keeps no credentials yet. Its operator sets {SETTING} of the "
                "fetcher, such as to the output of: openssl rand -base64 32; or "
                f"{COMMAND} to a command that prints such a key.",
                reason="CREDENTIAL_KEY_MISSING",
            )
        nonce = os.urandom(NONCE_BYTES)
        said = json.dumps([secret.kind.value, dict(secret.fields)]).encode()
        return nonce + self._ciphers[0].encrypt(nonce, said, _associated(place))

    def resealed(self, sealed: bytes, place: CredentialPlace) -> bytes | None:
        """Returns a secret sealed by the first key; None where that sealed it already.

        Raises:
            CredentialUnreadable: none of the keys here sealed it for this place.
            InvalidInput: there is no key.
        """
        if self._opened(self._ciphers[:1], sealed, place) is not None:
            return None
        return self.seal(self.open(sealed, place), place)

    def open(self, sealed: bytes, place: CredentialPlace) -> Secret:
        """Returns a secret.

        Raises:
            CredentialUnreadable: none of the keys here sealed it for this place.
        """
        opened = self._opened(self._ciphers, sealed, place)
        if opened is not None:
            return opened
        raise CredentialUnreadable(
            f"The credential for {place.origin} was sealed by a key that {SETTING} does not hold. "
            "Put that key back behind the newer one, or put the credential again."
        )

    @staticmethod
    def _opened(
        ciphers: "Sequence[AESGCM]", sealed: bytes, place: CredentialPlace
    ) -> Secret | None:
        from cryptography.exceptions import InvalidTag

        nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        for cipher in ciphers:
            try:
                kind, fields = json.loads(cipher.decrypt(nonce, rest, _associated(place)))
            except InvalidTag:
                continue
            return Secret(kind=SecretKind(kind), fields=fields)
        return None


def parse_keys(text: str) -> tuple[str, ...]:
    """Returns the keys of a text, which commas or white space part; checks each.

    Raises:
        InvalidInput: one of them is no key.
    """
    keys = tuple(text.replace(",", " ").split())
    CredentialSeal(keys)
    return keys


def _associated(place: CredentialPlace) -> bytes:
    return json.dumps(astuple(place)).encode()


def _cipher(key: bytes) -> "AESGCM":
    # Imported here: without a key there are no credentials, and the library is 2 MB.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _key_bytes(key: str) -> bytes:
    try:
        # Either alphabet, as tools print them.
        found = base64.b64decode(key.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != KEY_BYTES:
        raise InvalidInput(
            f"{SETTING} or what {COMMAND} prints holds what is no key: each is 32 bytes as "
            "base64. Make one by: openssl rand -base64 32",
            reason="CREDENTIAL_KEY_UNUSABLE",
        )
    return found
