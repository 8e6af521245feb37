"""How the command shows watches and what they sent."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.markup import escape
from rich.table import Column, Table

from scops.api.v1alpha1 import watch_service_pb2 as pb
from scops.standalone.terminal.output import console, last_part, line, short_time

ID_CHARACTERS = 36
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OFTEN = {
    pb.WatchSchedule.EVERY_HOUR: "hourly",
    pb.WatchSchedule.EVERY_DAY: "daily",
    pb.WatchSchedule.EVERY_WEEK: "weekly",
}


def show_list(watches: Sequence[pb.Watch]) -> None:
    """Prints a table of watches."""
    whole = Column("watch", min_width=ID_CHARACTERS)
    table = Table(whole, "name", "of", "how often", "to", "state", box=box.SIMPLE_HEAD)
    for watch in watches:
        cells = (
            last_part(watch.name),
            watch.display_name,
            _about(watch),
            _often(watch.schedule),
            watch.target.address,
            _state(watch),
        )
        table.add_row(*(escape(cell) for cell in cells))
    console.print(table)


def show_watch(watch: pb.Watch, deliveries: Iterable[pb.WatchDelivery]) -> None:
    """Prints a watch with what it sent last."""
    line(summary(watch))
    for name, values in _condition(watch.condition):
        line(f"  {name}: {escape(values)}")
    if watch.HasField("due_time"):
        line(f"  next: {short_time(watch.due_time)}")
    for one in deliveries:
        state = pb.WatchDelivery.State.Name(one.state).removeprefix("STATE_").lower()
        line(
            f"  [dim]{short_time(one.create_time)}[/dim] {state}, {one.change_count} changes, "
            f"{one.attempts} attempts {escape(one.failure)}"
        )


def summary(watch: pb.Watch) -> str:
    """Returns a watch as a line of markup."""
    name = f" {escape(watch.display_name)}" if watch.display_name else ""
    return (
        f"watch {last_part(watch.name)}{name}: [bold]{escape(_state(watch))}[/bold], "
        f"{escape(_about(watch))}, {_often(watch.schedule)}, to {escape(watch.target.address)}"
    )


def _about(watch: pb.Watch) -> str:
    return last_part(watch.scope) if watch.scope else watch.page


def _state(watch: pb.Watch) -> str:
    state = pb.Watch.State.Name(watch.state).removeprefix("STATE_").lower()
    return f"{state} ({watch.end_reason})" if watch.end_reason else state


def _often(schedule: pb.WatchSchedule) -> str:
    words = [OFTEN.get(schedule.every, "each change")]
    if schedule.every in (pb.WatchSchedule.EVERY_DAY, pb.WatchSchedule.EVERY_WEEK):
        words.append(f"at {schedule.time or '08:00'} {schedule.time_zone or 'UTC'}")
    if schedule.every == pb.WatchSchedule.EVERY_WEEK:
        words.append(f"on {WEEKDAYS[(schedule.weekday or 1) - 1]}")
    if schedule.quiet_from:
        words.append(f"quiet {schedule.quiet_from}-{schedule.quiet_to}")
    return " ".join(words)


def _condition(condition: pb.WatchCondition) -> Iterable[tuple[str, str]]:
    named = {
        "news": condition.news,
        "only": condition.counted_reasons,
        "ignored": condition.ignored_reasons,
        "words": condition.words,
        "classes": condition.change_classes,
    }
    yield from ((name, ", ".join(values)) for name, values in named.items() if values)
    if condition.salience_min:
        yield "weight", f"at least {condition.salience_min:g}"
    if condition.with_noise:
        yield "noise", "too"
