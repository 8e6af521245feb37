"""Creates streams, durables and the scopes' bucket; the only module that configures the bus.

It adds what is missing and widens what may be widened in place (more subjects, more room). Any
other difference is an error that names it: an update may drop messages in silence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nats.errors import Error
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError

from scops.common.bus.admin.drift import (
    DURABLE_FIELDS,
    STREAM_FIELDS,
    Differences,
    described,
    differences,
)
from scops.common.bus.admin.topology import (
    SCOPE_BUCKET,
    Durable,
    durable_config,
    durables_of,
    scope_bucket_config,
    stream_configs,
)
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import Conflict, StoreUnavailable
from scops.common.contract.service_table import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioned:
    """What a run created, widened and found in place, by name."""

    created: tuple[str, ...]
    widened: tuple[str, ...]
    unchanged: tuple[str, ...]


async def provision(
    jetstream: JetStreamContext, roles: Sequence[Role], *, common: CommonSettings
) -> Provisioned:
    """Creates what the roles need before any of them starts; may be repeated.

    Raises:
        Conflict: something exists and differs in what cannot be changed in place.
        StoreUnavailable: the bus does not answer or has no room.
    """
    done: dict[str, list[str]] = {"created": [], "widened": [], "unchanged": []}
    try:
        for config in stream_configs(common):
            done[await _ensure_stream(jetstream, config)].append(str(config.name))
        done[await _ensure_bucket(jetstream, common)].append(SCOPE_BUCKET)
        for durable in durables_of(roles):
            done[await _ensure_durable(jetstream, durable)].append(durable.name)
    except (Error, OSError, TimeoutError) as error:
        raise StoreUnavailable(
            f"Provisioning the bus failed: {error!r}. Check that the server runs with JetStream "
            "and has room for its streams (SCOPS_BUS_STREAM_BYTES_MAX each).",
            reason="PROVISIONING_FAILED",
        ) from error
    return Provisioned(**{name: tuple(names) for name, names in done.items()})


async def _ensure_stream(jetstream: JetStreamContext, wanted: api.StreamConfig) -> str:
    try:
        found = (await jetstream.stream_info(str(wanted.name))).config
    except NotFoundError:
        await jetstream.add_stream(wanted)
        return "created"
    different = differences(wanted, found, STREAM_FIELDS)
    if not different:
        return "unchanged"
    if not all(_widens(name, wanted, found) for name in different):
        raise _mismatch("stream", str(wanted.name), different)
    await jetstream.update_stream(wanted)
    return "widened"


async def _ensure_durable(jetstream: JetStreamContext, durable: Durable) -> str:
    wanted = durable_config(durable)
    try:
        found = (await jetstream.consumer_info(durable.stream, durable.name)).config
    except NotFoundError:
        await jetstream.add_consumer(durable.stream, wanted)
        return "created"
    different = differences(wanted, found, DURABLE_FIELDS)
    if different.keys() - {"max_ack_pending"}:
        raise _mismatch("durable", durable.name, different)
    if int(found.max_ack_pending or 0) >= int(wanted.max_ack_pending or 0):
        # More than is wanted harms nobody: a later version, or an operator, has made room.
        return "unchanged"
    await jetstream.add_consumer(durable.stream, wanted)
    return "widened"


async def _ensure_bucket(jetstream: JetStreamContext, common: CommonSettings) -> str:
    wanted = scope_bucket_config(common)
    try:
        found = (await jetstream.stream_info(f"KV_{SCOPE_BUCKET}")).config
    except NotFoundError:
        await jetstream.create_key_value(wanted)
        return "created"
    if found.max_msgs_per_subject != wanted.history or found.storage != wanted.storage:
        raise _mismatch(
            "bucket", SCOPE_BUCKET, {"history": (wanted.history, found.max_msgs_per_subject)}
        )
    return "unchanged"


def _widens(name: str, wanted: api.StreamConfig, found: api.StreamConfig) -> bool:
    """Returns whether a difference only adds: no stored message is touched by it."""
    if name == "subjects":
        return set(found.subjects or []) < set(wanted.subjects or [])
    if name in ("max_bytes", "max_msg_size"):
        return int(getattr(wanted, name)) > int(getattr(found, name)) > 0
    return False


def _mismatch(kind: str, name: str, different: Differences) -> Conflict:
    return Conflict(
        f"The {kind} {name} exists and differs: {described(different)}. "
        "Changing it in place may lose messages: let its consumers drain it, "
        f"delete the {kind}, and provision again; or set it back.",
        reason="BUS_MISMATCH",
        name=name,
    )
