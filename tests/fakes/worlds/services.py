"""Small services that record what they are given, for tests of the machinery around them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import datetime
from typing import Any, get_origin, get_type_hints

from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.ports import Cause, Handler, ManyHandler, Outgoing
from scops.common.contract.ids import EventId, FetchId, PageId
from scops.common.contract.messages import crawl
from scops.common.contract.service_table import Lane, Role, consumed_by
from scops.common.runtime.service import Service
from tests.fakes.clock import START


@dataclass
class Recorder:
    """A handler that keeps what it is given and does what it is told."""

    seen: list[tuple[Any, Cause]] = field(default_factory=list)
    # Called with each message; may raise, and returns the outputs.
    react: Callable[[Any, Cause], Sequence[Any]] = lambda message, cause: ()
    delay_seconds: float = 0.0
    # By event id, where it differs.
    delays: dict[str, float] = field(default_factory=dict)
    at_once: int = 0
    most_at_once: int = 0
    finished: int = 0

    async def __call__(self, message: Any, cause: Cause) -> Sequence[Any]:
        self.seen.append((message, cause))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(self.delays.get(cause.event_id, self.delay_seconds))
        self.at_once -= 1
        self.finished += 1
        return self.react(message, cause)

    @property
    def event_ids(self) -> list[str]:
        """The ids seen, repeats included."""
        return [cause.event_id for _, cause in self.seen]


def service_of(
    role: Role,
    message: type[Any],
    handler: Recorder,
    *,
    many: ManyHandler | None = None,
    **options: Any,
) -> Service:
    """Builds a service that consumes one message, perhaps many at once."""
    router = ServiceRouter(role, **options)
    router.consumes(message, many=many)(handler)
    return Service(role=role, router=router)


def messages_of(service: Service) -> list[type[Any]]:
    """Returns what a service consumes, once for each subscriber of one lane."""
    assert service.router is not None
    intakes = service.router.intakes
    return [one.consumer.contract.message for one in intakes if one.consumer.lane is Lane.NOW]


def handler_of(service: Service, message: type[Any]) -> Handler:
    """Returns the handler of a message, without the middlewares around it."""
    assert service.router is not None
    return service.router.handlers[message]


def recording_services() -> tuple[list[Service], dict[tuple[Role, type[Any]], Recorder]]:
    """Builds every role with a recorder for each message it consumes."""
    recorders = {(role, entry.message): Recorder() for role in Role for entry in consumed_by(role)}
    services = []
    for role in Role:
        router = ServiceRouter(role)
        for (owner, message), recorder in recorders.items():
            if owner is role:
                router.consumes(message)(recorder)
        services.append(Service(role=role, router=router))
    return services, recorders


def outgoing(message: Any, event_id: str, *, lane: Lane = Lane.BULK) -> Outgoing:
    """Builds a publication."""
    return Outgoing(message=message, event_id=EventId(event_id), organisation_id="main", lane=lane)


def page_gone(number: int = 1, *, at: datetime = START) -> crawl.PageGone:
    """Builds a small message with one consumer, the change-detector."""
    return crawl.PageGone(
        page_id=PageId(f"page-{number}"), fetch_id=FetchId(f"fetch-{number}"), observed_time=at
    )


def minimal(kind: Any) -> Any:
    """Builds a message of a type: required fields get the plainest value there is."""
    hints = get_type_hints(kind)
    required = {
        field.name: _plainest(hints[field.name])
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }
    return kind(**required)


def _plainest(hint: Any) -> Any:
    if hint is datetime:
        return START
    if is_dataclass(hint):
        return minimal(hint)
    return get_origin(hint)()
