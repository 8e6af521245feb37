"""What is kept of credentials of scopes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.errors import PermanentError
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import KeptCredential
from scops.fetcher.credentials.sealing import CredentialPlace
from scops.fetcher.credentials.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCredential:
    """A credential that may be used now.

    Args:
        put_time: tells it from one that was put before it.
    """

    access_context: str
    origin: str
    secret: Secret
    put_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ResealedCount:
    """What became of the credentials that the first key did not seal."""

    resealed: int = 0
    unreadable: int = 0


class CredentialUnusable(PermanentError):
    """There is no credential for an access context, or it has expired."""

    default_reason = "CREDENTIAL_NOT_KEPT"


class Credentials(Protocol):
    """Credentials, sealed; each method is one transaction."""

    async def put(
        self,
        secret: Secret,
        place: CredentialPlace,
        *,
        put_by: str,
        expire_time: datetime | None,
        now: datetime,
    ) -> None:
        """Keeps a secret in place of what its scope had for its origin.

        Raises:
            InvalidInput: there is no key to seal it by.
        """
        ...

    async def drop(self, organisation_id: str, scope_id: ScopeId, origin: str) -> bool:
        """Forgets a scope's credential for an origin; returns whether there was one."""
        ...

    async def of_scope(self, organisation_id: str, scope_id: ScopeId) -> Sequence[KeptCredential]:
        """Returns what a scope has, by origin, without what is secret."""
        ...

    async def opened(self, access_context: str, *, now: datetime) -> OpenedCredential:
        """Returns what the pages of a context are asked for with.

        Raises:
            CredentialUnusable: there is none, or it has expired.
            CredentialUnreadable: it was sealed by a key that is not here.
        """
        ...

    async def seal_anew(self) -> ResealedCount:
        """Seals by the first key what another one sealed, so that the other one may go."""
        ...
