"""What a durable does while a store refuses its work: it waits, with its messages in hand.

A message that a store refused stays in hand, is kept alive by heartbeats and tried again with
growing delays; meanwhile its durable pulls nothing. So an outage uses up no deliveries, whether
a readiness check sees it or not. A message that is refused while others of its durable are
handled is another matter: then each refusal counts as a delivery, and the others go on.
An acknowledgement that the bus does not confirm is waited for in the same way: what it would
deliver again meanwhile was handled.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from scops.common.contract.errors import StoreRefusal, StoreUnavailable
from scops.common.observe.metrics import CONSUMER_PAUSED, STORE_REFUSALS
from scops.common.runtime.gate import Gate
from scops.common.runtime.tasks import cancel_all

# Before the second try; it doubles with each further one.
DELAY_FIRST_SECONDS = 1.0
DELAY_SECONDS_MAX = 30.0
# Tries that count as one delivery where nothing else shows whether the store works: with the
# longest delay three hours, so that what one store alone refuses ends after a day.
TRIES_PER_DELIVERY = 360


class StorePause:
    """Holds back one durable while a store refuses its work.

    Attributes:
        gate: open while the durable may pull.
        handled: messages that were handled so far.

    Args:
        labels: consumer, event and lane, for the metrics.
        checked: open while the readiness checks of the process pass.
        on_refused: called at each refusal; a check may explain it.
    """

    def __init__(
        self, labels: tuple[str, str, str], *, checked: Gate, on_refused: Callable[[], None]
    ) -> None:
        self.gate = Gate(behind=checked)
        self.handled = 0
        self._paused = CONSUMER_PAUSED.labels(*labels)
        self._paused.set(0)
        self._checked = checked
        self._on_refused = on_refused
        self._holding = 0
        self._news = asyncio.Event()
        self._stopped = asyncio.Event()

    def note_handled(self) -> None:
        """Notes that a message was handled: whoever waits for the stores tries at once."""
        self.handled += 1
        if self._holding:
            self._tell()

    def stop(self) -> None:
        """Lets everybody who waits go, without another try."""
        self._stopped.set()
        self._tell()

    async def hold(self, error: StoreRefusal, seconds: float, *, alone: bool) -> None:
        """Waits before another try; the durable pulls nothing meanwhile.

        Args:
            alone: others are handled meanwhile; they go on.

        Raises:
            StoreRefusal: the process stops; the message is for somebody else.
        """
        note_refusal(error)
        self._on_refused()
        if alone or not isinstance(error, StoreUnavailable):
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._stopped.wait()
        else:
            await self._hold_back(seconds)
        if self._stopped.is_set():
            raise error

    async def until_confirmed(self, acknowledge: Callable[[], Awaitable[None]]) -> None:
        """Acknowledges, again and again until the bus confirms it; nothing is pulled meanwhile.

        Raises:
            StoreRefusal: the process stops; the message is delivered again.
        """
        try:
            return await acknowledge()
        except StoreRefusal as error:
            refused = error
        delay = DELAY_FIRST_SECONDS
        with self._held_back():
            while not self._stopped.is_set():
                note_refusal(refused)
                with suppress(TimeoutError):
                    async with asyncio.timeout(delay):
                        await self._news.wait()
                try:
                    return await acknowledge()
                except StoreRefusal as error:
                    refused = error
                delay = min(2 * delay, DELAY_SECONDS_MAX)
        raise refused

    async def _hold_back(self, seconds: float) -> None:
        with self._held_back():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._news.wait()
            await self._checks_passed()

    @contextmanager
    def _held_back(self) -> Iterator[None]:
        """Pulls nothing while inside."""
        self._holding += 1
        self.gate.shut()
        self._paused.set(1)
        try:
            yield
        finally:
            self._holding -= 1
            if not self._holding:
                self.gate.open()
                self._paused.set(0)

    async def _checks_passed(self) -> None:
        """Waits until the readiness checks pass, or the process stops."""
        waits = [
            asyncio.create_task(self._checked.passed()),
            asyncio.create_task(self._stopped.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_all(waits)

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class Refusals:
    """What stores have refused of one delivery, and how many deliveries that counts for.

    Args:
        deliveries: of the message so far, this one included.
    """

    def __init__(self, pause: StorePause, deliveries: int) -> None:
        self._pause = pause
        self._counted = deliveries
        self._tries = 0
        # Messages of the durable that were handled by the refusal before.
        self._handled: int | None = None
        self._alone = False
        self._delay = DELAY_FIRST_SECONDS

    def exceed(self, deliveries_max: int) -> bool:
        """Counts one more; returns whether it is the one too many."""
        handled = self._pause.handled
        self._alone = self._handled is not None and handled > self._handled
        self._handled = handled
        self._tries += 1
        if not self._alone and self._tries % TRIES_PER_DELIVERY:
            return False
        self._counted += 1
        return self._counted >= deliveries_max

    async def wait(self, error: StoreRefusal) -> None:
        """Waits before another try; see `StorePause.hold`."""
        seconds = max(self._delay, error.retry_after_seconds or 0.0)
        self._delay = min(2 * self._delay, DELAY_SECONDS_MAX)
        await self._pause.hold(error, seconds, alone=self._alone)


def note_refusal(error: BaseException) -> None:
    """Counts what a store refused, by its fault."""
    if isinstance(error, StoreUnavailable):
        STORE_REFUSALS.labels(error.reason, error.fault.value).inc()
