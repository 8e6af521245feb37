"""Who may say that pages changed, and what they are told of each URL."""

from dataclasses import replace

import pytest

from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted, ResourceExhausted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import (
    SignalledUrl,
    SignalPagesRequest,
    SignalPagesResponse,
    SignalState,
)
from scops.common.contract.messages.types import Grant, ScopeRole
from scops.common.query.ports import SIGNAL_PAGES
from scops.common.scope.hosts import HostLists
from scops.gateway.handlers.sharing import share_scope
from scops.gateway.handlers.signals import SIGNALLED_URIS_MAX, PageSignal, signal_pages
from scops.gateway.quotas.daily import DailyQuotas
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

ANN, BOB, EVE = "user:ann", "user:bob", "user:eve"
INSIDE, OTHER = f"{DOCS}inside", f"{DOCS}other"


async def tell(world: GatewayWorld, *uris: str, caller: str = ANN) -> tuple[PageSignal, ...]:
    return await signal_pages(world.ports, world.call(caller), scope_id=ScopeId("docs"), uris=uris)


def answered(world: GatewayWorld, **states: SignalState) -> list[SignalPagesRequest]:
    """Has the fetcher say the same state of each page; returns what it is asked."""
    pages = tuple(SignalledUrl(url=f"{DOCS}{name}", state=one) for name, one in states.items())
    return world.says(SIGNAL_PAGES, SignalPagesResponse(pages=pages))


async def test_each_url_is_told_in_its_place() -> None:
    """What is no URL, lies outside, or may not be crawled stops none of the others."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        asked = answered(
            world, inside=SignalState.DUE, other=SignalState.NEW, late=SignalState.LIMITED
        )
        found = await tell(
            world,
            f"{INSIDE}#part",
            "no url",
            "https://else.example/",
            OTHER,
            f"{DOCS}late",
            INSIDE,
        )
        (request,) = asked

        assert (INSIDE, OTHER, f"{DOCS}late") == request.urls
        assert ["due", "refused", "refused", "new", "limited", "due"] == [
            page.state for page in found
        ]
        assert ["URL_OUTSIDE_SCOPE", "", "TOO_MANY_SIGNALS"] == [page.reason for page in found[2:5]]
        assert all(bool(page.message) == (page.state in ("refused", "limited")) for page in found)
        assert f"{INSIDE}#part" == found[0].uri


async def test_a_host_that_may_not_be_crawled_is_refused() -> None:
    """An operator's list holds for what is told of, too."""
    async with gateway_world() as opened:
        hosts = HostLists(allowed=frozenset({"a.test"}))
        await opened.create_scope(owner=ANN)
        world = replace(opened, ports=replace(opened.ports, hosts=hosts))
        asked = answered(world, inside=SignalState.DUE)
        (found,) = await tell(world, INSIDE)

        assert ("refused", []) == (found.state, asked)
        assert found.message


async def test_a_page_that_moved_out_of_the_scope_is_refused() -> None:
    """The fetcher knows where a page lives now."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        answered(world, inside=SignalState.OUTSIDE)
        (found,) = await tell(world, INSIDE)

        assert ("refused", "URL_OUTSIDE_SCOPE") == (found.state, found.reason)


@pytest.mark.parametrize(
    ("caller", "error"), [(EVE, NotFound), (BOB, NotPermitted)], ids=["stranger", "viewer"]
)
async def test_who_may_not_has_nothing_fetched(caller: str, error: type[Exception]) -> None:
    """It takes the right to have pages fetched, a contributor's."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        grant = Grant(subject=BOB, role=ScopeRole.VIEWER)
        await share_scope(
            world.ports, world.call(ANN), scope_id=ScopeId("docs"), grant=grant, etag=""
        )
        asked = answered(world, inside=SignalState.DUE)
        with pytest.raises(error):
            await tell(world, INSIDE, caller=caller)

        assert [] == asked


@pytest.mark.parametrize("count", [0, SIGNALLED_URIS_MAX + 1])
async def test_a_call_names_some_pages_and_not_too_many(count: int) -> None:
    """Whoever has more splits the call."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)

        with pytest.raises(InvalidInput) as raised:
            await tell(world, *(f"{DOCS}{number}" for number in range(count)))
        assert "uris" == raised.value.metadata["field"]


async def test_pages_count_as_fetches_of_the_day() -> None:
    """Those that are refused cost nothing."""
    async with gateway_world() as opened:
        quotas = DailyQuotas(fetches=1)
        world = replace(opened, ports=replace(opened.ports, daily_quotas=quotas))
        await world.create_scope(owner=ANN)
        answered(world, inside=SignalState.DUE)
        await tell(world, INSIDE, "https://else.example/")

        with pytest.raises(ResourceExhausted):
            await tell(world, INSIDE)
