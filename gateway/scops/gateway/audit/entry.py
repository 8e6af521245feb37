"""An entry of the audit, and the hash that chains it to the one before."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from scops.gateway.identity.caller import CredentialKind

HASH_BYTES = 32
# Before the first entry.
NO_HASH = bytes(HASH_BYTES)
BEGUN = "BEGUN"


@dataclass(frozen=True, slots=True)
class AuditFact:
    """What a request said: a field, or how many values it had."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One step of a call: that it began, or how it ended.

    Attributes:
        sequence: from 1, without gaps; 0 before it is appended.
        action: the method, such as `CreateScope`.
        resource: what it is about, such as `scopes/tarn`; empty where nobody says.
        outcome: `BEGUN`, `OK`, or the name of the google.rpc.Code that the call failed with.
        hash: over the entry before and this one; empty before it is appended.
    """

    time: datetime
    organisation_id: str
    principal: str
    credential: CredentialKind
    action: str
    resource: str
    outcome: str
    request_id: str
    key: str = ""
    facts: tuple[AuditFact, ...] = ()
    sequence: int = 0
    hash: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which entries; what is empty does not count.

    Attributes:
        start, end: from the one on, and before the other.
    """

    principal: str = ""
    action: str = ""
    resource: str = ""
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class ChainLink:
    """What verifying takes of an entry: its place, what it says, and its hash."""

    sequence: int
    said: bytes
    hash: bytes


class AuditLog(Protocol):
    """The chain; several gateways append to one."""

    async def append(self, entry: AuditEntry) -> AuditEntry:
        """Appends an entry and returns it with its place.

        Raises:
            StoreRefusal: nothing was written.
        """
        ...

    async def newest(
        self, organisation_id: str, wanted: AuditFilter, *, before: int, limit: int
    ) -> tuple[AuditEntry, ...]:
        """Returns entries, newest first, before a sequence; 0 begins."""
        ...

    async def chain(self, *, after: int, limit: int) -> tuple[tuple[ChainLink, ...], ChainLink]:
        """Returns entries in their order, after a sequence, and what the next one would follow.

        Both are of one instant. What an entry says may be anything: somebody may have changed it.
        """
        ...


def hash_of(before: bytes, said: bytes) -> bytes:
    """Returns the hash of an entry that follows another."""
    return hashlib.sha256(before + said).digest()


def said_by(entry: AuditEntry) -> bytes:
    """Returns what an entry says, in the one form that is hashed."""
    return canonical(
        entry.sequence,
        entry.time,
        entry.organisation_id,
        entry.principal,
        entry.credential.value,
        entry.key,
        entry.action,
        entry.resource,
        entry.outcome,
        [[fact.name, fact.value] for fact in entry.facts],
        entry.request_id,
    )


def canonical(sequence: int, time: datetime, *values: Any) -> bytes:
    """Returns the values of an entry, in their order, as ASCII JSON."""
    instant = time.astimezone(UTC).isoformat(timespec="microseconds")
    said = [sequence, instant, *values]
    return json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode()
