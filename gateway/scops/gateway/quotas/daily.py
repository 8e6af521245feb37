"""What each principal may spend in a day (UTC); replicas count in the same rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from scops.common.access.principal import LOCAL, Principal
from scops.common.contract.errors import ResourceExhausted

# Money is counted in millionths, so that a cheap answer counts.
MILLION = 1_000_000


class Spending(StrEnum):
    """What is spent."""

    # Pages that jobs of the day may ask for; what they did not ask for is given back.
    FETCHES = "fetches"
    # Of the bodies that jobs were sent, on the day that this is heard of.
    BYTES = "bytes"
    # Answers that have pages checked first.
    CHECKED_ANSWERS = "checked_answers"
    # Of language models, in millionths of the currency of their prices.
    MODEL_COST = "model_cost"


WHAT = {
    Spending.FETCHES: "pages to fetch",
    Spending.BYTES: "bytes to fetch",
    Spending.CHECKED_ANSWERS: "answers whose pages are checked first",
    Spending.MODEL_COST: "to spend on language models",
}
OTHERWISE = {Spending.CHECKED_ANSWERS: "ask without revalidation"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Something that a principal spends.

    Attributes:
        amount: negative where something is given back.
        limit: of the day; 0 is none.
    """

    organisation_id: str
    principal_id: str
    day: date
    kind: Spending
    amount: int
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyQuotas:
    """Bounds of what one principal spends in a day; 0 bounds nobody, and `local` has none.

    Attributes:
        fetches, bytes, checked_answers, model_cost: as `Spending` says.
    """

    fetches: int = 0
    bytes: int = 0
    checked_answers: int = 0
    model_cost: int = 0

    def limit(self, kind: Spending) -> int:
        """Returns the bound of a kind."""
        return int(getattr(self, kind.value))

    def charge(
        self, principal: Principal, kind: Spending, amount: int, *, now: datetime
    ) -> Charge | None:
        """Returns what something costs its caller; None where nobody counts."""
        if principal.principal_id == LOCAL:
            return None
        return Charge(
            organisation_id=principal.organisation_id,
            principal_id=principal.principal_id,
            day=day_of(now),
            kind=kind,
            amount=amount,
            limit=self.limit(kind),
        )

    def check_left(
        self, principal: Principal, kind: Spending, spent: Mapping[Spending, int], *, now: datetime
    ) -> None:
        """Checks that something is left of what is known only afterwards.

        Raises:
            ResourceExhausted: nothing is, until tomorrow.
        """
        if self.is_used_up(principal.principal_id, kind, spent):
            raise used_up(kind, limit=self.limit(kind), held=spent.get(kind, 0), now=now)

    def is_used_up(self, principal_id: str, kind: Spending, spent: Mapping[Spending, int]) -> bool:
        """Returns whether a principal has nothing left of a kind."""
        limit = self.limit(kind)
        return bool(limit) and spent.get(kind, 0) >= limit and principal_id != LOCAL


def used_up(
    kind: Spending, *, limit: int, held: int, now: datetime, wanted: int = 1
) -> ResourceExhausted:
    """Returns the error of a day that has no room for more; it says when the next one begins.

    Args:
        held: what is spent, with what jobs that run may take.
        wanted: how much there should have been room for.
    """
    shown = f"{limit / MILLION:g}" if kind is Spending.MODEL_COST else str(limit)
    room = "are used" if wanted == 1 else f"leave no room for {wanted} more"
    return ResourceExhausted(
        f"Today's {shown} {WHAT[kind]} {room}. Come again tomorrow (UTC), "
        f"{OTHERWISE.get(kind, 'ask for less')}, or ask an operator for a higher quota.",
        reason="DAILY_QUOTA_REACHED",
        retry_after_seconds=(next_day(now) - now).total_seconds(),
        quota=kind.value,
        limit=str(limit),
        held=str(held),
    )


def day_of(now: datetime) -> date:
    """Returns the day that something counts for."""
    return now.astimezone(UTC).date()


def next_day(now: datetime) -> datetime:
    """Returns when the next day begins."""
    return datetime.combine(day_of(now) + timedelta(days=1), time(), tzinfo=UTC)
