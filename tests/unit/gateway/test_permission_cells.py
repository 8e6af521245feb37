"""Each cell of the table of permissions is what a call meets: roles × methods."""

from collections.abc import Callable
from typing import Any

import pytest

from scops.common.access.permissions import IN_SCOPE, SCOPE_PERMISSIONS, Permission
from scops.common.access.principal import InstallationRole, Principal, anonymous_principal
from scops.common.contract.errors import NotAuthenticated, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Grant, ScopeRole
from scops.gateway.handlers import sharing
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix
from tests.fakes.worlds.methods import BOUND, person, requests_of, served
from tests.fakes.worlds.talkative import marker, page_id, say_everything, url

ROLES: dict[str, Callable[[], Principal]] = {
    "stranger": lambda: person("sam"),
    **{role.value: (lambda role=role: person(role.value)) for role in ScopeRole},  # type: ignore[misc]
    "administrator": lambda: person("adm", roles=frozenset({InstallationRole.ADMINISTRATOR})),
    "operator": lambda: person("ops", roles=frozenset({InstallationRole.OPERATOR})),
    "nobody": lambda: anonymous_principal("main"),
}
MAY = {
    "stranger": frozenset[Permission](),
    **{role.value: IN_SCOPE[role] for role in ScopeRole},
    "administrator": frozenset(
        {Permission.VIEW_SCOPE, Permission.SHARE, Permission.TRANSFER, Permission.DELETE_SCOPE}
    ),
    "operator": frozenset({Permission.VIEW_SCOPE}),
}
# Methods that are about no scope, or about a page whose scopes decide.
ABOUT_ROWS = (
    "CancelJob",
    "DeleteWatch",
    "GetJob",
    "GetPurge",
    "GetWatch",
    "ListJobs",
    "ListPurges",
    "ListScopes",
    "ListWatches",
    "LocatePage",
    "PreviewScope",
    "WatchJob",
    "TestWatch",
    "UpdateWatch",
)
ABOUT_A_SCOPE = sorted(
    name
    for name, bound in BOUND.items()
    if SCOPE_PERMISSIONS.intersection(bound.method.permissions) and name not in ABOUT_ROWS
)
# What each takes as `requests_of` asks it, where its row names more than one.
TAKES = {
    "UpdateScope": Permission.CHANGE_RULES,
    "RevertScope": Permission.CHANGE_RULES,
    "CreateJob": Permission.CRAWL,
    "PurgePages": Permission.PURGE,
    "Answer": Permission.ASK,
    "StreamAnswer": Permission.ASK,
}
BY_PAGE = (
    "ListPageChanges",
    "GetPage",
    "ReadPage",
    "ListPageVersions",
    "DiffPageVersions",
    "ResolveCitations",
    "PinPageVersion",
    "ListVolatileBlocks",
    "SetVolatileBlock",
)


@pytest.mark.parametrize("who", ROLES)
@pytest.mark.parametrize("name", ABOUT_A_SCOPE)
async def test_each_cell_of_the_table_is_what_a_call_meets(name: str, who: str) -> None:
    """Served where the role may; hidden from whom may not see; else refused, with what it takes."""
    async with gateway_world() as world:
        word = marker(0)
        await world.create_scope(
            word, owner="user:owner", rules=(prefix(f"{word}.example"),), seeds=(url(0, 0),)
        )
        for role in (ScopeRole.VIEWER, ScopeRole.CONTRIBUTOR, ScopeRole.EDITOR):
            await sharing.share_scope(
                world.ports,
                world.call("user:owner"),
                scope_id=ScopeId(word),
                grant=Grant(subject=f"user:{role.value}", role=role),
                etag="",
            )
        say_everything(world, [0])
        about = (word, f"pages/{page_id(0, 0)}", url(0, 0))
        await served(world, person("owner"), "PutCredential", requests_of("PutCredential", *about))
        fields = requests_of(name, *about)
        met = await _met(world, ROLES[who](), name, fields)

    assert _expected(name, who) == met


async def _met(world: GatewayWorld, caller: Principal, name: str, fields: Any) -> str:
    try:
        await served(world, caller, name, fields)
    except (NotFound, NotPermitted, NotAuthenticated) as error:
        return type(error).__name__
    return "served"


def _expected(name: str, who: str) -> str:
    if who == "nobody":
        return "NotAuthenticated"
    needed = TAKES.get(name) or BOUND[name].method.permissions[0]
    held = MAY[who]
    if needed in held:
        return "served"
    seen = Permission.ASK if name in BY_PAGE else Permission.VIEW_SCOPE
    if name in ("Search", "Answer", "StreamAnswer", "Explain"):
        seen = Permission.ASK
    return "NotPermitted" if seen in held else "NotFound"
