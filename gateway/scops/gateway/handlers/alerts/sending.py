"""Takes the turns of watches: looks for news, and sends it until it arrives or is given up."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from scops.common.access.principal import Principal
from scops.common.contract.errors import NotFound, NotPermitted, ScopsError, TransientError
from scops.common.contract.ids import uuid7
from scops.common.contract.messages.change import NewestNewsRequest
from scops.common.observe.log import get_logger
from scops.common.query.ports import NEWEST_NEWS
from scops.gateway import metrics
from scops.gateway.handlers.alerts.looking import look
from scops.gateway.handlers.alerts.owners import owner_of
from scops.gateway.ports import GatewayPorts
from scops.gateway.watches.condition import Alert
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.sealing import SecretUnreadable
from scops.gateway.watches.sender import SendResult
from scops.gateway.watches.store import AttemptOutcome
from scops.gateway.watches.watch import (
    AlertDelivery,
    DeliveryState,
    EndReason,
    Watch,
    WatchTurn,
)

ENTROPY_BYTES = 10
# Turns that a gateway takes at once.
RUNNING_MAX = 16
# A turn takes no longer; whoever has claimed a watch for longer is dead.
TURN_SECONDS_MAX, CLAIM = 60.0, timedelta(seconds=90)
NEWEST_SECONDS = 5.0
# After a service of ours did not answer, or refused; it is no fault of the receiver.
OURS, AFTER_REFUSAL = timedelta(seconds=15), timedelta(minutes=10)
RETRY_AFTER_MAX = timedelta(hours=6)
# Deliveries in a row that are given up before a watch ends.
FAILURES_MAX = 3
# As long as news is told in order.
KEPT = timedelta(days=30)
FORGET_BATCH = 500
log = get_logger("gateway")


class WatchTurns:
    """Turns of this gateway, several at once, so that a slow receiver holds up no other."""

    def __init__(self, ports: GatewayPorts, organisation_id: str) -> None:
        self._ports = ports
        self._organisation_id = organisation_id
        self._running: set[asyncio.Task[None]] = set()

    async def begin_due(self) -> bool:
        """Takes up what is due; returns whether there may be more to take up."""
        room = RUNNING_MAX - len(self._running)
        if not room:
            return False
        now, store = self._ports.clock.now(), self._ports.alerts.store
        newest = await self._newest() if await store.waits_for_news() else None
        claimed = await store.claim(now=now, until=now + CLAIM, newest=newest, limit=room)
        for turn in claimed:
            task = asyncio.create_task(take_turn(self._ports, turn))
            self._running.add(task)
            task.add_done_callback(self._ended)
        return len(claimed) == room

    async def finish(self) -> None:
        """Waits for what has begun."""
        await asyncio.gather(*self._running, return_exceptions=True)

    async def stop(self) -> None:
        """Leaves what has begun, which is taken up again when its claim has run out."""
        for task in self._running:
            task.cancel()
        await self.finish()
        for sender in self._ports.alerts.senders.values():
            await sender.close()

    async def _newest(self) -> datetime | None:
        """Returns when the last news was recorded, as far as the change-detector says."""
        ports, organisation_id = self._ports, self._organisation_id
        deadline = ports.clock.now() + timedelta(seconds=NEWEST_SECONDS)
        request = NewestNewsRequest(organisation_id=organisation_id)
        times = [await ports.alerts.store.newest_failure(organisation_id)]
        try:
            found = await ports.query_client.call(NEWEST_NEWS, request, deadline=deadline)
            times.append(found.recorded_time)
        except TransientError:
            log.info("newest_news_unknown")
        return max((time for time in times if time is not None), default=None)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._ports.alerts.wakeup.notify()
        if not task.cancelled() and (error := task.exception()) is not None:
            # The claim runs out, and it is taken up again.
            log.warning("watch_turn_interrupted", error=str(error))


async def take_turn(ports: GatewayPorts, turn: WatchTurn) -> None:
    """Looks for what a watch tells, or attempts what it told before, and records that.

    Raises:
        StoreRefusal: it cannot be recorded.
    """
    store, watch_id = ports.alerts.store, turn.watch.watch_id
    try:
        async with asyncio.timeout(TURN_SECONDS_MAX):
            await _taken(ports, turn)
    except (TransientError, TimeoutError) as error:
        due_time = ports.clock.now() + OURS
        failure = f"A service here did not answer: {error or 'it took too long'}"
        await store.postpone(watch_id, due_time=due_time, failure=failure)
    except SecretUnreadable:
        await store.end(watch_id, EndReason.SECRET_UNREADABLE, at=ports.clock.now())
    except (NotFound, NotPermitted):
        await store.end(watch_id, EndReason.NOT_READABLE, at=ports.clock.now())
    except ScopsError as error:
        # It does not become better by asking again at once.
        log.warning("watch_not_looked_through", watch_id=watch_id, error=error.message)
        due_time = ports.clock.now() + AFTER_REFUSAL
        await store.postpone(watch_id, due_time=due_time, failure=error.message)


async def _taken(ports: GatewayPorts, turn: WatchTurn) -> None:
    watch, store, now = turn.watch, ports.alerts.store, ports.clock.now()
    quiet_until = watch.schedule.after_quiet(now)
    if quiet_until > now:
        await store.postpone(watch.watch_id, due_time=quiet_until)
        return
    sender = ports.alerts.senders.get(watch.kind)
    if sender is None:
        await store.end(watch.watch_id, EndReason.NOT_OFFERED, at=now)
        return
    target = ports.alerts.seal.open(watch.sealed)
    owner = await owner_of(ports, watch)
    if owner is None:
        await store.end(watch.watch_id, EndReason.KEY_ENDED, at=now)
        return
    found = await _found(ports, turn, owner)
    if found is None:
        return
    delivery, alerts = found
    if not alerts:
        outcome = AttemptOutcome(
            state=DeliveryState.EMPTY,
            at=ports.clock.now(),
            due_time=_next_look(ports, watch, more=delivery.more),
        )
    else:
        message = AlertMessage(
            delivery_id=delivery.delivery_id,
            watch=watch,
            alerts=alerts,
            sent_time=ports.clock.now(),
            web_url=ports.alerts.web_url,
        )
        result = await sender.send(message, target)
        outcome = _outcome(ports, delivery, watch, result)
    await store.settle(delivery, outcome)
    word = "failed" if outcome.state is DeliveryState.OPEN else outcome.state.value
    metrics.DELIVERIES.labels(target=watch.kind.value, outcome=word).inc()
    log.info(
        "delivery_attempted",
        delivery_id=delivery.delivery_id,
        watch_id=watch.watch_id,
        outcome=word,
    )


async def _found(
    ports: GatewayPorts, turn: WatchTurn, owner: Principal
) -> tuple[AlertDelivery, Sequence[Alert]] | None:
    """Returns the delivery to attempt with what it tells; None where there is none."""
    watch, old, store = turn.watch, turn.delivery, ports.alerts.store
    if old is not None:
        seen = await look(ports, watch, owner, after=old.after, until=old.until)
        return old, seen.alerts
    seen = await look(ports, watch, owner, after=watch.place)
    if not seen.alerts:
        due_time = _next_look(ports, watch, more=seen.more)
        await store.pass_by(watch, seen.until, due_time=due_time)
        return None
    now = ports.clock.now()
    delivery = AlertDelivery(
        delivery_id=uuid7(now, ports.random.randbytes(ENTROPY_BYTES)),
        watch_id=watch.watch_id,
        after=watch.place,
        until=seen.until,
        more=seen.more,
        change_count=len(seen.alerts),
        created_time=now,
        due_time=now,
    )
    return (delivery, seen.alerts) if await store.begin(delivery) else None


def _next_look(ports: GatewayPorts, watch: Watch, *, more: bool) -> datetime | None:
    now = ports.clock.now()
    return now if more else watch.schedule.due_after(now)


def _outcome(
    ports: GatewayPorts, delivery: AlertDelivery, watch: Watch, result: SendResult
) -> AttemptOutcome:
    now = ports.clock.now()
    next_look = _next_look(ports, watch, more=delivery.more)
    if result.delivered:
        return AttemptOutcome(state=DeliveryState.SENT, at=now, due_time=next_look)
    pause = None if result.gone else ports.alerts.attempts.pause_after(delivery.attempts + 1)
    if pause is None:
        ends = EndReason.RECEIVER_GONE if result.gone else EndReason.NONE
        if not result.gone and watch.failures + 1 >= FAILURES_MAX:
            ends = EndReason.RECEIVER_FAILING
        return AttemptOutcome(
            state=DeliveryState.DEAD,
            at=now,
            failure=result.failure,
            due_time=next_look,
            ends=ends,
        )
    wanted = min(result.retry_after, RETRY_AFTER_MAX)
    # Receivers that come back meet their senders one by one.
    spread = ports.random.uniform(1.0, 1.2)
    return AttemptOutcome(
        state=DeliveryState.OPEN,
        at=now,
        failure=result.failure,
        due_time=now + max(pause * spread, wanted),
    )


async def forget_old(ports: GatewayPorts) -> bool:
    """Forgets some of what ended long ago; returns whether there is more."""
    before = ports.clock.now() - KEPT
    return await ports.alerts.store.forget(before=before, limit=FORGET_BATCH) == FORGET_BATCH
