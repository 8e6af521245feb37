"""Where a URL stands: known, let in by a rule, kept out, or nothing of it."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import KnownPage, PagePlanRequest, PagePlanResponse
from scops.common.contract.messages.types import RuleKind, ScopeRule
from scops.common.query.ports import PAGE_PLAN
from scops.gateway.handlers.pages import LocatedPage, locate_page
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

KNOWN = f"{DOCS}known"


def knows(world: GatewayWorld) -> None:
    async def page_plan(request: PagePlanRequest) -> PagePlanResponse:
        page = KnownPage(page_id=PageId("p"), canonical_url=KNOWN, access_context="public")
        return PagePlanResponse(page=page if request.url == KNOWN else None)

    world.answer(PAGE_PLAN, page_plan)


async def located(world: GatewayWorld, uri: str) -> LocatedPage:
    return await locate_page(world.ports, world.call(), uri=uri)


@pytest.mark.parametrize(
    ("uri", "is_known", "scopes"),
    [
        (f"{KNOWN}#part", True, ["docs"]),
        (f"{DOCS}new", False, ["docs"]),
        ("https://else.example/", False, []),
    ],
    ids=["known", "let-in", "neither"],
)
async def test_a_url_stands_in_one_of_three_ways(
    uri: str, is_known: bool, scopes: list[str]
) -> None:
    """Known, or let in by a rule and not fetched yet, or in no scope; the fragment is nothing."""
    async with gateway_world() as world:
        await world.create_scope()
        knows(world)
        found = await located(world, uri)

        assert (is_known, scopes) == (
            found.page is not None,
            [match.scope_id for match in found.matches],
        )


async def test_what_keeps_a_url_out_is_told() -> None:
    """The excluding rule is named, so that a reader knows why the page is not in."""
    shut = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org/new", exclude=True)
    async with gateway_world() as world:
        opening = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org")
        await world.create_scope(rules=(opening, shut))
        knows(world)
        found = await located(world, f"{DOCS}new")

        assert [shut] == [match.rule for match in found.matches]


async def test_scopes_of_others_say_nothing() -> None:
    """Neither a page nor a rule of a scope that the caller may not ask is told."""
    async with gateway_world() as world:
        await world.create_scope(owner="user:ann")
        knows(world)
        found = await located(world, KNOWN)

        assert (None, ()) == (found.page, found.matches)


@pytest.mark.parametrize("uri", ["", "about:blank", "file:///etc/passwd"])
async def test_what_is_no_page_is_refused(uri: str) -> None:
    """Nothing but http and https is crawled."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput):
            await located(world, uri)
