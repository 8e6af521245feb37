"""Who may capture a page, for which scope, and what belongs to it from then on."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.contract.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    NotPermitted,
    ResourceExhausted,
)
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.crawl import (
    CapturePageRequest,
    CapturePageResponse,
    ImportState,
    KnownPage,
    PagePlanResponse,
)
from scops.common.contract.messages.types import Grant, RuleKind, Scope, ScopeRole, ScopeRule
from scops.common.query.ports import CAPTURE_PAGE, PAGE_PLAN
from scops.common.scope.contexts import PUBLIC, access_contexts, holds
from scops.common.scope.hosts import HostLists
from scops.gateway.handlers.pages import get_page
from scops.gateway.handlers.scopes import delete_scope
from scops.gateway.handlers.sharing import fork_scope, share_scope
from scops.gateway.handlers.transfers.capturing import put_page_capture
from scops.gateway.handlers.transfers.values import CapturedPage
from scops.gateway.quotas.daily import DailyQuotas
from scops.gateway.requests.limits import CAPTURE_BYTES_MAX
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

ANN, BOB, EVE = "user:ann", "user:bob", "user:eve"
INSIDE, ELSEWHERE = f"{DOCS}inside", "https://else.example/account"
PAGE = b"<html><h1>Account</h1><p>The River plan costs 7 EUR.</p></html>"
TAKEN = CapturePageResponse(page_id=PageId("p"), state=ImportState.ACCEPTED)


async def capture(
    world: GatewayWorld, caller: str = ANN, *, scope_id: str = "docs", **fields: Any
) -> CapturedPage:
    values = {
        "uri": INSIDE,
        "content": PAGE,
        "captured_time": None,
        "charset": "",
        "media_type": "",
        "last_modified_time": None,
        "gone": False,
        **fields,
    }
    return await put_page_capture(
        world.ports, world.call(caller), scope_id=ScopeId(scope_id), **values
    )


async def shared(world: GatewayWorld, role: ScopeRole = ScopeRole.CONTRIBUTOR) -> None:
    """A scope of Ann's that Bob has a role in."""
    await world.create_scope(owner=ANN)
    grant = Grant(subject=BOB, role=role)
    await share_scope(world.ports, world.call(ANN), scope_id=ScopeId("docs"), grant=grant, etag="")


async def stored(world: GatewayWorld, scope_id: str = "docs") -> Scope:
    found = await world.ports.scopes.get("main", ScopeId(scope_id))
    assert found is not None
    return found.scope


async def test_a_contributor_captures_and_their_name_goes_with_it() -> None:
    """The bytes are in the archive; the instant is theirs, or now."""
    async with gateway_world() as world:
        await shared(world)
        asked: list[CapturePageRequest] = world.says(CAPTURE_PAGE, TAKEN)
        seen = world.clock.now() - timedelta(days=1)
        await capture(world, BOB, captured_time=seen, charset="utf-8")
        found = await capture(world, BOB)
        first, second = asked
        assert first.body is not None

        assert CapturedPage(page_id=PageId("p"), known=False) == found
        assert (BOB, INSIDE, seen) == (first.captured_by, first.canonical_url, first.observed_time)
        assert world.clock.now() == second.observed_time
        assert PAGE == await world.ports.archive.get(first.body)
        assert ("text/html", "utf-8") == (first.body.media_type, first.body.charset)


@pytest.mark.parametrize(
    ("caller", "error"), [(EVE, NotFound), (BOB, NotPermitted)], ids=["stranger", "viewer"]
)
async def test_who_may_not_changes_nothing(caller: str, error: type[Exception]) -> None:
    """Neither the scope nor the archive."""
    async with gateway_world() as world:
        await shared(world, ScopeRole.VIEWER)
        asked = world.says(CAPTURE_PAGE, TAKEN)
        with pytest.raises(error):
            await capture(world, caller)

        assert [] == asked
        assert frozenset({PUBLIC}) == access_contexts(await stored(world))


async def test_captures_are_of_one_scope() -> None:
    """Another scope over the same pages does not hold them, nor does a copy of the scope."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        await world.create_scope("others", owner=ANN)
        asked: list[CapturePageRequest] = world.says(CAPTURE_PAGE, TAKEN)
        await capture(world)
        await capture(world)
        await capture(world, scope_id="others")
        await fork_scope(
            world.ports,
            world.call(ANN),
            scope_id=ScopeId("docs"),
            new_id="copy",
            display_name="",
            request_id="",
        )
        mine, again, others = [one.access_context for one in asked]
        held = [
            [holds(await stored(world, name), INSIDE, context) for context in (mine, others)]
            for name in ("docs", "others", "copy")
        ]

        assert mine == again
        assert [[True, False], [False, True], [False, False]] == held


async def test_a_scope_of_the_same_id_later_has_none_of_them() -> None:
    """Who takes a deleted scope's id takes nothing of what it held."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        asked: list[CapturePageRequest] = world.says(CAPTURE_PAGE, TAKEN)
        await capture(world)
        await delete_scope(world.ports, world.call(ANN), scope_id=ScopeId("docs"), etag="")
        await world.create_scope(owner=EVE)
        await capture(world, EVE)
        old, new = [one.access_context for one in asked]

        assert old != new
        assert frozenset({PUBLIC, new}) == access_contexts(await stored(world))


async def test_a_page_outside_of_the_rules_is_added() -> None:
    """By hand, once; what a rule keeps out stays out."""
    shut = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org/private", exclude=True)
    opening = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org")
    async with gateway_world() as world:
        await world.create_scope(owner=ANN, rules=(opening, shut))
        world.says(CAPTURE_PAGE, TAKEN)
        await capture(world, uri=ELSEWHERE)
        await capture(world, uri=ELSEWHERE)
        with pytest.raises(InvalidInput, match="keeps out"):
            await capture(world, uri=f"{DOCS}private/x")
        picked = ScopeRule(kind=RuleKind.PAGE, pattern=ELSEWHERE)

        assert (opening, shut, picked) == (await stored(world)).rules


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"content": b""}, "content"),
        ({"content": b"<" * (CAPTURE_BYTES_MAX + 1)}, "content"),
        ({"content": b"\x89PNG"}, "content"),
        ({"charset": "x" * 41}, "charset"),
        ({"uri": "file:///etc/passwd"}, "uri"),
        ({"uri": "file://docs/a.md?b"}, "uri"),
        ({"uri": "file://docs/..%2f..%2fa.md", "media_type": "text/plain"}, "uri"),
        ({"media_type": "image/png"}, "media_type"),
        ({"gone": True}, "content"),
    ],
)
async def test_what_is_no_page_is_refused(fields: dict[str, Any], field: str) -> None:
    """The error names the field."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        with pytest.raises(InvalidInput) as refused:
            await capture(world, **fields)

        assert field == refused.value.metadata["field"]


async def test_a_file_brings_its_collection() -> None:
    """By one rule, however many files; hosts that may be crawled are no matter of it."""
    async with gateway_world() as world:
        bounded = replace(
            world, ports=replace(world.ports, hosts=HostLists(allowed=frozenset({"a.test"})))
        )
        opening = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org")
        await world.create_scope(owner=ANN, rules=(opening,))
        asked: list[CapturePageRequest] = bounded.says(CAPTURE_PAGE, TAKEN)
        written = bounded.clock.now() - timedelta(days=9)
        file = {"media_type": "text/markdown", "content": b"# Plan", "last_modified_time": written}
        await capture(bounded, uri="file://docs/a b.md", **file)
        await capture(bounded, uri="file://docs/c.md", **file)
        collection = ScopeRule(kind=RuleKind.PREFIX, pattern="file://docs")
        first, _ = asked
        assert first.body is not None

        assert (opening, collection) == (await stored(bounded)).rules
        assert ("file://docs/a%20b.md", written, "text/markdown") == (
            first.canonical_url,
            first.last_modified_time,
            first.body.media_type,
        )


async def test_what_is_gone_has_no_body() -> None:
    """In a scope that has captures; elsewhere nothing can be gone."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        asked: list[CapturePageRequest] = world.says(CAPTURE_PAGE, TAKEN)
        with pytest.raises(NotFound):
            await capture(world, gone=True, content=b"")
        await capture(world)
        await capture(world, gone=True, content=b"")
        put, gone = asked

        assert put.access_context == gone.access_context
        assert gone.body is None


async def test_nobody_sees_the_future() -> None:
    """A capture is of what was there."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        with pytest.raises(InvalidInput, match="future"):
            await capture(world, captured_time=world.clock.now() + timedelta(seconds=1))


async def test_another_capture_on_its_way_is_told() -> None:
    """The caller sends it again; one that is known is no error."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        answers = [ImportState.BUSY, ImportState.KNOWN]

        async def taken(request: CapturePageRequest) -> CapturePageResponse:
            return replace(TAKEN, state=answers.pop(0))

        world.answer(CAPTURE_PAGE, taken)
        with pytest.raises(Conflict, match="Send this one again"):
            await capture(world)

        assert (await capture(world)).known


@pytest.mark.parametrize("quotas", [{"fetches": 1}, {"bytes": len(PAGE)}])
async def test_a_capture_counts_as_a_fetch(quotas: dict[str, int]) -> None:
    """Of a page and of its bytes."""
    async with gateway_world() as world:
        bounded = replace(world, ports=replace(world.ports, daily_quotas=DailyQuotas(**quotas)))
        await bounded.create_scope(owner=ANN)
        bounded.says(CAPTURE_PAGE, TAKEN)
        await capture(bounded)
        with pytest.raises(ResourceExhausted):
            await capture(bounded)


async def test_a_url_is_looked_up_in_the_contexts_that_the_caller_holds() -> None:
    """So that a capture of somebody else's hides no page, and tells nobody that it is there."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        await world.create_scope("others", owner=EVE)
        world.says(CAPTURE_PAGE, TAKEN)
        await capture(world)
        (mine,) = (await stored(world)).access_contexts
        page = KnownPage(page_id=PageId("p"), canonical_url=INSIDE, access_context=mine)
        asked = world.says(PAGE_PLAN, PagePlanResponse(page=page))
        await get_page(world.ports, world.call(ANN), uri=INSIDE)
        with pytest.raises(NotFound):
            await get_page(world.ports, world.call(EVE), uri=INSIDE)

        assert [(mine, PUBLIC), (PUBLIC,)] == [one.access_contexts for one in asked]
