"""What a committed transaction of the frontier wakes in its process."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from scops.common.contract.service_table import Lane
from scops.common.runtime.wakeup import Wakeup


@dataclass(frozen=True, slots=True)
class WakeupSignals:
    """What a committed transaction wakes.

    Attributes:
        general: workers that serve both lanes.
        reserved: workers that serve the lane `now` alone.
        outbox: the relay.
        asking: leases of fetches whose host may still be asked for something.
    """

    general: Wakeup = field(default_factory=Wakeup)
    reserved: Wakeup = field(default_factory=Wakeup)
    outbox: Wakeup = field(default_factory=Wakeup)
    asking: set[str] = field(default_factory=set)

    def end(self, lease_ids: Sequence[str]) -> None:
        """Says that leases have ended, or end with the transaction about to be committed.

        Who asks for the next one before a commit shares it, and its wait for the disk.
        """
        for lease_id in lease_ids:
            if lease_id in self.asking:
                self.asking.discard(lease_id)
                self.general.notify()

    def queued(self, lane: Lane) -> None:
        """Says that something may be leased on a lane."""
        if lane is Lane.NOW:
            self.reserved.notify()
        self.general.notify()
