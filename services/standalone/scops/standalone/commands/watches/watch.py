"""`scops watch …`: being told of the changes of a scope or a page."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import watch_service_pb2 as pb
from scops.standalone.commands.page import find_page
from scops.standalone.commands.watches.view import show_list, show_watch, summary
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, last_part, line, print_json, write
from scops.standalone.terminal.rules import reason_names

app = typer.Typer(
    help="Tells you of changes, by a signed webhook, e-mail or apprise.", no_args_is_help=True
)
PAGE_SIZE = 100
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

WatchName = Annotated[str, typer.Argument(metavar="WATCH", help="The watch's id; see `list`.")]


class Often(StrEnum):
    """How often."""

    CHANGE = "change"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


@app.command()
def create(
    to: Annotated[
        str,
        typer.Option(
            "--to", help="https://… of a webhook, an address of e-mail, or one of apprise."
        ),
    ],
    scope: Annotated[str, typer.Argument(help="The scope whose pages to watch.")] = "",
    page: Annotated[str, typer.Option(help="This page alone, by id or URL.")] = "",
    name: Annotated[str, typer.Option(help="Shown in lists and messages.")] = "",
    news: Annotated[
        str, typer.Option(help="By commas: added,changed,gone,error; else the first three.")
    ] = "",
    only: Annotated[str, typer.Option(help="Count only these reasons, by commas.")] = "",
    ignore: Annotated[str, typer.Option(help="Reasons that are noise here, by commas.")] = "",
    noise: Annotated[bool, typer.Option("--all", help="Also what is not semantic.")] = False,
    weight: Annotated[float, typer.Option(help="Least weight of an edit, 0 to 1.")] = 0.0,
    kind: Annotated[
        str, typer.Option(help="Classes of edits, by commas: format,moved,lexical,critical.")
    ] = "",
    word: Annotated[
        list[str] | None, typer.Option(help="Only edits that hold it; may be repeated.")
    ] = None,
    every: Annotated[Often, typer.Option(help="At each change, or as a digest.")] = Often.CHANGE,
    at: Annotated[str, typer.Option(help="Time of the day of a digest, HH:MM.")] = "",
    weekday: Annotated[str, typer.Option(help="Of a weekly digest: mon to sun.")] = "",
    zone: Annotated[str, typer.Option(help="Time zone, such as Europe/Berlin.")] = "",
    quiet: Annotated[str, typer.Option(help="Nothing is sent then: 22:00-07:00.")] = "",
) -> None:
    """Makes a watch; prints, this once, the secret by which a webhook's receiver checks it."""
    quiet_from, _, quiet_to = quiet.partition("-")
    watch = pb.Watch(
        display_name=name,
        scope=f"scopes/{scope}" if scope else "",
        condition=pb.WatchCondition(
            news=_words(news),
            counted_reasons=reason_names(only),
            ignored_reasons=reason_names(ignore),
            with_noise=noise,
            salience_min=weight,
            words=word or [],
            change_classes=_words(kind),
        ),
        schedule=pb.WatchSchedule(
            every=pb.WatchSchedule.Every.Value(f"EVERY_{every.name}"),
            time=at,
            weekday=_weekday(weekday),
            time_zone=zone,
            quiet_from=quiet_from,
            quiet_to=quiet_to,
        ),
        target=_target(to),
    )
    with open_gateway() as client:
        if page:
            watch.page = find_page(client, page).name
        answer = client.call(client.watches.CreateWatch, pb.CreateWatchRequest(watch=watch))
    if Output.is_json():
        print_json(answer)
        return
    line(summary(answer.watch))
    line(f"try it: scops watch test {last_part(answer.watch.name)}")
    if answer.secret:
        line("the receiver checks signatures by this secret; it is shown this once:")
        write(answer.secret)


@app.command("list")
def list_watches() -> None:
    """Lists your watches, newest first."""
    with open_gateway() as client:
        watches: list[pb.Watch] = []
        token = ""
        while True:
            request = pb.ListWatchesRequest(page_size=PAGE_SIZE, page_token=token)
            answer = client.call(client.watches.ListWatches, request)
            watches += answer.watches
            token = answer.next_page_token
            if not token:
                break
    if Output.is_json():
        print_json(pb.ListWatchesResponse(watches=watches))
    else:
        show_list(watches)


@app.command()
def show(watch: WatchName) -> None:
    """Shows a watch and what it sent last, with why something failed."""
    with open_gateway() as client:
        answer = client.call(client.watches.GetWatch, pb.GetWatchRequest(name=_named(watch)))
    if Output.is_json():
        print_json(answer)
    else:
        show_watch(answer.watch, answer.deliveries)


@app.command()
def pause(watch: WatchName) -> None:
    """Stops sending; what changes meanwhile is not told later."""
    with open_gateway() as client:
        _set_paused(client, watch, paused=True)


@app.command()
def resume(watch: WatchName) -> None:
    """Sends again, after a pause or an end; after an end also what could not be delivered."""
    with open_gateway() as client:
        _set_paused(client, watch, paused=False)


@app.command()
def test(watch: WatchName) -> None:
    """Sends a message without changes, and says how that went."""
    with open_gateway() as client:
        answer = client.call(client.watches.TestWatch, pb.TestWatchRequest(name=_named(watch)))
    if Output.is_json():
        print_json(answer)
    elif answer.delivered:
        line(f"delivered as {answer.delivery_id}")
    if not answer.delivered:
        raise CommandError(
            f"It was not delivered: {answer.failure}",
            code=Exit.UNAVAILABLE,
            reason="TEST_NOT_DELIVERED",
        )


@app.command()
def delete(watch: WatchName) -> None:
    """Removes a watch with all that waits for it."""
    with open_gateway() as client:
        client.call(client.watches.DeleteWatch, pb.DeleteWatchRequest(name=_named(watch)))
    if not Output.is_json():
        line(f"watch {escape(last_part(watch))} is gone")


def _set_paused(client: GatewayClient, watch: str, *, paused: bool) -> None:
    request = pb.UpdateWatchRequest(watch=pb.Watch(name=_named(watch), paused=paused))
    request.update_mask.paths.append("paused")
    changed = client.call(client.watches.UpdateWatch, request).watch
    if Output.is_json():
        print_json(changed)
    else:
        line(summary(changed))


def _target(to: str) -> pb.WatchTarget:
    scheme, found, _ = to.partition("://")
    if found and scheme in ("https", "http"):
        return pb.WatchTarget(kind=pb.WatchTarget.KIND_WEBHOOK, address=to)
    if not found and "@" in to:
        return pb.WatchTarget(kind=pb.WatchTarget.KIND_EMAIL, address=to)
    if found:
        return pb.WatchTarget(kind=pb.WatchTarget.KIND_APPRISE, address=to)
    raise CommandError(
        "Give --to an address such as https://host/path, one of e-mail, or one of apprise.",
        code=Exit.INVALID_INPUT,
        reason="TARGET_UNKNOWN",
    )


def _weekday(text: str) -> int:
    """Returns the number of a day of the week, 0 where none is said."""
    if not text:
        return 0
    short = text[:3].lower()
    if short not in WEEKDAYS:
        raise CommandError(
            f"There is no weekday {text!r}. Use one of {', '.join(WEEKDAYS)}.",
            code=Exit.INVALID_INPUT,
            reason="WEEKDAY_UNKNOWN",
        )
    return WEEKDAYS.index(short) + 1


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _named(watch: str) -> str:
    return f"watches/{last_part(watch)}"
