"""News that a test writes, for watches of a gateway in memory."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    NewestNewsRequest,
    NewestNewsResponse,
    NewsPlace,
    NewsRequest,
    NewsResponse,
    PageChange,
    PageNews,
    TextEdit,
)
from scops.common.query.ports import NEWEST_NEWS, NEWS
from scops.gateway.handlers.alerts.sending import WatchTurns
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.watch import Watch, WatchId
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world
from tests.fakes.worlds.methods import person, served

ANN = person("ann")
ADDRESS = "https://hooks.example/in?token=t"
HOOK = {"kind": "KIND_WEBHOOK", "address": ADDRESS}
EDIT = TextEdit(from_text="The fee is 5 euros.", to_text="The fee is 6 euros.", salience=0.9)
PART = 2


@dataclass
class NewsWorld:
    """A change-detector of two changes an answer, and a gateway with a scope of Ann's."""

    gateway: GatewayWorld
    news: list[tuple[NewsPlace, PageChange]] = field(default_factory=list)
    asked: list[NewsRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = WatchTurns(self.gateway.ports, "main")
        self.gateway.answer(NEWS, self._news)
        self.gateway.answer(NEWEST_NEWS, self._newest)

    def happens(self, page: str = "p-1", url: str = f"{DOCS}fees", **values: Any) -> None:
        """Records that a page changed, a second after what was before."""
        self.gateway.clock.advance(1)
        now = self.gateway.clock.now()
        change = PageChange(
            page_id=PageId(page),
            canonical_url=url,
            title=f"Title of {page}",
            news=PageNews.CHANGED,
            observed_time=now,
            edits=(EDIT,),
            access_context="public",
        )
        place = NewsPlace(recorded_time=now, page_id=PageId(page))
        self.news.append((place, replace(change, **values)))

    async def watch(self, **fields: Any) -> Watch:
        """Makes a watch of Ann's scope, as the API does."""
        made: Any = await self.serve(
            "CreateWatch", watch={"scope": "scopes/docs", "target": HOOK} | fields
        )
        return await self.kept(made.watch.name)

    async def kept(self, name: str) -> Watch:
        """Returns a watch as it stands."""
        found = await self.gateway.ports.alerts.store.get(WatchId(name.removeprefix("watches/")))
        assert found is not None
        return found

    async def serve(self, method: str, /, **fields: Any) -> Any:
        """Serves a call of Ann's."""
        return await served(self.gateway, ANN, method, fields)

    async def works(self, seconds: float = 0.0) -> list[AlertMessage]:
        """Lets time pass and the gateway work; returns what was sent."""
        self.gateway.clock.advance(seconds)
        before = len(self.gateway.sender.sent)
        for _ in range(20):
            await self.turns.begin_due()
            await self.turns.finish()
        return [message for message, _ in self.gateway.sender.sent[before:]]

    async def _newest(self, _: NewestNewsRequest) -> NewestNewsResponse:
        times = [place.recorded_time for place, _ in self.news]
        return NewestNewsResponse(recorded_time=max(times, default=None))

    async def _news(self, request: NewsRequest) -> NewsResponse:
        self.asked.append(request)
        found = [one for one in self.news if _between(request, one[0])]
        now = NewsPlace(recorded_time=self.gateway.clock.now())
        more = len(found) > PART
        return NewsResponse(
            changes=tuple(change for _, change in found[:PART]),
            next=found[PART - 1][0] if more else request.until or now,
            more=more,
        )


def _between(request: NewsRequest, place: NewsPlace) -> bool:
    until = request.until is None or _key(place) <= _key(request.until)
    return _key(request.after) < _key(place) and until


def _key(place: NewsPlace) -> tuple[Any, bool, str]:
    # A place without a page is behind all pages of its instant.
    return place.recorded_time, not place.page_id, place.page_id


def pages(messages: Sequence[AlertMessage]) -> list[list[str]]:
    """Returns the pages that each message tells of."""
    return [[alert.page_id for alert in message.alerts] for message in messages]


def hours(number: float) -> float:
    """Returns seconds."""
    return timedelta(hours=number).total_seconds()


@asynccontextmanager
async def news_world() -> AsyncIterator[NewsWorld]:
    """Opens a world with a scope `docs` of Ann's."""
    async with gateway_world() as gateway:
        await gateway.create_scope("docs", owner=ANN.principal_id)
        yield NewsWorld(gateway)
