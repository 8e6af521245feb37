"""The streams and durables that the contract asks for, as JetStream configurations.

Why they are so: ADR 1 and 2.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nats.js import api

from scops.common.bus.admin.drift import OWNER
from scops.common.bus.publish.publisher import DEAD_LETTER_EXTRA_BYTES, MESSAGE_BYTES_MAX
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table as contract
from scops.common.contract.organisations import MAIN
from scops.common.contract.service_table import (
    Lane,
    MessageContract,
    Role,
    StreamContract,
    StreamRetention,
)

ADVISORY_STREAM = "SCOPS_ADVISORIES"
ADVISORY_SUBJECTS = (
    "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>",
    "$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.>",
)
ADVISORY_SECONDS = 7 * contract.DAY_SECONDS
ADVISORY_BYTES_MAX = 16 * 1024 * 1024
SCOPE_BUCKET = "scops_scopes"
DUPLICATE_WINDOW_SECONDS = 120
# The heartbeat renews it; it is how long the messages of a killed process wait.
ACK_WAIT_SECONDS = 30
# Above what a role's processes have in hand together, some 70 each.
ACK_PENDING_MAX = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Durable:
    """A durable that a role consumes by.

    Attributes:
        framed: it takes frames of the message, of lane bulk, and nothing else.
    """

    role: Role
    contract: MessageContract
    lane: Lane
    framed: bool = False

    @property
    def name(self) -> str:
        if self.framed:
            return contract.frames_durable(self.role, self.contract)
        return contract.durable_name(self.role, self.contract, self.lane)

    @property
    def stream(self) -> str:
        """The stream it reads."""
        return self.contract.stream.name

    @property
    def filter(self) -> str:
        """The subjects that it takes."""
        if self.framed:
            return contract.frames_filter(self.contract)
        return contract.subject_filter(self.contract, self.lane)

    @property
    def queue(self) -> str:
        """What its messages wait in: a lane, or frames."""
        return contract.FRAMES if self.framed else self.lane.value

    def takes(self, subject: str) -> bool:
        """Returns whether a subject is one of its own."""
        return contract.fits(subject, self.filter)


def durables_of(roles: Iterable[Role]) -> tuple[Durable, ...]:
    """Returns the durables of some roles, in the contract's order."""
    return tuple(
        Durable(role=role, contract=message, lane=lane, framed=framed)
        for role in roles
        for message in contract.consumed_by(role)
        for lane in Lane
        for framed in ((False, True) if message.framed and lane is Lane.BULK else (False,))
    )


def stream_configs(common: CommonSettings) -> tuple[api.StreamConfig, ...]:
    """Returns every stream: those of the contract and the advisories."""
    return (
        *(_contract_stream(stream, common) for stream in contract.streams()),
        _advisories(common),
    )


def output_configs(roles: Iterable[Role], common: CommonSettings) -> tuple[api.StreamConfig, ...]:
    """Returns the streams that some roles publish to."""
    running = set(roles)
    written = {
        message.stream
        for message in contract.MESSAGES
        if not message.producers or running & set(message.producers)
    }
    return tuple(_contract_stream(one, common) for one in contract.streams() if one in written)


def input_config(stream: str, common: CommonSettings) -> api.StreamConfig:
    """Returns a stream of the contract by name."""
    found = next(one for one in contract.streams() if one.name == stream)
    return _contract_stream(found, common)


def durable_config(durable: Durable) -> api.ConsumerConfig:
    """Returns the configuration of a durable."""
    return api.ConsumerConfig(
        durable_name=durable.name,
        name=durable.name,
        filter_subject=durable.filter,
        deliver_policy=api.DeliverPolicy.ALL,
        ack_policy=api.AckPolicy.EXPLICIT,
        ack_wait=ACK_WAIT_SECONDS,
        # Unlimited: at a limit the server would leave the message in the stream, unseen.
        max_deliver=-1,
        max_ack_pending=ACK_PENDING_MAX,
    )


def scope_bucket_config(common: CommonSettings) -> api.KeyValueConfig:
    """Returns the bucket that projects the gateway's scopes."""
    return api.KeyValueConfig(
        bucket=SCOPE_BUCKET,
        history=1,
        max_bytes=common.bus_stream_bytes_max,
        storage=api.StorageType.FILE,
        replicas=common.bus_replicas,
    )


def _contract_stream(stream: StreamContract, common: CommonSettings) -> api.StreamConfig:
    interest = stream.retention is StreamRetention.INTEREST
    extra = DEAD_LETTER_EXTRA_BYTES if stream is contract.DEAD_LETTER_STREAM else 0
    return api.StreamConfig(
        name=stream.name,
        subjects=_subjects(stream),
        retention=api.RetentionPolicy.INTEREST if interest else api.RetentionPolicy.LIMITS,
        storage=api.StorageType.FILE,
        # Facts that are owed push back when there is no room; a log of facts drops its oldest.
        discard=api.DiscardPolicy.NEW if interest else api.DiscardPolicy.OLD,
        max_bytes=common.bus_stream_bytes_max,
        max_age=float(stream.max_age_seconds),
        max_msg_size=MESSAGE_BYTES_MAX + extra,
        duplicate_window=DUPLICATE_WINDOW_SECONDS,
        num_replicas=common.bus_replicas,
        metadata=_metadata(common),
    )


def _metadata(common: CommonSettings) -> dict[str, str] | None:
    return None if common.organisation_id == MAIN else {OWNER: common.organisation_id}


def _subjects(stream: StreamContract) -> list[str]:
    """Returns a subject per message: any lane, any partition."""
    return [
        contract.subject_stem(message, Lane.BULK).removesuffix(Lane.BULK.value) + "*.*"
        for message in contract.MESSAGES
        if message.stream is stream
    ]


def _advisories(common: CommonSettings) -> api.StreamConfig:
    """Returns the stream that keeps what the server says about deliveries given up."""
    return api.StreamConfig(
        name=ADVISORY_STREAM,
        subjects=list(ADVISORY_SUBJECTS),
        retention=api.RetentionPolicy.LIMITS,
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.OLD,
        max_bytes=ADVISORY_BYTES_MAX,
        max_age=float(ADVISORY_SECONDS),
        max_msg_size=MESSAGE_BYTES_MAX,
        duplicate_window=DUPLICATE_WINDOW_SECONDS,
        num_replicas=common.bus_replicas,
        metadata=_metadata(common),
    )
