"""What takes a message to its receiver, as a port."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.sealing import AlertTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """How an attempt went.

    Attributes:
        failure: why it did not arrive, for whoever made the watch; empty where it did.
        gone: the receiver wants nothing more, ever.
        retry_after: how long the receiver wants to be left alone.
    """

    failure: str = ""
    gone: bool = False
    retry_after: timedelta = field(default_factory=timedelta)

    @property
    def delivered(self) -> bool:
        """Whether the receiver has it."""
        return not self.failure


class AlertSender(Protocol):
    """Sends to one kind of receiver."""

    def check(self, address: str) -> str:
        """Returns a receiver's address as it may be shown.

        Raises:
            InvalidInput: nothing is sent there.
        """
        ...

    async def send(self, message: AlertMessage, target: AlertTarget) -> SendResult:
        """Makes one attempt within `SEND_SECONDS_MAX`; whatever goes wrong is its result."""
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...
