"""What is sent to say who asks: an option, a variable, or a saved login that is kept fresh."""

import string
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scops.client.errors import InvalidRequest, NotAuthenticated, ScopsError
from scops.client.target import GatewayTarget

if TYPE_CHECKING:
    from scops.client.login.saved import Logins, SavedLogin

TOKEN = "SCOPS_TOKEN"
# Visible ASCII: what a header takes.
CHARACTERS = frozenset(string.ascii_letters + string.digits + string.punctuation)
# A token that ends while the call is on its way would be refused.
EARLY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Credential:
    """What a call carries.

    Attributes:
        login: where it is from, if it is a saved login's.
    """

    token: str
    target: GatewayTarget
    login: "SavedLogin | None" = None

    def renewed(self) -> "Credential | None":
        """Returns a fresh one for one that was refused; None where there is no way to."""
        if self.login is None or not self.login.tokens.refresh_token:
            return None
        return _of(self.target, _renewed(_own(), self.target, refused=self.token))


def find_credential(
    target: GatewayTarget, environ: Mapping[str, str], *, given: str = ""
) -> Credential | None:
    """Returns what to send to a gateway; None where nobody has said who asks.

    Args:
        given: a key or token that goes before `SCOPS_TOKEN` and a saved login.

    Raises:
        ScopsError: it would be readable on its way, is malformed, or cannot be renewed.
    """
    given = given or environ.get(TOKEN, "")
    if given:
        target.check_private()
        return Credential(_checked(given), target)
    logins = _own()
    if not logins.path.exists():
        return None
    login = logins.find(target.address)
    if login is None:
        return None
    target.check_private()
    if time.time() >= login.tokens.expires - EARLY_SECONDS and login.tokens.refresh_token:
        login = _renewed(logins, target, refused=login.tokens.token)
    return _of(target, login)


def _of(target: GatewayTarget, login: "SavedLogin") -> Credential:
    return Credential(_checked(login.tokens.token), target, login)


def _renewed(logins: "Logins", target: GatewayTarget, *, refused: str) -> "SavedLogin":
    """Returns a saved login with fresh tokens, which another command may have got already.

    Raises:
        ScopsError: the login has ended, or the issuer cannot be asked.
    """
    from dataclasses import replace

    from scops.client.login.device_flow import renew
    from scops.client.login.endpoints import IssuerClient, IssuerError

    with logins.alone():
        login = logins.find(target.address)
        if login is None:
            raise _ended(target)
        if login.tokens.token != refused:
            return login
        with IssuerClient(login.issuer, ca=target.ca) as issuer:
            try:
                tokens = renew(
                    issuer, issuer.endpoints().token, login.client, login.tokens.refresh_token
                )
            except IssuerError as error:
                raise _ended(target, error) from None
        return logins.save(target.address, replace(login, tokens=tokens), keyring=login.in_keyring)


def _own() -> "Logins":
    # Reading logins takes what most commands do not need: json, tempfile, locks.
    from scops.client.login.saved import own_logins

    return own_logins()


def _checked(token: str) -> str:
    token = token.strip()
    if not token or not CHARACTERS.issuperset(token):
        raise InvalidRequest(
            "The key or token is malformed: it has spaces or characters that no header takes. "
            "Copy it again, without quotes.",
            reason="TOKEN_MALFORMED",
        )
    return token


def _ended(target: GatewayTarget, error: Exception | None = None) -> ScopsError:
    why = f": {error}" if error is not None else ""
    return NotAuthenticated(
        f"The login at {target.address} has ended{why}. Run `scops login`.",
        reason="LOGIN_ENDED",
    )
