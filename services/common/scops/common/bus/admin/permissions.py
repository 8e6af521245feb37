"""What each user of the bus may do: one user a role, derived from the service table.

A role may publish the messages that it produces; under its name, dead letters and `PageDead` of its
own consumers, and again, for itself, items of frames that it could not handle; take and acknowledge
what its own durables are owed; ask and answer the questions that are its own; read the scopes.
Streams, durables and any other consumer are made and removed by the provisioner alone. Answers come
to an inbox that nobody else may read.

The server sends replies with its own right, wherever a request wants them. So whoever receives
checks what came: consumers the subject and the durable, who answers the inbox that asks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from scops.common.bus.admin.topology import SCOPE_BUCKET, durables_of
from scops.common.bus.connection import user_inbox
from scops.common.contract import service_table
from scops.common.contract.service_table import MessageContract, Role
from scops.common.query.ports import METHODS

PROVISIONER = "provisioner"
API = "$JS.API"
SCOPES = f"KV_{SCOPE_BUCKET}"
# Heard by everybody: a hint to read the bucket.
SCOPE_CHANGES = f"$KV.{SCOPE_BUCKET}.>"
# The one role that writes the scopes' bucket.
SCOPE_WRITER = Role.GATEWAY
OPERATED_BY = Role.GATEWAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Subjects that a user may publish and subscribe to; everything else is refused.

    Attributes:
        subscribe: a subject, or a subject and a queue group with a space between them.
        answers: whether it may publish once to the inbox of whoever asked it.
    """

    user: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    answers: bool = False


def users(*, previous: bool = False) -> tuple[Permissions, ...]:
    """Returns every user: one a role, and the provisioner.

    Args:
        previous: also what roles of the release before need, for as long as both run.
    """
    return (
        *(role_permissions(role, previous=previous) for role in Role),
        provisioner_permissions(),
    )


def role_permissions(role: Role, *, previous: bool = False) -> Permissions:
    """Returns what a role may do.

    Args:
        previous: also in the release before.
    """
    served = [method for method in METHODS if method.role is role]
    queues = (f"{method.subject} {role.value}" for method in served)
    return Permissions(
        user=role.value,
        publish=tuple(
            dict.fromkeys((*_publications(role), *(_previous(role) if previous else ())))
        ),
        subscribe=(_inbox(role.value), *queues, SCOPE_CHANGES),
        answers=bool(served),
    )


def provisioner_permissions() -> Permissions:
    """Returns what `scops provision` and `scops deadletters` may do."""
    return Permissions(
        user=PROVISIONER,
        publish=(f"{API}.>", "scops.*.v1.>"),
        subscribe=(_inbox(PROVISIONER),),
    )


def _publications(role: Role) -> Iterator[str]:
    for message in service_table.MESSAGES:
        if role in message.producers:
            yield f"{_any_lane(message)}.*"
        elif not message.producers and service_table.consumed_by(role):
            yield f"{_any_lane(message)}.{role.value}"
        if message.framed and role in message.consumers:
            yield service_table.again_subject(message, role)
    yield from (method.subject for method in METHODS if role in method.askers)
    yield from _consumption(role)
    yield from _inspection(role)
    yield from _scopes(role)


def _consumption(role: Role) -> Iterator[str]:
    for durable in durables_of([role]):
        place = f"{durable.stream}.{durable.name}"
        yield f"{API}.CONSUMER.INFO.{place}"
        yield f"{API}.CONSUMER.MSG.NEXT.{place}"
        yield f"$JS.ACK.{place}.>"


def _inspection(role: Role) -> Iterator[str]:
    """Yields what readiness, the backlog and the gauges read."""
    read = [durable.stream for durable in durables_of([role])]
    written = [
        message.stream.name
        for message in service_table.MESSAGES
        if not message.producers or role in message.producers
    ]
    # Operators look at all queues, and at what was given up, through the gateway.
    seen = [stream.name for stream in service_table.streams()] if role is OPERATED_BY else []
    for stream in dict.fromkeys((*read, *written, *seen)):
        yield f"{API}.STREAM.INFO.{stream}"
        yield f"{API}.CONSUMER.LIST.{stream}"
    letters = [service_table.DEAD_LETTER_STREAM.name] if role is OPERATED_BY else []
    for stream in dict.fromkeys((*read, *letters)):
        # The age of what is owed longest; the letters.
        yield f"{API}.STREAM.MSG.GET.{stream}"


def _scopes(role: Role) -> Iterator[str]:
    yield f"{API}.STREAM.INFO.{SCOPES}"
    yield f"{API}.STREAM.MSG.GET.{SCOPES}"
    if role is SCOPE_WRITER:
        yield SCOPE_CHANGES
        yield f"{API}.DIRECT.GET.{SCOPES}"
        yield f"{API}.DIRECT.GET.{SCOPES}.>"


def _previous(role: Role) -> Iterator[str]:
    """Yields what a role of version 0.1 publishes beside: letters unbound, watches of scopes."""
    for message in service_table.MESSAGES:
        if not message.producers:
            yield f"{_any_lane(message)}.*"
    yield f"{API}.CONSUMER.CREATE.{SCOPES}"
    yield f"{API}.CONSUMER.CREATE.{SCOPES}.>"
    yield f"{API}.CONSUMER.INFO.{SCOPES}.*"
    yield f"$JS.FC.{SCOPES}.>"


def _any_lane(message: MessageContract) -> str:
    return service_table.subject_stem(message, service_table.Lane.BULK).rpartition(".")[0] + ".*"


def _inbox(user: str) -> str:
    return f"{user_inbox(user)}.>"
