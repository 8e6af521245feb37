"""Answers questions over NATS: instances of a role share them, each with bounded concurrency."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from scops.common.access.assertion import ASSERTED, bearing
from scops.common.bus.connection import INBOX_PREFIX, end_interest, settle, user_inbox
from scops.common.contract.errors import InvalidInput, ScopsError, TransientError
from scops.common.contract.organisations import MAIN, check_mine
from scops.common.contract.roles import Role
from scops.common.observe.log import bound_ids, get_logger
from scops.common.observe.trail import following, trail_of
from scops.common.query import codec
from scops.common.query.answering import answer
from scops.common.query.deadline import wall_limit
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import QueryBinding

log = get_logger(__name__)
# Questions that one role answers at once in one process.
CONCURRENCY = 16
# Questions that may wait for a free slot; further ones are told to come back.
WAITING_PER_SLOT = 8
# How long the server may take to confirm the subscriptions.
START_SECONDS = 10


class NatsQueryServer:
    """Serves the questions of one role.

    Args:
        concurrency: questions answered at once; eight times as many may wait.
        organisation_id: whose questions it answers; it refuses those of others.
    """

    def __init__(
        self,
        client: Client,
        bindings: Sequence[QueryBinding],
        *,
        clock: Clock,
        concurrency: int = CONCURRENCY,
        organisation_id: str = MAIN,
    ) -> None:
        self._client = client
        self._bindings = bindings
        self._clock = clock
        self._organisation_id = organisation_id
        self._slots = asyncio.Semaphore(concurrency)
        self._admitted_max = concurrency * (1 + WAITING_PER_SLOT)
        self._subscriptions: list[Subscription] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Subscribes to every question, as one of the role's queue group."""
        for binding in self._bindings:
            self._subscriptions.append(await self._subscribe(binding))
        # The server knows the subscriptions before the first question can miss them.
        await settle(self._client, timeout_seconds=START_SECONDS)

    async def stop(self, *, timeout_seconds: float) -> None:
        """Takes no further questions and waits for those in progress, then cancels them.

        A question that the server had sent by then is one of those: dropped, nobody would answer
        it, and who asks would wait until the deadline.
        """
        with suppress(Error, OSError, TimeoutError):
            for subscription in self._subscriptions:
                await end_interest(self._client, subscription)
                await subscription.drain()  # type: ignore[no-untyped-call]
        self._subscriptions.clear()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=timeout_seconds)
            for task in late:
                task.cancel()

    async def _subscribe(self, binding: QueryBinding) -> Subscription:
        async def receive(message: Msg) -> None:
            if not _asked_by_asker(binding, message.reply):
                log.error("question_astray", method=binding.method.subject, reply=message.reply)
                return
            # A task each: a subscription's callback otherwise answers one question at a time.
            # Whether there is room is seen at arrival: those that came first have it.
            admitted = len(self._tasks) < self._admitted_max
            work = self._reply(binding, message, admitted=admitted)
            task = asyncio.get_running_loop().create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        method = binding.method
        return await self._client.subscribe(method.subject, queue=method.role.value, cb=receive)

    async def _reply(self, binding: QueryBinding, message: Msg, *, admitted: bool) -> None:
        headers = message.header or {}
        with (
            following(trail_of(headers)),
            bearing(headers.get(ASSERTED, "")),
            bound_ids(
                organisation=headers.get(codec.ORGANISATION, ""), method=binding.method.subject
            ),
        ):
            try:
                if not admitted:
                    raise _overloaded(binding)
                said = headers.get(codec.ORGANISATION, "")
                check_mine(said, organisation_id=self._organisation_id, what="The question")
                deadline = codec.read_deadline(headers)
                data, told = await self._in_turn(binding, message.data, deadline), {}
            except ScopsError as error:
                data, told = b"", codec.error_headers(error)
                _log_error(error)
            try:
                await self._client.publish(message.reply, data, headers=told or None)
            except (Error, OSError) as error:
                log.warning("reply_lost", error=repr(error))

    async def _in_turn(self, binding: QueryBinding, data: bytes, deadline: datetime) -> bytes:
        async with self._slots:
            return await answer(binding, data, deadline, clock=self._clock, limit=wall_limit)


def _asked_by_asker(binding: QueryBinding, reply: str) -> bool:
    """Whether an answer goes to the inbox of a role that may ask.

    Where a request of any role to JetStream names a question as the place of its reply, the
    server publishes there with its own right; what it sends has no inbox to answer to. A question
    that wants its answer elsewhere would have us publish what the asker may not.
    """
    inbox, _, rest = reply.partition(".")
    if not rest:
        return False
    for role in Role:
        if inbox == user_inbox(role.value):
            return role in binding.method.askers
    return inbox == INBOX_PREFIX or inbox.startswith(f"{INBOX_PREFIX}_")


def _log_error(error: ScopsError) -> None:
    if not isinstance(error, InvalidInput):
        log.warning("question_refused", reason=error.reason, error=str(error))


def _overloaded(binding: QueryBinding) -> TransientError:
    return TransientError(
        f"The {binding.method.role} has too many questions waiting. Ask again shortly.",
        reason="OVERLOADED",
        retry_after_seconds=1.0,
    )
