"""Answers questions over NATS: instances of a role share them, each with bounded concurrency."""

from contextlib import suppress

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from scops.common.bus.connection import INBOX_PREFIX, end_interest, settle, user_inbox
from scops.common.contract.errors import ScopsError
from scops.common.contract.roles import Role
from scops.common.observe.log import get_logger
from scops.common.query import codec
from scops.common.query.desk import Desk, NearDesks
from scops.common.runtime.service import QueryBinding

log = get_logger(__name__)
# How long the server may take to confirm the subscriptions.
START_SECONDS = 10


class NatsQueryServer:
    """Brings the questions of one role to its desk, as one of the role's queue group.

    Args:
        near: where the desk stands for other services of this process while it is served.
    """

    def __init__(self, client: Client, desk: Desk, *, near: NearDesks | None = None) -> None:
        self._client = client
        self._desk = desk
        self._near = {} if near is None else near
        self._subscriptions: list[Subscription] = []

    async def start(self) -> None:
        """Subscribes to every question, as one of the role's queue group."""
        for binding in self._desk.bindings.values():
            self._subscriptions.append(await self._subscribe(binding))
        # The server knows the subscriptions before the first question can miss them.
        await settle(self._client, timeout_seconds=START_SECONDS)
        self._near.update(dict.fromkeys(self._desk.bindings, self._desk))

    async def stop(self, *, timeout_seconds: float) -> None:
        """Takes no further questions and waits for those in progress, then cancels them.

        A question that the server had sent by then is one of those: dropped, nobody would answer
        it, and who asks would wait until the deadline.
        """
        for subject in self._desk.bindings:
            self._near.pop(subject, None)
        with suppress(Error, OSError, TimeoutError):
            for subscription in self._subscriptions:
                await end_interest(self._client, subscription)
                await subscription.drain()  # type: ignore[no-untyped-call]
        self._subscriptions.clear()
        await self._desk.close(timeout_seconds=timeout_seconds)

    async def _subscribe(self, binding: QueryBinding) -> Subscription:
        async def receive(message: Msg) -> None:
            if not _asked_by_asker(binding, message.reply):
                log.error("question_astray", method=binding.method.subject, reply=message.reply)
                return
            # A task each: a subscription's callback otherwise answers one question at a time.
            # Whether there is room is seen at arrival: those that came first have it.
            self._desk.begin(self._reply(message, has_room=not self._desk.is_full))

        method = binding.method
        return await self._client.subscribe(method.subject, queue=method.role.value, cb=receive)

    async def _reply(self, message: Msg, *, has_room: bool) -> None:
        headers = message.header or {}
        try:
            data = await self._desk.answer(
                message.subject, headers, message.data, has_room=has_room
            )
            told: dict[str, str] = {}
        except ScopsError as error:
            data, told = b"", codec.error_headers(error)
        try:
            await self._client.publish(message.reply, data, headers=told or None)
        except (Error, OSError) as error:
            log.warning("reply_lost", error=repr(error))


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
