"""When a watch looks: at once, or by the clock of its owner, and never when it is to be quiet."""

from datetime import UTC, datetime

import pytest

from scops.common.contract.errors import InvalidInput
from scops.gateway.watches.schedule import Every, WatchSchedule, check_schedule

# A Wednesday.
NOON = "2026-03-04T12:00"
BERLIN = {"time_zone": "Europe/Berlin"}


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("values", "now", "due"),
    [
        ({"every": Every.HOUR}, "2026-03-04T12:00", "2026-03-04T13:00"),
        ({"every": Every.HOUR}, "2026-03-04T12:59:59", "2026-03-04T13:00"),
        # A zone that is half an hour off.
        ({"every": Every.HOUR, "time_zone": "Asia/Kolkata"}, NOON, "2026-03-04T12:30"),
        ({"every": Every.DAY}, NOON, "2026-03-05T08:00"),
        ({"every": Every.DAY, "time": "18:30"}, NOON, "2026-03-04T18:30"),
        ({"every": Every.DAY, **BERLIN}, NOON, "2026-03-05T07:00"),
        # The night in which the clocks go forward: 02:30 is not; right after it is.
        ({"every": Every.DAY, "time": "02:30", **BERLIN}, "2026-03-28T12:00", "2026-03-29T01:30"),
        ({"every": Every.DAY, "time": "03:30", **BERLIN}, "2026-03-28T12:00", "2026-03-29T01:30"),
        ({"every": Every.WEEK}, NOON, "2026-03-09T08:00"),
        ({"every": Every.WEEK, "weekday": 3}, NOON, "2026-03-11T08:00"),
        ({"every": Every.WEEK, "weekday": 3, "time": "13:00"}, NOON, "2026-03-04T13:00"),
        ({"every": Every.WEEK, "weekday": 7}, NOON, "2026-03-08T08:00"),
        (
            {"every": Every.DAY, "time": "23:00", "quiet_from": "22:00", "quiet_to": "06:00"},
            NOON,
            "2026-03-05T06:00",
        ),
    ],
)
def test_a_digest_looks_at_its_time(values: dict[str, object], now: str, due: str) -> None:
    """By the wall clock of its zone, behind quiet hours."""
    assert instant(due) == WatchSchedule(**values).due_after(instant(now))  # type: ignore[arg-type]


def test_each_change_is_looked_at_at_once() -> None:
    """There is no time to wait for."""
    assert None is WatchSchedule(every=Every.CHANGE).due_after(instant(NOON))
    assert None is WatchSchedule(every=Every.UNSPECIFIED).due_after(instant(NOON))


@pytest.mark.parametrize(
    ("quiet", "at", "ends"),
    [
        (("22:00", "06:00"), "2026-03-04T21:59", "2026-03-04T21:59"),
        (("22:00", "06:00"), "2026-03-04T22:00", "2026-03-05T06:00"),
        (("22:00", "06:00"), "2026-03-05T05:59", "2026-03-05T06:00"),
        (("22:00", "06:00"), "2026-03-05T06:00", "2026-03-05T06:00"),
        (("12:00", "13:00"), "2026-03-04T12:30", "2026-03-04T13:00"),
        (("12:00", "13:00"), "2026-03-04T13:00", "2026-03-04T13:00"),
    ],
)
def test_quiet_hours_end_at_their_end(quiet: tuple[str, str], at: str, ends: str) -> None:
    """Overnight too; before and after them nothing waits."""
    schedule = WatchSchedule(quiet_from=quiet[0], quiet_to=quiet[1])

    assert instant(ends) == schedule.after_quiet(instant(at))


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"time": "8:00"}, "time"),
        ({"time": "24:00"}, "time"),
        ({"quiet_from": "22:00"}, "quiet_from"),
        ({"quiet_from": "22:00", "quiet_to": "22:00"}, "quiet_to"),
        ({"weekday": 8}, "weekday"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"time_zone": "../../etc/passwd"}, "time_zone"),
        ({"time_zone": "x" * 1000}, "time_zone"),
    ],
)
def test_a_time_that_is_none_is_refused(values: dict[str, object], field: str) -> None:
    """Naming its field."""
    with pytest.raises(InvalidInput) as caught:
        check_schedule(WatchSchedule(**values))  # type: ignore[arg-type]

    assert f"watch.schedule.{field}" == caught.value.metadata["field"]
