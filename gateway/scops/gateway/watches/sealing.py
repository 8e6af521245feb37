"""Where watches send, and what they sign with, encrypted by keys of the environment (Fernet)."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from scops.common.contract.errors import InvalidInput, PermanentError

SETTING = "SCOPS_GATEWAY_WATCH_KEYS"


class SecretUnreadable(PermanentError):
    """What was encrypted was so by a key that is not here any more."""

    default_reason = "SECRET_UNREADABLE"


@dataclass(frozen=True, slots=True)
class AlertTarget:
    """Where a watch sends.

    Attributes:
        address: a URL or an address of e-mail.
        secret: that webhooks are signed with, `whsec_…`; empty for others.
    """

    address: str
    secret: str = ""


class WatchSeal:
    """Encrypts and decrypts targets.

    Args:
        keys: each 32 bytes as URL-safe base64; the first encrypts, all decrypt. None keeps no
            secrets, so that there are no watches.
        kept: returns the key to use where there is none of these, when it is first needed.

    Raises:
        InvalidInput: one of them is no such key.
    """

    def __init__(self, keys: Sequence[str] = (), *, kept: Callable[[], str] | None = None) -> None:
        try:
            fernets = [Fernet(key) for key in keys]
        except ValueError as error:
            raise InvalidInput(
                f"{SETTING} holds what is no key: each is 32 bytes as URL-safe base64. Make one "
                "by: openssl rand -base64 32 | tr '+/' '-_'",
                reason="WATCH_KEY_UNUSABLE",
            ) from error
        self._fernet = MultiFernet(fernets) if fernets else None
        self._kept = kept

    def seal(self, target: AlertTarget) -> bytes:
        """Returns a target, encrypted.

        Raises:
            InvalidInput: there is no key.
        """
        fernet = self._found()
        if fernet is None:
            raise InvalidInput(
                f"This installation keeps no secrets of watches yet. Its operator sets {SETTING}, "
                "such as to the output of: openssl rand -base64 32 | tr '+/' '-_'",
                reason="WATCH_KEY_MISSING",
            )
        return fernet.encrypt(json.dumps(asdict(target)).encode())

    def open(self, sealed: bytes) -> AlertTarget:
        """Returns a target.

        Raises:
            SecretUnreadable: none of the keys here encrypted it.
        """
        try:
            fernet = self._found()
            if fernet is None:
                raise InvalidToken
            return AlertTarget(**json.loads(fernet.decrypt(sealed)))
        except InvalidToken as error:
            raise SecretUnreadable(
                f"What the watch keeps was encrypted with a key that {SETTING} does not hold any "
                "more. Put it back behind the newer one, or make the watch anew."
            ) from error

    def _found(self) -> MultiFernet | None:
        if self._fernet is None and self._kept is not None:
            self._fernet = MultiFernet([Fernet(self._kept())])
        return self._fernet
