"""A bus that duplicates, reorders, delays and redelivers, with the contract's own routing."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from scops.common.bus.admin.topology import Durable
from scops.common.bus.ports import Outgoing, Sealed
from scops.common.bus.publish import headers as names
from scops.common.bus.publish.gathering import FRAME_ITEMS_MAX
from scops.common.bus.publish.sealing import frame_of, seal
from scops.common.contract import service_table as contract
from scops.common.contract.messages.crawl import DeadLetter
from scops.common.contract.service_table import Lane, MessageContract, Role
from tests.fakes.bus import messages_in
from tests.fakes.clock import ManualClock
from tests.simulation.stage import Stage

ACK_WAIT_SECONDS = 30.0
DEDUPE_SECONDS = 120.0
# Of what waits beside a message, how much comes in one frame with it.
FRAMED_SHARE = 0.7
# How long what may come in a frame waits for others.
GATHER_SECONDS = (0.0, 20.0)


@dataclass(eq=False)
class Stored:
    """One message owed to one durable."""

    durable: str
    role: Role
    contract: MessageContract
    lane: Lane
    framed: bool
    subject: str
    data: bytes
    headers: Mapping[str, str]
    sequence: int
    not_before: datetime
    delivery_count: int = 0
    in_flight: int = 0
    acked: bool = False

    @property
    def may_be_framed(self) -> bool:
        """Whether it could as well have come in a frame: nobody has seen it yet."""
        alone = not self.framed and names.REPLAYED_FOR not in self.headers
        is_bulk = self.contract.framed and self.lane is Lane.BULK
        return is_bulk and alone and not self.delivery_count

    @property
    def sealed(self) -> Sealed:
        """What it was sent as."""
        return Sealed(
            contract=self.contract,
            lane=self.lane,
            subject=self.subject,
            headers=self.headers,
            data=self.data,
        )


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
    # Frames that were delivered, and items of them that were sent again alone.
    frames: list[Stored] = field(default_factory=list)
    again: list[Sealed] = field(default_factory=list)
    gather_seconds: float = field(init=False)
    _seen: dict[tuple[str, str], datetime] = field(default_factory=dict)
    _sequence: int = 0

    def __post_init__(self) -> None:
        self.gather_seconds = self.rng.choice(GATHER_SECONDS)

    async def publish(self, outgoing: Outgoing) -> None:
        """Stores a message for every durable that is owed it; the PubAck may never arrive."""
        name = type(outgoing.message).__name__
        await self.stage.effect(f"publish {name}")
        self._store(seal(outgoing, now=self.clock.now()), [outgoing])
        await self.stage.effect(f"puback {name}")

    async def send(self, sealed: Sealed) -> None:
        """Stores a frame, or an item of one for whom it is sent again."""
        name = sealed.contract.message.__name__
        await self.stage.effect(f"publish {name}")
        is_again = names.REPLAYED_FOR in sealed.headers
        self.again += [sealed] if is_again else []
        self._store(sealed, [] if is_again else messages_in(sealed))
        await self.stage.effect(f"puback {name}")

    def _store(self, sealed: Sealed, messages: list[Outgoing]) -> None:
        entry = sealed.contract
        key = (entry.stream.name, sealed.headers[names.MESSAGE_ID])
        now = self.clock.now()
        seen = self._seen.get(key)
        # JetStream's window forgets acknowledged ids after a restart: half of the repeats pass.
        if seen and (now - seen).total_seconds() < DEDUPE_SECONDS and self.rng.random() < 0.5:
            return
        self._seen[key] = now
        self.published += messages
        self._sequence += 1
        self.dead_letters += [
            one.message for one in messages if isinstance(one.message, DeadLetter)
        ]
        for role in entry.consumers:
            if role in self.roles:
                self._owe(role, sealed)

    def _owe(self, role: Role, sealed: Sealed) -> None:
        """Owes a message to the durable of a role that takes its subject."""
        delay = self.rng.choice((0.0, 0.0, 0.0, 0.1, 2.0))
        framed = sealed.subject == contract.frames_subject(sealed.contract)
        durable = Durable(role=role, contract=sealed.contract, lane=sealed.lane, framed=framed)
        assert durable.takes(sealed.subject), sealed.subject
        stored = Stored(
            durable=durable.name,
            role=role,
            contract=sealed.contract,
            lane=sealed.lane,
            framed=framed,
            subject=sealed.subject,
            data=sealed.data,
            headers=sealed.headers,
            sequence=self._sequence,
            not_before=self.clock.now(),
        )
        delay += self.gather_seconds if stored.may_be_framed else 0.0
        stored.not_before += timedelta(seconds=delay)
        self.owed.append(stored)

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
        if stored.framed:
            self.frames.append(stored)
        stored.in_flight += 1
        stored.not_before = self.clock.now() + timedelta(seconds=ACK_WAIT_SECONDS)
        count = names.deliveries_of(stored.headers, stored.delivery_count)
        return SimDelivery(self, stored, count)

    def together(self, stored: Stored) -> Stored:
        """Has some of what waits beside a message come with it, as if published in one frame."""
        beside = [
            one
            for one in self.owed
            if one.durable == stored.durable
            and one is not stored
            and one.may_be_framed
            and self.rng.random() < FRAMED_SHARE
        ]
        if not beside or not stored.may_be_framed:
            return stored
        chosen = [stored, *beside][:FRAME_ITEMS_MAX]
        self.rng.shuffle(chosen)
        frame = frame_of([one.sealed for one in chosen], now=self.clock.now())
        self.owed = [one for one in self.owed if one not in chosen]
        self._sequence += 1
        self._owe(stored.role, frame)
        return self.owed[-1]

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

    async def ack_sync(self) -> None:
        await self.bus.stage.effect(f"ack {self.stored.durable}")
        self.stored.acked = True
        if self.stored in self.bus.owed:
            self.bus.owed.remove(self.stored)

    async def nak(self, delay_seconds: float) -> None:
        self.stored.not_before = self.bus.clock.now() + timedelta(seconds=delay_seconds)

    async def in_progress(self) -> None:
        return None
