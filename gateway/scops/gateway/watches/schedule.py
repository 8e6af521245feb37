"""When a watch sends what it has now: at once, or at times of a clock, and never when quiet."""

import datetime as clock
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scops.common.contract.errors import InvalidInput

MORNING = clock.time(8)
MONDAY, SUNDAY = 1, 7
ZONE_CHARACTERS_MAX = 64


class Every(StrEnum):
    """How often a watch sends."""

    UNSPECIFIED = "unspecified"
    CHANGE = "change"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


@dataclass(frozen=True, kw_only=True)
class WatchSchedule:
    """When a watch sends.

    Attributes:
        time: of a day, `HH:MM`; empty is 08:00.
        weekday: 1 is Monday, which 0 is too.
        time_zone: of the IANA; empty is UTC.
        quiet_from, quiet_to: `HH:MM`; nothing is sent from the one to the other, overnight too.
    """

    every: Every = Every.CHANGE
    time: str = ""
    weekday: int = 0
    time_zone: str = ""
    quiet_from: str = ""
    quiet_to: str = ""

    def due_after(self, now: datetime) -> datetime | None:
        """Returns when to look for changes next; None where each change is looked at at once."""
        if self.every in (Every.CHANGE, Every.UNSPECIFIED):
            return None
        return self.after_quiet(self._next(now.astimezone(UTC)))

    def after_quiet(self, at: datetime) -> datetime:
        """Returns the instant itself, or the end of the quiet hours around it."""
        if not self.quiet_from:
            return at
        begins, ends = clock_time(self.quiet_from), clock_time(self.quiet_to)
        local = at.astimezone(self.zone)
        now = local.time().replace(tzinfo=None)
        overnight = begins > ends
        if (overnight and (now >= begins or now < ends)) or (begins <= now < ends):
            tomorrow = overnight and now >= begins
            return self._instant(local.date() + timedelta(days=tomorrow), ends)
        return at

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone.

        Raises:
            InvalidInput: there is none of this name.
        """
        return zone_of(self.time_zone or "UTC")

    def _next(self, now: datetime) -> datetime:
        if self.every is Every.HOUR:
            local = now.astimezone(self.zone)
            past = timedelta(
                minutes=local.minute, seconds=local.second, microseconds=local.microsecond
            )
            return now - past + timedelta(hours=1)
        if self.every is Every.DAY:
            return self._next_day(now, step=1, days_ahead=0)
        today = now.astimezone(self.zone).isoweekday()
        days_ahead = ((self.weekday or MONDAY) - today) % SUNDAY
        return self._next_day(now, step=7, days_ahead=days_ahead)

    def _next_day(self, now: datetime, *, step: int, days_ahead: int) -> datetime:
        at = clock_time(self.time) if self.time else MORNING
        day = now.astimezone(self.zone).date() + timedelta(days=days_ahead)
        found = self._instant(day, at)
        return found if found > now else self._instant(day + timedelta(days=step), at)

    def _instant(self, day: date, at: clock.time) -> datetime:
        """Returns an instant by the wall clock; one that a change of time skips, right after."""
        return datetime.combine(day, at, tzinfo=self.zone).astimezone(UTC)


@lru_cache(maxsize=256)
def zone_of(name: str) -> ZoneInfo:
    """Returns a time zone.

    Raises:
        InvalidInput: there is none of this name.
    """
    try:
        if len(name) > ZONE_CHARACTERS_MAX:
            raise ValueError("too long")
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"There is no time zone {name[:ZONE_CHARACTERS_MAX]!r}. Use a name such as "
            "Europe/Berlin.",
            reason="TIME_ZONE_UNKNOWN",
            field="watch.schedule.time_zone",
        ) from error


def clock_time(text: str) -> clock.time:
    """Returns a time of the day.

    Raises:
        ValueError: it is not written `HH:MM`.
    """
    hours, _, minutes = text.partition(":")
    if not all(len(part) == 2 and part.isascii() and part.isdigit() for part in (hours, minutes)):
        raise ValueError(f"{text!r} is not HH:MM")
    return clock.time(int(hours), int(minutes))


def check_schedule(schedule: WatchSchedule) -> None:
    """Checks what a caller wants.

    Raises:
        InvalidInput: a part of it cannot be used.
    """
    _ = schedule.zone
    for name in ("time", "quiet_from", "quiet_to"):
        text = getattr(schedule, name)
        try:
            if text:
                clock_time(text)
        except ValueError as error:
            raise _refused(name, f"{text[:20]!r} is no time of a day. Write HH:MM.") from error
    if bool(schedule.quiet_from) != bool(schedule.quiet_to):
        raise _refused("quiet_from", "Quiet hours have a begin and an end. Give both, or none.")
    if schedule.quiet_from and schedule.quiet_from == schedule.quiet_to:
        raise _refused("quiet_to", "Quiet hours that end when they begin are none, or all day.")
    if not 0 <= schedule.weekday <= SUNDAY:
        raise _refused("weekday", f"There is no weekday {schedule.weekday}. Use 1 (Monday) to 7.")


def _refused(name: str, message: str) -> InvalidInput:
    return InvalidInput(message, reason="SCHEDULE_UNUSABLE", field=f"watch.schedule.{name}")
