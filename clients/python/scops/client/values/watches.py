"""Watches: who is told of which changes, how often and where."""

from dataclasses import dataclass
from datetime import datetime

from scops.client.values.words import DeliveryState, Every, TargetKind, WatchState


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchCondition:
    """Which changes count; all that is given holds.

    Attributes:
        news: added, changed, gone, error; none takes the first three.
        counted_reasons, ignored_reasons, with_noise: as in `what_changed`.
        salience_min: of an edit, in [0, 1].
        words: one of them stands in an edit, whatever the case.
        change_classes: of an edit: format, moved, lexical, critical; none takes all.
    """

    news: tuple[str, ...] = ()
    counted_reasons: tuple[str, ...] = ()
    ignored_reasons: tuple[str, ...] = ()
    with_noise: bool = False
    salience_min: float = 0.0
    words: tuple[str, ...] = ()
    change_classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSchedule:
    """When it is sent.

    Attributes:
        time: of the day, `HH:MM`, for every day or week; empty is 08:00.
        weekday: 1 (Monday) to 7, for every week; 0 is Monday.
        time_zone: such as `Europe/Berlin`; empty is UTC.
        quiet_from, quiet_to: `HH:MM`; nothing is sent from the one to the other.
    """

    every: Every = Every.CHANGE
    time: str = ""
    weekday: int = 0
    time_zone: str = ""
    quiet_from: str = ""
    quiet_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchTarget:
    """Where it is sent; read without its secrets."""

    kind: TargetKind = TargetKind.UNSPECIFIED
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told of which changes, how often and where.

    Attributes:
        name: `watches/{watch}`.
        scope: `scopes/{scope}`; empty where it is about a page.
        page: `pages/{page}`; empty for all pages of the scope.
        end_reason: why it ended by itself: RECEIVER_GONE, RECEIVER_FAILING, NOT_READABLE,
            NOT_OFFERED, KEY_ENDED or SECRET_UNREADABLE.
        due_time: of the next look or attempt; None where it waits for the next change.
        failures: deliveries in a row that were given up.
    """

    name: str = ""
    display_name: str = ""
    scope: str = ""
    page: str = ""
    condition: WatchCondition = WatchCondition()
    schedule: WatchSchedule = WatchSchedule()
    target: WatchTarget = WatchTarget()
    paused: bool = False
    state: WatchState = WatchState.UNSPECIFIED
    end_reason: str = ""
    principal: str = ""
    create_time: datetime | None = None
    update_time: datetime | None = None
    due_time: datetime | None = None
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchDelivery:
    """Something that was sent, or is to be.

    Attributes:
        delivery_id: the `webhook-id` that the receiver sees, the same at each attempt.
        due_time: of the next attempt.
        failure: why the last attempt failed.
    """

    delivery_id: str = ""
    state: DeliveryState = DeliveryState.UNSPECIFIED
    attempts: int = 0
    change_count: int = 0
    create_time: datetime | None = None
    end_time: datetime | None = None
    due_time: datetime | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedWatch:
    """A new watch.

    Attributes:
        secret: that its receiver checks signatures by, `whsec_…`; shown this once, of a webhook.
    """

    watch: Watch = Watch()
    secret: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchDeliveries:
    """A watch, and its newest deliveries."""

    watch: Watch = Watch()
    deliveries: tuple[WatchDelivery, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchTest:
    """How a test went.

    Attributes:
        failure: why it was not delivered.
    """

    delivered: bool = False
    delivery_id: str = ""
    failure: str = ""
