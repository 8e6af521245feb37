"""The browser: what a page shows once its scripts have run, as the fetcher's core sees it.

Contract: a browser has no way to the web of its own. It is given the document and asks its caller
for everything else; what it is not given, the page does without. Whatever a page does, what comes
of it is a value; only cancellation and what `load` raises pass through.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.fetcher.ports.page_source import Failed, Fetched

PartLoader = Callable[[str], Awaitable["PagePart | None"]]
"""Loads what a page asks for beside itself, by its URL; None leaves the page without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePart:
    """A script, a style sheet or data that a page asked for.

    Attributes:
        status: of HTTP, 200 or 404.
        content_type: as the server declared it, with its charset; empty where it did not.
    """

    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """What a page shows.

    Attributes:
        html: the document after its scripts have run, with open and closed shadow trees in their
            places, without scripts, and with `hidden` on what the page does not show.
        whole: whether nothing that it asked for was still on its way.
    """

    html: str
    whole: bool


class Browser(Protocol):
    """Runs the scripts of pages."""

    async def render(
        self, document: Fetched, load: PartLoader, *, parts_max: int
    ) -> Rendering | Failed:
        """Runs a document's scripts until it rests and gives what it shows then.

        Args:
            document: HTML, as it came from its `final_url`.
            parts_max: how often `load` is asked at most; what comes after, a page does without.
        """
        ...

    async def close(self) -> None:
        """Ends the browser; nothing may be rendered afterwards."""
        ...


class Renderings(Protocol):
    """How many pages a browser has shown for each scope, by day (UTC)."""

    async def begin(self, scopes: Sequence[Scope], *, now: datetime) -> bool:
        """Counts a page for the first of some scopes that has one left today; False if none has.

        What is begun counts, whatever comes of it. A scope that names no number of its own has
        the installation's.
        """
        ...

    async def begun(self, scope_id: ScopeId, *, now: datetime) -> int:
        """Returns how many pages were counted for a scope today."""
        ...
