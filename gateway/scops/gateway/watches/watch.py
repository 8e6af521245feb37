"""A watch as it is kept: who is told of which changes, how often and where."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import NewsPlace
from scops.common.contract.messages.types import ChangeClass, ScopeRole
from scops.gateway.watches.schedule import WatchSchedule

WatchId = NewType("WatchId", str)
EVERY_SCOPE, ALL_PAGES = ScopeId(""), PageId("")


class News(StrEnum):
    """What becomes of a page; the value is the word of the API."""

    ADDED = "added"
    CHANGED = "changed"
    GONE = "gone"
    # It could not be fetched.
    ERROR = "error"


UNASKED = frozenset({News.ADDED, News.CHANGED, News.GONE})


class WatchState(StrEnum):
    """Whether a watch sends."""

    ACTIVE = "active"
    PAUSED = "paused"
    ENDED = "ended"


class TargetKind(StrEnum):
    """How a watch sends."""

    UNSPECIFIED = "unspecified"
    WEBHOOK = "webhook"
    EMAIL = "email"
    APPRISE = "apprise"


class EndReason(StrEnum):
    """Why a watch ended by itself."""

    NONE = ""
    # The receiver answered 410.
    RECEIVER_GONE = "RECEIVER_GONE"
    # Several deliveries in a row were given up.
    RECEIVER_FAILING = "RECEIVER_FAILING"
    # Its owner may not read what it is about any more, or it is not there.
    NOT_READABLE = "NOT_READABLE"
    # This installation does not send to such targets any more.
    NOT_OFFERED = "NOT_OFFERED"
    # The API key that made it does not count any more.
    KEY_ENDED = "KEY_ENDED"
    # Its target was encrypted with a key that is not here any more.
    SECRET_UNREADABLE = "SECRET_UNREADABLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchCondition:
    """Which changes count; all that is given holds.

    Attributes:
        news: empty takes all but errors.
        counted_reasons, ignored_reasons, with_noise: as in a question what changed.
        salience_min: of an edit, in [0, 1].
        words: one of them stands in an edit, whatever the case.
        change_classes: of an edit; empty takes all.
    """

    news: frozenset[News] = frozenset()
    counted_reasons: tuple[str, ...] = ()
    ignored_reasons: tuple[str, ...] = ()
    with_noise: bool = False
    salience_min: float = 0.0
    words: tuple[str, ...] = ()
    change_classes: tuple[ChangeClass, ...] = ()

    def wants(self, news: News) -> bool:
        """Returns whether this kind of news counts."""
        return news in (self.news or UNASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchBounds:
    """What the credential allowed that made a watch; it sees no more.

    Attributes:
        key_id: of an API key, which has to count still; empty for another credential.
        limited_to: scopes; None for all.
        ceiling: the highest role in a scope.
    """

    key_id: str = ""
    limited_to: frozenset[ScopeId] | None = None
    ceiling: ScopeRole = ScopeRole.OWNER


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is kept of a watch.

    Attributes:
        scope_id: empty where it is about a page, in whichever scope its owner sees it.
        page_id: empty for every page of the scope.
        shown_address: its target without secrets.
        sealed: address and signing secret, encrypted.
        place: in the order of news; what is behind it has not been looked at.
        due_time: of the next look or attempt; None where it waits for the next change.
        failures: deliveries in a row that were given up.
    """

    watch_id: WatchId
    organisation_id: str
    principal_id: str
    display_name: str = ""
    scope_id: ScopeId = EVERY_SCOPE
    page_id: PageId = ALL_PAGES
    condition: WatchCondition = field(default_factory=WatchCondition)
    schedule: WatchSchedule = field(default_factory=WatchSchedule)
    kind: TargetKind = TargetKind.WEBHOOK
    shown_address: str
    sealed: bytes
    bounds: WatchBounds = field(default_factory=WatchBounds)
    state: WatchState = WatchState.ACTIVE
    end_reason: EndReason = EndReason.NONE
    created_time: datetime
    updated_time: datetime
    place: NewsPlace
    due_time: datetime | None = None
    failures: int = 0


class DeliveryState(StrEnum):
    """How far a delivery has come."""

    OPEN = "open"
    SENT = "sent"
    DEAD = "dead"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDelivery:
    """One message to a receiver, attempted until it arrives or is given up.

    Attributes:
        delivery_id: the same at each attempt, so that its receiver can drop what comes twice.
        after, until: between these places lie the news that it tells of.
        more: there was more behind them already.
        change_count: changes that it told of when it was made; some may not count any more.
        failure: why the last attempt failed.
    """

    delivery_id: str
    watch_id: WatchId
    after: NewsPlace
    until: NewsPlace
    more: bool = False
    state: DeliveryState = DeliveryState.OPEN
    attempts: int = 0
    change_count: int = 0
    created_time: datetime
    ended_time: datetime | None = None
    due_time: datetime
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchTurn:
    """A watch that is worked on by one gateway, with its oldest open delivery."""

    watch: Watch
    delivery: AlertDelivery | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFailure:
    """A page that could not be fetched: once a day for one reason.

    Attributes:
        detail: what, why and what next, for people.
        recorded_time: when it became known here; its place among the news.
    """

    organisation_id: str
    page_id: PageId
    reason: str
    detail: str
    failed_time: datetime
    recorded_time: datetime
