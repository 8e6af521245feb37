"""What operators see of the bus through the gateway: queues, dead letters, and their mending.

The user of a role may read all of this and mend nothing: a replay publishes what other roles own
(ADR 36). So a bus with a user a role is mended by `scops deadletters`, as its provisioner.
"""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from nats.errors import Error
from nats.js import api
from nats.js.errors import NotFoundError

from scops.common.bus.admin.dead_letters import DeadLetters, HeldLetter, held_letter
from scops.common.bus.admin.topology import Durable, durables_of
from scops.common.bus.admin.watchdog import consumers_of
from scops.common.bus.instants import stored_instant
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.ports import BusQueue, GivenUp
from scops.common.bus.publish import headers as names
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import NotPermitted, StoreUnavailable
from scops.common.contract.ids import EventId
from scops.common.contract.organisations import role_of_user
from scops.common.contract.service_table import DEAD_LETTER_STREAM, Role
from scops.common.runtime.clock import Clock


class NatsOperations:
    """The bus of a process, as `BusOperations`."""

    def __init__(self, bus: NatsBus, common: CommonSettings, *, clock: Clock) -> None:
        self._jetstream = bus.jetstream
        self._letters = DeadLetters(
            bus.jetstream, bus.publisher, clock=clock, organisation_id=common.organisation_id
        )
        user = common.nats_user or urlsplit(bus.address.url).username or ""
        self._role = role_of_user(user) if user else ""

    async def queues(self) -> tuple[BusQueue, ...]:
        """Returns what each durable is owed, in the contract's order; see `BusOperations`."""
        found: list[BusQueue] = []
        durables = durables_of(Role)
        try:
            infos = {
                info.name: info
                for stream in dict.fromkeys(durable.stream for durable in durables)
                for info in await consumers_of(self._jetstream, stream)
            }
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable("Asking for the queues", error) from error
        for durable in durables:
            if (info := infos.get(durable.name)) is not None:
                found.append(_queue(durable, info))
        return tuple(found)

    async def dead_letters(self, *, after: int, limit: int) -> tuple[GivenUp, ...]:
        """Returns letters after a place in the stream, oldest first; see `BusOperations`."""
        try:
            return tuple([_given_up(held) async for held in self._held(after, limit)])
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable("Reading the dead letters", error) from error

    async def replay(self, letter_id: str) -> EventId:
        """Delivers a message again; see `BusOperations`."""
        self._check_may_mend(letter_id, "replay")
        return await self._letters.replay(await self._letters.find(letter_id))

    async def drop(self, letter_id: str) -> None:
        """Removes a letter for good; see `BusOperations`."""
        self._check_may_mend(letter_id, "drop")
        await self._letters.drop(await self._letters.find(letter_id))

    async def _held(self, after: int, limit: int) -> AsyncIterator[HeldLetter]:
        # One by one, since a role may create no consumer.
        for _ in range(limit):
            try:
                found = await self._jetstream.get_msg(
                    DEAD_LETTER_STREAM.name, seq=after + 1, subject=">", next=True
                )
            except NotFoundError:
                return
            after = int(found.seq or 0)
            yield held_letter(
                str(found.subject),
                found.data or b"",
                sequence=after,
                stored=stored_instant(found.time),
            )

    def _check_may_mend(self, letter_id: str, verb: str) -> None:
        if self._role in {role.value for role in Role}:
            raise NotPermitted(
                f"The gateway comes to the bus as {self._role}, who may mend nothing there. Run "
                f"`scops deadletters {verb} {letter_id}` with the provisioner's user of the bus.",
                reason="BUS_USER_MAY_NOT_MEND",
            )


def _queue(durable: Durable, info: api.ConsumerInfo) -> BusQueue:
    return BusQueue(
        consumer=durable.role.value,
        message=durable.contract.snake_name,
        lane=durable.queue,
        pending_count=info.num_pending or 0,
        in_hand_count=info.num_ack_pending or 0,
        redelivered_count=info.num_redelivered or 0,
        waiting_count=info.num_waiting or 0,
    )


def _given_up(held: HeldLetter) -> GivenUp:
    letter = held.letter
    return GivenUp(
        sequence=held.sequence,
        letter_id=letter.dead_letter_id,
        reason=letter.reason,
        detail=letter.detail,
        consumer=letter.consumer,
        about=letter.headers.get(names.EVENT_SUBJECT, ""),
        dead_time=letter.dead_time,
        replayed_time=letter.replayed_time,
        fault=held.fault,
    )


def _unavailable(doing: str, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"{doing} failed: {error!r}. Check that the bus runs and is provisioned, and that its "
        "users are those of this version (`scops nats-config`).",
        reason="BUS_UNAVAILABLE",
    )
