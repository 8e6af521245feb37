"""A bus that duplicates, reorders, delays and redelivers, with the contract's own routing."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from scops.common.bus.ports import Outgoing
from scops.common.bus.publish.headers import headers_of
from scops.common.contract import service_table as contract
from scops.common.contract import wire
from scops.common.contract.service_table import Lane, MessageContract, Role
from tests.fakes.clock import ManualClock
from tests.simulation.stage import Stage

ACK_WAIT_SECONDS = 30.0
DEDUPE_SECONDS = 120.0


@dataclass(eq=False)
class Stored:
    """One message owed to one durable."""

    durable: str
    role: Role
    contract: MessageContract
    subject: str
    data: bytes
    headers: Mapping[str, str]
    sequence: int
    not_before: datetime
    delivery_count: int = 0
    in_flight: int = 0
    acked: bool = False


@dataclass
class SimBus:
    """Durables with the messages they are owed; implements the `Publisher` port."""

    stage: Stage
    clock: ManualClock
    rng: random.Random
    roles: tuple[Role, ...]
    owed: list[Stored] = field(default_factory=list)
    dead_letters: list[Any] = field(default_factory=list)
    published: list[Outgoing] = field(default_factory=list)
    _seen: dict[tuple[str, str], datetime] = field(default_factory=dict)
    _sequence: int = 0

    async def publish(self, outgoing: Outgoing) -> None:
        """Stores a message for every durable that is owed it; the PubAck may never arrive."""
        name = type(outgoing.message).__name__
        await self.stage.effect(f"publish {name}")
        self._store(outgoing)
        await self.stage.effect(f"puback {name}")

    def _store(self, outgoing: Outgoing) -> None:
        entry = contract.BY_TYPE[type(outgoing.message)]
        key = (entry.stream.name, str(outgoing.event_id))
        now = self.clock.now()
        seen = self._seen.get(key)
        # JetStream's window forgets acknowledged ids after a restart: half of the repeats pass.
        if seen and (now - seen).total_seconds() < DEDUPE_SECONDS and self.rng.random() < 0.5:
            return
        self._seen[key] = now
        self.published.append(outgoing)
        self._sequence += 1
        if entry.message.__name__ == "DeadLetter":
            self.dead_letters.append(outgoing.message)
        for role in entry.consumers:
            if role in self.roles:
                self._owe(role, entry, outgoing)

    def _owe(self, role: Role, entry: MessageContract, outgoing: Outgoing) -> None:
        delay = self.rng.choice((0.0, 0.0, 0.0, 0.1, 2.0))
        organisation = outgoing.organisation_id
        self.owed.append(
            Stored(
                durable=contract.durable_name(role, entry, outgoing.lane),
                role=role,
                contract=entry,
                subject=contract.subject_of(
                    outgoing.message, lane=outgoing.lane, organisation_id=organisation
                ),
                data=wire.encode(outgoing.message),
                headers=headers_of(outgoing, now=self.clock.now()),
                sequence=self._sequence,
                not_before=self.clock.now() + timedelta(seconds=delay),
            )
        )

    def deliverable(self, *, roles: frozenset[Role] | None = None) -> list[Stored]:
        """Returns what may be delivered now; in-flight messages only rarely, as after a stall."""
        now = self.clock.now()
        return [
            stored
            for stored in self.owed
            if stored.not_before <= now and (roles is None or stored.role in roles)
        ]

    def take(self, stored: Stored) -> "SimDelivery":
        """Delivers a message; it becomes due again when the acknowledgement stays out."""
        stored.delivery_count += 1
        stored.in_flight += 1
        stored.not_before = self.clock.now() + timedelta(seconds=ACK_WAIT_SECONDS)
        return SimDelivery(self, stored, stored.delivery_count)

    def next_due(self) -> datetime | None:
        """Returns when the next message is due."""
        return min((stored.not_before for stored in self.owed), default=None)

    def delete_durable(self, durable: str) -> None:
        """Drops in silence what only this durable was owed, as JetStream does."""
        self.owed = [stored for stored in self.owed if stored.durable != durable]

    def lose_everything(self) -> None:
        """Begins anew without streams, as after the loss of their disk."""
        self.owed.clear()
        self._seen.clear()

    def pending(self, role: Role) -> int:
        """Returns how many messages a role's durables are owed."""
        return sum(1 for stored in self.owed if stored.role is role)


@dataclass
class SimDelivery:
    """One delivery; implements the `Delivery` port."""

    bus: SimBus
    stored: Stored
    delivery_count: int

    @property
    def subject(self) -> str:
        return self.stored.subject

    @property
    def data(self) -> bytes:
        return self.stored.data

    @property
    def headers(self) -> Mapping[str, str]:
        return self.stored.headers

    @property
    def stream(self) -> str:
        return self.stored.contract.stream.name

    @property
    def stream_sequence(self) -> int:
        return self.stored.sequence

    @property
    def lane(self) -> Lane:
        return Lane(self.stored.subject.split(".")[4])

    async def ack_sync(self) -> None:
        await self.bus.stage.effect(f"ack {self.stored.durable}")
        self.stored.acked = True
        if self.stored in self.bus.owed:
            self.bus.owed.remove(self.stored)

    async def nak(self, delay_seconds: float) -> None:
        self.stored.not_before = self.bus.clock.now() + timedelta(seconds=delay_seconds)

    async def in_progress(self) -> None:
        return None
