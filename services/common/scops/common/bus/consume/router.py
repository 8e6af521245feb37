"""FastStream's router of one service: which messages it consumes, and by which handler.

    router = ServiceRouter(Role.EXTRACTOR, ports)

    @router.consumes(PageFetched)
    async def handle_page_fetched(message: PageFetched, cause: Cause, *, ports: Ports): ...

A message has a subscriber on each lane. Subjects, streams and durables come from the contract;
neither is ever declared from here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from inspect import getdoc
from typing import Any, TypeVar

from faststream import ContextRepo
from faststream.middlewares import AckPolicy
from faststream.nats import JStream, NatsRouter, PullSub
from nats.aio.client import Client

from scops.common.bus.consume.delivery import NatsDelivery
from scops.common.bus.consume.frames import ItemDelivery, split
from scops.common.bus.consume.received import Consumer, Received, answer, decode
from scops.common.bus.consume.retry import Retrying
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Cause, Handler, ManyHandler
from scops.common.bus.publish.gathering import FRAME_ITEMS_MAX
from scops.common.contract.service_table import BY_TYPE, Lane, MessageContract, Role
from scops.common.processes.turns import Turns, working_for
from scops.common.runtime.gate import Gate
from scops.common.scope.urls import host_key

# What a router decorates: called with (message, cause), and `ports` where its service has some.
Handle = Callable[..., Awaitable[Sequence[Any]]]
AnyHandle = TypeVar("AnyHandle", bound=Handle)
# The same of many: called with (message, cause) pairs, and `ports`.
HandleMany = Callable[..., Awaitable[Sequence[Sequence[Any] | None]]]
# Frames in hand at once in one process, of each message.
FRAMES_AT_ONCE = 4
# Messages that wait for a turn of their site, beside those that are handled: a site that has more
# on their way than this delays others. Each is a few hundred bytes; bodies and texts are blobs.
WAITING_MAX = 60
QUICK_TIMES = 2


class Intake:
    """A subscriber of a router: one message on one lane.

    Attributes:
        slots: messages in hand at once in one process, those that wait included.
        client, context, retrying, pause: of the broker that consumes by it, once it is connected.
    """

    client: Client
    context: ContextRepo
    retrying: Retrying
    pause: StorePause

    def __init__(self, consumer: Consumer, slots: int) -> None:
        self.consumer = consumer
        self.slots = slots
        self.subscriber: Any = None

    @property
    def gate(self) -> Gate | None:
        """What has to be open beside the process's own gate."""
        return None

    async def parse(self, message: Any) -> Received:
        """Returns what goes through the middlewares; FastStream's parser."""
        if isinstance(message, ItemDelivery):
            return Received(
                message,
                self.consumer,
                message.retrying,
                self.pause,
                outputs=message.outputs,
            )
        delivery = NatsDelivery(message, self.client)
        return Received(delivery, self.consumer, self.retrying, self.pause, message)

    async def handle(self, message: Any) -> None:
        """Hands a decoded message to its handler."""
        await answer(self.context.get_local("message"), message)


class FrameIntake(Intake):
    """A subscriber of frames, whose items go the way of single messages.

    Args:
        single: the subscriber of those.
    """

    def __init__(self, consumer: Consumer, single: Intake) -> None:
        super().__init__(consumer, FRAMES_AT_ONCE)
        self._single = single

    @property
    def gate(self) -> Gate | None:
        """No frame is pulled while a store refuses single messages, or items."""
        return self._single.pause.gate

    async def handle(self, message: Any) -> None:
        """Hands on the items of a frame."""
        await split(
            self.context.get_local("message"),
            message,
            self._single.subscriber.consume,
            single=self._single.consumer,
            at_once=FRAME_ITEMS_MAX,
        )


class ServiceRouter(NatsRouter):
    """The subscribers of one service.

    Attributes:
        handlers: by message, with their ports.
        many: those of many items of a frame, likewise.
        intakes: a message and lane each.

    Args:
        ports: what handlers get as `ports`; nothing where there are none.
        concurrency: messages handled at once per message and lane in one process; where `fair`,
            twice as many of quick sites and half as many of costly ones.
        fair: messages about pages wait in hand for a turn of their site (`Turns`), not in the
            order of the stream.
    """

    def __init__(
        self, role: Role, ports: Any = None, *, concurrency: int = 4, fair: bool = False
    ) -> None:
        super().__init__(decoder=decode, ack_policy=AckPolicy.MANUAL)
        self.role = role
        self.handlers: dict[type[Any], Handler] = {}
        self.many: dict[type[Any], ManyHandler] = {}
        self.intakes: list[Intake] = []
        self._ports = ports
        self._concurrency = concurrency
        self._fair = fair

    def consumes(
        self, *messages: type[Any], many: HandleMany | None = None
    ) -> Callable[[AnyHandle], AnyHandle]:
        """Decorates the handler of some messages.

        Args:
            many: handles those of a frame at once; see `ManyHandler`.
        """

        def decorate(handle: AnyHandle) -> AnyHandle:
            for message in messages:
                entry = BY_TYPE[message]
                assert self.role in entry.consumers, f"{self.role} does not consume {entry}"
                self.handlers[message] = bound = self._bound(handle)
                if many is not None and entry.framed:
                    self.many[message] = self._bound(many)
                for lane in Lane:
                    self._subscribe(entry, lane, bound, about=getdoc(handle) or "")
            return handle

        return decorate

    def _bound(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        return handle if self._ports is None else partial(handle, ports=self._ports)

    def _subscribe(
        self, entry: MessageContract, lane: Lane, handler: Handler, *, about: str
    ) -> None:
        at_once, slots = self._concurrency, self._concurrency
        framed = entry.framed and lane is Lane.BULK
        if self._fair:
            turns = Turns(QUICK_TIMES * at_once, costly_max=max(1, at_once // 2))
            handler = partial(_in_turn, turns, handler)
            slots = QUICK_TIMES * at_once + WAITING_MAX
        elif framed:
            # Items of frames are more than there are slots.
            handler = partial(_bounded, asyncio.Semaphore(at_once), handler)
        consumer = Consumer(
            role=self.role,
            contract=entry,
            lane=lane,
            handler=handler,
            many=self.many.get(entry.message) if framed else None,
        )
        intake = Intake(consumer, slots)
        self._take(intake, about=about)
        if framed:
            frames = FrameIntake(replace(consumer, framed=True), intake)
            self._take(frames, about=f"Several of {entry.snake_name}, item by item: {about}")

    def _take(self, intake: Intake, *, about: str) -> None:
        consumer = intake.consumer

        async def handle(message: Any) -> None:
            await intake.handle(message)

        name = consumer.contract.snake_name
        handle.__name__, handle.__doc__ = f"{name}_frame" if consumer.framed else name, about
        handle.__annotations__ = {"message": consumer.message, "return": None}
        intake.subscriber = self.subscriber(
            consumer.place.filter,
            durable=consumer.durable,
            stream=JStream(consumer.place.stream, declare=False),
            pull_sub=PullSub(batch_size=1),
            parser=intake.parse,
            no_reply=True,
            title=consumer.durable,
        )
        intake.subscriber(handle)
        # FastStream's would compile the subject anew for each message.
        intake.subscriber.get_log_context = partial(_log_context, consumer.durable)
        self.intakes.append(intake)


def _log_context(durable: str, message: Received | None) -> dict[str, str]:
    return {"consumer": durable, "message_id": "" if message is None else message.message_id}


async def _bounded(
    places: asyncio.Semaphore, handler: Handler, message: Any, cause: Cause
) -> Sequence[Any]:
    async with places:
        return await handler(message, cause)


async def _in_turn(turns: Turns, handler: Handler, message: Any, cause: Cause) -> Sequence[Any]:
    with working_for(_site_of(message)):
        async with turns.turn():
            return await handler(message, cause)


def _site_of(message: Any) -> str:
    """Returns what politeness counts the host of a message's page by; empty where it names none."""
    url = getattr(getattr(message, "verdict", message), "canonical_url", "")
    return host_key(url) if url else ""
