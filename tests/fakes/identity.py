"""Questions asked for somebody, as a gateway signs them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from scops.common.access.assertion import KEY_BYTES, IdentitySigner
from scops.common.access.bearing import bearing
from scops.common.access.principal import Principal, local_principal
from scops.common.contract.ids import monotonic_seconds
from scops.common.scope.book import ScopeBook
from scops.gateway.admission.admission import Admission
from scops.gateway.identity import first_administrator
from scops.gateway.identity.caller import Caller, CredentialKind
from scops.gateway.identity.signature import SignedBody

SIGNER = IdentitySigner(b"k" * KEY_BYTES)
LASTS = timedelta(seconds=60)


@dataclass(frozen=True)
class OneCaller:
    """Every call is of one principal."""

    principal: Principal

    async def caller(self, headers: Mapping[str, str], peer: str) -> Caller:
        return Caller(self.principal, CredentialKind.LOCAL)

    async def signer(self, body: SignedBody) -> Caller:
        return Caller(self.principal, CredentialKind.LOCAL)


def unbounded() -> Admission:
    """Returns what refuses nobody."""
    return Admission(units_per_second=0, slots_max=1000, now=monotonic_seconds)


@contextmanager
def asked_for(book: ScopeBook, now: datetime, principal: Principal | None = None) -> Iterator[None]:
    """Has every question inside be asked for somebody, whose gateway the book knows."""
    book.identity_keys = SIGNER.public_keys
    caller = principal or local_principal("main")
    with bearing(SIGNER.assertion(caller, until=now + LASTS)):
        yield


class HeardClaims:
    """Takes the place of the log that tells of tokens for the first administrator."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tokens: list[str] = []
        monkeypatch.setattr(first_administrator, "log", self)

    def warning(self, event: str, *, command: str, hours: float) -> None:
        """Hears of a token."""
        self.tokens.append(command.removeprefix("scops identity claim "))
