"""What is worked with to tell of changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from scops.common.contract.errors import InvalidInput
from scops.common.runtime.wakeup import Wakeup
from scops.gateway.watches.sealing import WatchSeal
from scops.gateway.watches.sender import AlertSender
from scops.gateway.watches.store import WatchStore
from scops.gateway.watches.watch import TargetKind

# Each pause before another attempt is so many times the one before it.
GROWTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """How often a delivery is attempted.

    Attributes:
        first_pause: before the second attempt.
        most: attempts before it is given up.
    """

    first_pause: timedelta = timedelta(seconds=10)
    most: int = 6

    def pause_after(self, attempts: int) -> timedelta | None:
        """Returns how long to wait after so many attempts; None where it is given up."""
        if attempts >= self.most:
            return None
        return float(GROWTH ** (attempts - 1)) * self.first_pause


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPorts:
    """What is worked with to tell of changes.

    Attributes:
        senders: by kind of target; what is missing is not offered here.
        watches_max: of one principal; 0 is no bound.
        mail_domains: that anybody may have e-mail sent to.
        web_url: where people open the web page; empty where nobody said.
    """

    store: WatchStore
    seal: WatchSeal
    senders: Mapping[TargetKind, AlertSender] = field(default_factory=dict)
    attempts: Attempts = field(default_factory=Attempts)
    watches_max: int = 100
    mail_domains: frozenset[str] = frozenset()
    web_url: str = ""
    wakeup: Wakeup = field(default_factory=Wakeup)


def not_offered(kind: TargetKind) -> InvalidInput:
    """Returns the error of a kind of target that this installation does not send to."""
    return InvalidInput(
        f"This installation sends no alerts by {kind.value}. Its operator may set it up: see "
        "docs/api/watches.md.",
        reason="TARGET_NOT_OFFERED",
        field="watch.target.kind",
    )
