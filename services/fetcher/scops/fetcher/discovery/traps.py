"""Shapes of URL that a site can make without end, and how many pages of one a job takes.

A calendar leads from month to month, a search page from each choice of filters to all others. Both
are told by their shape alone: all URLs that differ only in numbers, or in the values of their
query, share a template, and links to a template are followed until its budget is spent. Sitemaps,
feeds, seeds and pages picked by hand are not counted: somebody meant them.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

_NUMBER = re.compile(r"\d+")
_YEAR = r"(?:19|20|21)\d\d"
_CALENDAR_PATH = re.compile(
    rf"/{_YEAR}(?:[-/](?:0?[1-9]|1[0-2]|w\d\d?|q[1-4]))(?:[-/](?:0?[1-9]|[12]\d|3[01]))?/?$"
    rf"|/{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?/?$",
    re.IGNORECASE,
)
_CALENDAR_VALUE = re.compile(
    rf"{_YEAR}[-/]?(?:0?[1-9]|1[0-2])(?:[-/]?(?:0?[1-9]|[12]\d|3[01]))?(?:T.*)?"
)
_CALENDAR_NAMES = frozenset({"year", "month", "day", "week"})


class TrapKind(StrEnum):
    """What a template may be."""

    CALENDAR = "calendar"
    QUERY = "query"


# Links that a job follows to one template: a calendar is exhausted sooner than a catalogue.
PAGES_MAX = {TrapKind.CALENDAR: 50, TrapKind.QUERY: 1000}


@dataclass(frozen=True, slots=True)
class UrlTemplate:
    """What many URLs have in common; `name` tells it from others."""

    kind: TrapKind
    name: str


def url_template(url: str) -> UrlTemplate | None:
    """Returns the template of a canonical URL, None where its shape is that of a plain page."""
    parts = urlsplit(route_as_path(url))
    path = _NUMBER.sub("0", parts.path)
    values = [each.partition("=")[::2] for each in parts.query.split("&") if each]
    names = sorted({name for name, _ in values})
    if _CALENDAR_PATH.search(parts.path) or _is_calendar(values):
        return UrlTemplate(TrapKind.CALENDAR, f"{parts.netloc}{path}?{'&'.join(names)}")
    if not names:
        return None
    # Facets come in any combination: all of them together are one template of their path.
    shown = names[0] if len(names) == 1 else "*"
    return UrlTemplate(TrapKind.QUERY, f"{parts.netloc}{path}?{shown}")


def route_as_path(url: str) -> str:
    """Returns a canonical URL with its route behind its path: an app's calendar is one, too."""
    asked, mark, route = url.partition("#")
    if not mark:
        return url
    path, _, query = asked.partition("?")
    shown, _, chosen = route.removeprefix("!").partition("?")
    queries = "&".join(filter(None, (query, chosen)))
    return f"{path.rstrip('/')}/{shown.lstrip('/')}" + (f"?{queries}" if queries else "")


def _is_calendar(values: list[tuple[str, str]]) -> bool:
    stated = {name.lower() for name, value in values if value.isdigit()}
    if len(stated & _CALENDAR_NAMES) > 1:
        return True
    return any(_CALENDAR_VALUE.fullmatch(value) for _, value in values)
