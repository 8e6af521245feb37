"""What an installation keeps of who may come in: keys, people, roles, groups, the first claim."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from scops.common.access.principal import InstallationRole, Principal
from scops.gateway.identity.api_key import ApiKey

# Groups that a token named count so long for the keys of its bearer.
GROUPS_KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """What is kept of a principal beside its credential.

    Attributes:
        email: that its issuer confirmed when it came in last.
        groups: kept here, and of its last token where that is not too old.
    """

    email: str = ""
    groups: frozenset[str] = frozenset()
    roles: frozenset[InstallationRole] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A subject with a role in the installation, or in a group; one of both is set."""

    subject: str
    role: InstallationRole | None = None
    group: str = ""


class IdentityStore(Protocol):
    """Every method is one transaction."""

    async def key(self, key_id: str) -> ApiKey | None:
        """Returns a key, one that has ended too."""
        ...

    async def add_key(self, key: ApiKey) -> None:
        """Keeps a new key."""
        ...

    async def keys(
        self, organisation_id: str, *, principal_id: str, before: str, limit: int
    ) -> tuple[ApiKey, ...]:
        """Returns keys, newest first.

        Args:
            principal_id: whose; empty for everybody's.
            before: the cursor of the last one that is known; empty begins.
        """
        ...

    async def revoke_key(self, key_id: str, *, now: datetime) -> None:
        """Ends a key; one that has been revoked keeps its time."""
        ...

    async def note_use(self, key_id: str, *, now: datetime) -> None:
        """Records when a key was used."""
        ...

    async def note_person(self, principal: Principal, *, now: datetime) -> None:
        """Records address and groups of who came in by a token."""
        ...

    async def membership(self, principal: Principal, *, now: datetime) -> Membership:
        """Returns what is kept of a principal, by all its subjects."""
        ...

    async def set_role(
        self, organisation_id: str, subject: str, role: InstallationRole, *, held: bool
    ) -> bool:
        """Gives a role or takes it back; False where nobody would be administrator then."""
        ...

    async def set_group_member(
        self, organisation_id: str, group: str, subject: str, *, held: bool
    ) -> None:
        """Puts a subject into a group, or takes it out."""
        ...

    async def members(
        self, organisation_id: str, *, after: str, limit: int
    ) -> tuple[tuple[str, Member], ...]:
        """Returns roles and groups by subject, each with its cursor.

        Args:
            after: the cursor of the last one that is known; empty begins.
        """
        ...

    async def has_administrator(self, organisation_id: str) -> bool:
        """Returns whether somebody is administrator."""
        ...

    async def offer_claim(
        self, token_hash: bytes, *, now: datetime, offered_after: datetime
    ) -> None:
        """Keeps the hash of a token that makes its bearer the first administrator.

        Args:
            offered_after: those that were offered before count no more, and go.
        """
        ...

    async def claim(
        self,
        organisation_id: str,
        token_hash: bytes,
        subject: str,
        roles: Collection[InstallationRole],
        *,
        key: ApiKey | None,
        offered_after: datetime,
    ) -> bool:
        """Gives roles to the first who has a token, with a key where one is to be made.

        All tokens end by it. False where the token is none that was offered after an instant, or
        somebody is administrator already.
        """
        ...
