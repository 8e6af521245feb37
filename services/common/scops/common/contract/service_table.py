"""The contract between the services as data: who publishes which message, and who consumes it.

Subjects, streams, durables, permissions and the service table in the README derive from this.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from scops.common.contract import wire
from scops.common.contract.ids import partition
from scops.common.contract.messages import change, content, crawl, explanation, index, purge
from scops.common.contract.roles import Role as Role  # Belongs to the table, for its readers.


class Lane(StrEnum):
    """A person waits on `now`; crawls go by `bulk`."""

    NOW = "now"
    BULK = "bulk"


class StreamRetention(StrEnum):
    """How long a stream keeps a message."""

    # Until every interested consumer acknowledged it.
    INTEREST = "interest"
    # For a time, the oldest dropped first.
    LIMITS = "limits"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamContract:
    """A JetStream stream: one per producing role, and three that any role may publish to."""

    name: str
    retention: StreamRetention
    max_age_seconds: int = 0


@dataclass(frozen=True, kw_only=True)
class MessageContract:
    """A message's producers (empty: any role), its consumers, and the stream that carries it.

    Attributes:
        framed: several may go in one frame, in lane bulk.
    """

    message: type[Any]
    stream: StreamContract
    producers: tuple[Role, ...]
    consumers: tuple[Role, ...]
    framed: bool = False

    @cached_property
    def snake_name(self) -> str:
        """The message's name in a subject."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.message.__name__).lower()


DAY_SECONDS = 86_400
ROLES: dict[str, Role] = {role.value: role for role in Role}
# In the place of a lane: frames of messages of lane bulk, which consumers of single ones never get.
FRAMES = "frames"
# A partition or a role.
SUBJECT_END = re.compile(r"[a-z0-9-]{1,32}")


def _role_stream(role: Role) -> StreamContract:
    name = "SCOPS_" + role.value.upper().replace("-", "_")
    return StreamContract(name=name, retention=StreamRetention.INTEREST)


FETCHER_STREAM = _role_stream(Role.FETCHER)
EXTRACTOR_STREAM = _role_stream(Role.EXTRACTOR)
CHANGE_STREAM = _role_stream(Role.CHANGE_DETECTOR)
INDEXER_STREAM = _role_stream(Role.INDEXER)
EXPLAINER_STREAM = _role_stream(Role.EXPLAINER)
GATEWAY_STREAM = _role_stream(Role.GATEWAY)
JOB_STREAM = StreamContract(
    name="SCOPS_JOBS", retention=StreamRetention.LIMITS, max_age_seconds=DAY_SECONDS
)
# What the owners of parts of pages report of a purge.
PURGE_STREAM = StreamContract(name="SCOPS_PURGES", retention=StreamRetention.INTEREST)
DEAD_PAGE_STREAM = StreamContract(name="SCOPS_DEAD_PAGES", retention=StreamRetention.INTEREST)
DEAD_LETTER_STREAM = StreamContract(
    name="SCOPS_DEAD_LETTERS", retention=StreamRetention.LIMITS, max_age_seconds=30 * DAY_SECONDS
)


def _contract(
    stream: StreamContract,
    producer: Role | None,
    message: type[Any],
    *consumers: Role,
    framed: bool = False,
) -> MessageContract:
    return MessageContract(
        message=message,
        stream=stream,
        producers=(producer,) if producer else (),
        consumers=consumers,
        framed=framed,
    )


MESSAGES: tuple[MessageContract, ...] = (
    _contract(GATEWAY_STREAM, Role.GATEWAY, crawl.CrawlScope, Role.FETCHER),
    _contract(GATEWAY_STREAM, Role.GATEWAY, crawl.FetchPage, Role.FETCHER),
    _contract(GATEWAY_STREAM, Role.GATEWAY, crawl.CancelJob, Role.FETCHER),
    # Every page of a first crawl is told of by the framed ones.
    _contract(FETCHER_STREAM, Role.FETCHER, crawl.PageFetched, Role.EXTRACTOR, framed=True),
    _contract(FETCHER_STREAM, Role.FETCHER, crawl.PageUnmodified, Role.CHANGE_DETECTOR),
    _contract(FETCHER_STREAM, Role.FETCHER, crawl.PagesVerified, Role.CHANGE_DETECTOR),
    _contract(FETCHER_STREAM, Role.FETCHER, crawl.PageGone, Role.CHANGE_DETECTOR),
    # The fetcher has recorded it in its own ledger; the gateway tells watches of it.
    _contract(FETCHER_STREAM, Role.FETCHER, crawl.FetchFailed, Role.GATEWAY),
    _contract(JOB_STREAM, Role.FETCHER, crawl.CrawlProgressed, Role.GATEWAY),
    _contract(JOB_STREAM, Role.FETCHER, crawl.CrawlFinished, Role.GATEWAY),
    _contract(
        EXTRACTOR_STREAM,
        Role.EXTRACTOR,
        content.PageExtracted,
        Role.CHANGE_DETECTOR,
        Role.FETCHER,
        framed=True,
    ),
    _contract(EXTRACTOR_STREAM, Role.EXTRACTOR, content.ExtractionFailed, Role.FETCHER),
    _contract(
        CHANGE_STREAM,
        Role.CHANGE_DETECTOR,
        change.VersionAdded,
        Role.INDEXER,
        Role.FETCHER,
        framed=True,
    ),
    _contract(
        CHANGE_STREAM, Role.CHANGE_DETECTOR, change.VersionUnchanged, Role.INDEXER, Role.FETCHER
    ),
    _contract(
        CHANGE_STREAM, Role.CHANGE_DETECTOR, change.VersionRestored, Role.INDEXER, Role.FETCHER
    ),
    _contract(
        CHANGE_STREAM, Role.CHANGE_DETECTOR, change.VersionClosed, Role.INDEXER, Role.FETCHER
    ),
    _contract(CHANGE_STREAM, Role.CHANGE_DETECTOR, change.VersionsVerified, Role.INDEXER),
    _contract(CHANGE_STREAM, Role.CHANGE_DETECTOR, change.ChangeSettled, Role.FETCHER),
    _contract(CHANGE_STREAM, Role.CHANGE_DETECTOR, change.VersionsDropped, Role.INDEXER),
    _contract(INDEXER_STREAM, Role.INDEXER, index.VersionIndexed, Role.FETCHER, framed=True),
    _contract(INDEXER_STREAM, Role.INDEXER, index.HeadsVerified, Role.FETCHER),
    _contract(INDEXER_STREAM, Role.INDEXER, index.IndexFailed, Role.FETCHER),
    _contract(
        EXPLAINER_STREAM,
        Role.EXPLAINER,
        explanation.PageCited,
        Role.FETCHER,
        Role.CHANGE_DETECTOR,
    ),
    _contract(GATEWAY_STREAM, Role.GATEWAY, purge.PurgePages, Role.FETCHER),
    _contract(FETCHER_STREAM, Role.FETCHER, purge.PagesPurged, Role.CHANGE_DETECTOR, Role.GATEWAY),
    _contract(CHANGE_STREAM, Role.CHANGE_DETECTOR, purge.VersionsPurged, Role.INDEXER),
    MessageContract(
        message=purge.PurgeApplied,
        stream=PURGE_STREAM,
        producers=(Role.FETCHER, Role.CHANGE_DETECTOR, Role.INDEXER),
        consumers=(Role.GATEWAY,),
    ),
    _contract(DEAD_PAGE_STREAM, None, crawl.PageDead, Role.FETCHER),
    _contract(DEAD_LETTER_STREAM, None, crawl.DeadLetter),
)
BY_TYPE = {contract.message: contract for contract in MESSAGES}


def subject_of(message: object, *, lane: Lane, organisation_id: str) -> str:
    """Returns the subject that a message is published to.

    What any role may publish says at its end who did, where permissions bind it; the rest ends
    with a partition.
    """
    contract = BY_TYPE[type(message)]
    author = "" if contract.producers else CONSUMER_ROLES.get(getattr(message, "consumer", ""), "")
    key = entity_of(message) or organisation_id
    return f"{subject_stem(contract, lane)}.{author or partition(key)}"


def author_of(subject: str) -> Role | None:
    """Returns the role that a subject ends with, nothing where it ends with a partition."""
    return ROLES.get(subject.rpartition(".")[2])


def subject_stem(contract: MessageContract, lane: Lane) -> str:
    """Returns a message's subject without the partition."""
    return _stem(contract, lane.value)


def subject_filter(contract: MessageContract, lane: Lane) -> str:
    """Returns the subject filter of a message's durables."""
    return f"{subject_stem(contract, lane)}.*"


def frames_filter(contract: MessageContract) -> str:
    """Returns the subject filter of the durables of a message's frames."""
    return f"{_stem(contract, FRAMES)}.*"


def frames_subject(contract: MessageContract) -> str:
    """Returns the subject of a message's frames: pages of any partition are in one."""
    return f"{_stem(contract, FRAMES)}.any"


def frames_durable(role: Role, contract: MessageContract) -> str:
    """Returns the durable of one consuming service and a message's frames."""
    return f"{role.value}-{contract.snake_name}-{FRAMES}"


def again_subject(contract: MessageContract, role: Role) -> str:
    """Returns where a consumer publishes an item of a frame again, for itself alone."""
    return f"{subject_stem(contract, Lane.BULK)}.{role.value}"


def is_for_another(subject: str, contract: MessageContract, role: Role) -> bool:
    """Returns whether a message is an item of a frame that another consumer failed at."""
    again = contract.framed and is_of(subject, contract, Lane.BULK)
    return again and author_of(subject) not in (None, role)


def durable_name(role: Role, contract: MessageContract, lane: Lane) -> str:
    """Returns the durable of one consuming service, message and lane."""
    return f"{role.value}-{contract.snake_name}-{lane.value}"


def is_of(subject: str, contract: MessageContract, lane: Lane) -> bool:
    """Returns whether a subject is one that a message may be published to in a lane."""
    return fits(subject, subject_filter(contract, lane))


def fits(subject: str, durable_filter: str) -> bool:
    """Returns whether a subject is one that a durable's filter takes."""
    stem, _, last = subject.rpartition(".")
    return f"{stem}.*" == durable_filter and SUBJECT_END.fullmatch(last) is not None


def entity_of(message: object) -> str:
    """Returns what a message is about: its page, else its job or purge, else nothing."""
    verdict = getattr(message, "verdict", None)
    if verdict is not None:
        return str(verdict.page_id)
    names = ("page_id", "job_id", "purge_id")
    return next((str(found) for name in names if (found := getattr(message, name, ""))), "")


def fetch_of(message: object) -> str:
    """Returns the fetch that a message stems from, or nothing."""
    verdict = getattr(message, "verdict", message)
    return str(getattr(verdict, "fetch_id", ""))


def consumed_by(role: Role) -> tuple[MessageContract, ...]:
    """Returns the messages that a role consumes."""
    return tuple(contract for contract in MESSAGES if role in contract.consumers)


def streams() -> tuple[StreamContract, ...]:
    """Returns every stream once, in the table's order."""
    return tuple(dict.fromkeys(contract.stream for contract in MESSAGES))


def _stem(contract: MessageContract, lane: str) -> str:
    return f"scops.{wire.matter_of(contract.message)}.v1.{contract.snake_name}.{lane}"


def _durable_names(role: Role, contract: MessageContract) -> tuple[str, ...]:
    names = tuple(durable_name(role, contract, lane) for lane in Lane)
    return (*names, frames_durable(role, contract)) if contract.framed else names


# Which role each durable belongs to.
CONSUMER_ROLES = {
    name: role
    for contract in MESSAGES
    for role in contract.consumers
    for name in _durable_names(role, contract)
}
