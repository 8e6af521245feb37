"""Decides whether a call is served now; asked by every door before anything is done for it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from scops.common.access.principal import ANONYMOUS
from scops.common.contract.errors import ResourceExhausted
from scops.gateway import metrics
from scops.gateway.admission.budgets import Budgets
from scops.gateway.admission.cost import SLOTTED, UNITS, CallCost
from scops.gateway.admission.slots import NoSlot, Slots
from scops.gateway.identity.caller import Caller, CredentialKind

# Of the time that a call has left: what it may wait before work on it begins.
WAIT_SHARE = 0.5
RETRY_SECONDS = 2.0
RATE, OVERLOAD = "rate", "overload"


class Admission:
    """Budgets of principals, and slots for calls that search.

    Args:
        units_per_second: that each principal may spend; 0 bounds nobody.
        slots_max: calls of one kind at once, however fast they are.
        now: seconds of a clock that never goes back.
    """

    def __init__(
        self, *, units_per_second: float, slots_max: int, now: Callable[[], float]
    ) -> None:
        self._budgets = Budgets(units_per_second, now)
        self._most = slots_max
        # Calls that hold no slot: look-ups, and everything of one person on one machine.
        self._others = 0
        self._slots = {cost: Slots(slots_max, now) for cost in SLOTTED}

    @asynccontextmanager
    async def admitted(
        self, caller: Caller, peer: str, cost: CallCost, seconds: float
    ) -> AsyncIterator[None]:
        """Serves a call inside, or refuses it.

        Args:
            peer: the address that it comes from, whose budget counts where nobody has said who
                calls.
            seconds: that it has left.

        Raises:
            ResourceExhausted: its principal has spent its budget, or too much is asked at once.
        """
        if cost is CallCost.NOTHING:
            yield
            return
        if caller.kind is CredentialKind.LOCAL:
            # One person on one machine: they wait for themselves.
            async with self._other():
                yield
            return
        principal = caller.principal.principal_id
        who = f"{principal}@{peer}" if principal == ANONYMOUS else principal
        self._spend(who, cost)
        slots = self._slots.get(cost)
        if slots is None:
            async with self._other():
                yield
            return
        try:
            async with slots.slot(who, seconds * WAIT_SHARE):
                metrics.SLOTS.labels(cost=cost.value).set(int(slots.limit))
                yield
        except NoSlot as error:
            raise _overloaded() from error

    @asynccontextmanager
    async def _other(self) -> AsyncIterator[None]:
        if self._others >= self._most:
            raise _overloaded()
        self._others += 1
        try:
            yield
        finally:
            self._others -= 1

    def _spend(self, who: str, cost: CallCost) -> None:
        wait = self._budgets.take(who, UNITS[cost])
        if wait:
            metrics.CALLS_REFUSED.labels(reason=RATE).inc()
            raise ResourceExhausted(
                f"You have spent your budget of {self._budgets.size:g} units at once, which fills "
                f"up steadily; this call takes {UNITS[cost]}. Repeat it in {wait:.1f} s.",
                reason="RATE_LIMITED",
                retry_after_seconds=wait,
                limit=f"{self._budgets.size:g}",
                remaining=f"{self._budgets.left(who):.0f}",
                reset_seconds=f"{wait:.1f}",
            )


def _overloaded() -> ResourceExhausted:
    metrics.CALLS_REFUSED.labels(reason=OVERLOAD).inc()
    return ResourceExhausted(
        "More is asked at once than is answered quickly. Ask again shortly.",
        reason="OVERLOADED",
        retry_after_seconds=RETRY_SECONDS,
    )
