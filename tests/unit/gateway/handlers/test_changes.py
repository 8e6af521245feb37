"""What changed: only of scopes that the caller may see, and only what their rules hold."""

from datetime import UTC, datetime

import pytest

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import (
    ChangeRule,
    PageChange,
    PageNews,
    WhatChangedRequest,
    WhatChangedResponse,
)
from scops.common.query.ports import WHAT_CHANGED
from scops.common.scope.contexts import PUBLIC
from scops.gateway.api.responses import message
from scops.gateway.handlers.changes import what_changed
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

SINCE = datetime(2026, 3, 1, tzinfo=UTC)
RULE = ChangeRule(counted_reasons=("number",))


def change(url: str, access_context: str = PUBLIC) -> PageChange:
    """Returns news of a page."""
    return PageChange(
        page_id=PageId("p"),
        canonical_url=url,
        news=PageNews.ADDED,
        observed_time=SINCE,
        access_context=access_context,
    )


async def asked(world: GatewayWorld, scope_id: str = "docs") -> WhatChangedResponse:
    """Asks for the news of a scope."""
    return await what_changed(
        world.ports,
        world.call(),
        scope_id=ScopeId(scope_id),
        since=SINCE,
        rule=RULE,
        page_size=0,
    )


async def test_pages_that_the_scope_does_not_hold_never_leave() -> None:
    """By rules and by access context, which have the last word."""
    async with gateway_world() as world:
        await world.create_scope()
        inside, outside = change(DOCS + "a"), change("https://else.org/a")
        private = change(DOCS + "a", "credential-1")
        found = WhatChangedResponse(changes=(inside, outside, private))
        requests = world.says(WHAT_CHANGED, found)
        answer = await asked(world)
        (request,) = requests

        assert (inside,) == answer.changes
        assert isinstance(request, WhatChangedRequest)
        assert (SINCE, RULE) == (request.since, request.rule)
        assert [("pages/p", PUBLIC)] == [
            (page.name, page.access_context)
            for page in message(pb.WhatChangedResponse, answer).changes
        ]


async def test_a_scope_that_is_not_there_has_no_news() -> None:
    """Nobody is asked."""
    async with gateway_world() as world:
        requests = world.says(WHAT_CHANGED, WhatChangedResponse())
        with pytest.raises(NotFound):
            await asked(world, "none")

        assert [] == requests


async def test_an_instant_is_needed() -> None:
    """News are news since something."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput):
            await what_changed(
                world.ports,
                world.call(),
                scope_id=ScopeId("docs"),
                since=None,
                rule=RULE,
                page_size=0,
            )
