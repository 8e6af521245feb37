"""A browser without Chromium: pages are scripted by what they ask for and show."""

from collections.abc import Callable
from dataclasses import dataclass, field

from scops.fetcher.ports.browser import PagePart, PartLoader, Rendering
from scops.fetcher.ports.page_source import Failed, Fetched


def shows(document: Fetched, parts: list[PagePart | None]) -> Rendering | Failed:
    """Shows the bodies of its parts; what is missing is not there."""
    text = "".join(f"<p>{part.body.decode()}</p>" for part in parts if part and part.body)
    return Rendering(html=f"<html>{text}</html>", whole=True)


@dataclass
class FakeBrowser:
    """A `Browser` whose pages all ask for the same.

    Attributes:
        asks: URLs, in turn.
        made: what comes of the document and its parts.
    """

    asks: list[str] = field(default_factory=list)
    made: Callable[[Fetched, list[PagePart | None]], Rendering | Failed] = shows
    shown: list[str] = field(default_factory=list)

    async def render(
        self, document: Fetched, load: PartLoader, *, parts_max: int
    ) -> Rendering | Failed:
        self.shown.append(document.final_url)
        return self.made(document, [await load(url) for url in self.asks[:parts_max]])

    async def close(self) -> None:
        pass
