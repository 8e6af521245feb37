"""Keys, roles, groups and the first claim, as callers meet them."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.access.principal import (
    InstallationRole,
    Principal,
    anonymous_principal,
    local_principal,
)
from scops.common.contract.errors import (
    Conflict,
    InvalidInput,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    ScopsError,
)
from scops.common.contract.messages.types import ScopeRole
from scops.gateway.calls import Call
from scops.gateway.handlers.identity import FIRST_ADMINISTRATOR
from scops.gateway.identity.api_key import ApiKey
from scops.gateway.identity.caller import CredentialKind
from scops.gateway.identity.first_administrator import LASTS, claim_hash, offer_claim
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world
from tests.fakes.worlds.methods import BOUND, calling, person, served

ANN = person("ann")
ADMINISTRATOR = person("adm", roles=frozenset({InstallationRole.ADMINISTRATOR}))
NOBODY = anonymous_principal("main")
KEY_METHODS = ("CreateKey", "ListKeys", "RevokeKey")
MEMBER_METHODS = ("SetInstallationRole", "SetGroupMember", "ListMembers")


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    async with gateway_world() as opened:
        yield opened


async def refused(world: GatewayWorld, caller: Principal, name: str, fields: Any) -> str:
    """Returns why a call is refused."""
    with pytest.raises(ScopsError) as caught:
        await served(world, caller, name, fields)
    return caught.value.reason


async def made(world: GatewayWorld, caller: Principal, **key: Any) -> Any:
    """Makes a key."""
    return await served(world, caller, "CreateKey", {"key": key})


async def answered(world: GatewayWorld, call: Call, name: str, **fields: Any) -> Any:
    """Serves a call that came in by a certain credential."""
    bound = BOUND[name]
    return await bound.answer(world.ports, bound.request(**fields), call)


async def test_a_key_is_shown_once_and_listed_without_its_secret(world: GatewayWorld) -> None:
    """Nothing of its secret is kept."""
    await world.create_scope("docs", owner="user:ann")
    key = await made(
        world,
        ANN,
        display_name="laptop",
        role="SCOPE_ROLE_VIEWER",
        scopes=["scopes/docs", "scopes/docs"],
        expire_time="2026-04-01T00:00:00Z",
    )
    listed: Any = await served(world, ANN, "ListKeys", {})
    kept = await world.ports.identity.store.key(key.key.name.removeprefix("keys/"))

    assert key.secret.startswith(f"sk_{key.key.name.removeprefix('keys/')}_")
    assert [key.key] == list(listed.keys)
    assert ("user:ann", "laptop", ["scopes/docs"]) == (
        key.key.principal,
        key.key.display_name,
        list(key.key.scopes),
    )
    assert kept is not None
    assert key.secret.rsplit("_", 1)[1].encode() not in kept.secret_hash


async def test_keys_are_ones_own_but_for_administrators(world: GatewayWorld) -> None:
    """Others' are neither listed nor ended; to end one twice changes nothing."""
    key = await made(world, ANN)
    sam: Any = await served(world, person("sam"), "ListKeys", {})
    theirs: Any = await served(world, ADMINISTRATOR, "ListKeys", {})
    hidden = await refused(world, person("sam"), "RevokeKey", {"name": key.key.name})
    absent = await refused(world, person("sam"), "RevokeKey", {"name": "keys/0"})
    elsewhere = replace(ADMINISTRATOR, organisation_id="other")
    foreign = await refused(world, elsewhere, "RevokeKey", {"name": key.key.name})
    first: Any = await served(world, ADMINISTRATOR, "RevokeKey", {"name": key.key.name})
    world.clock.advance(60)
    second: Any = await served(world, ANN, "RevokeKey", {"name": key.key.name})

    assert ([], [key.key]) == (list(sam.keys), list(theirs.keys))
    assert {"KEY_NOT_FOUND"} == {hidden, absent, foreign}
    assert first.key.revoke_time == second.key.revoke_time != key.key.revoke_time


async def test_service_accounts_get_their_keys_from_administrators(world: GatewayWorld) -> None:
    """Nobody gets a key of another person, not even they."""
    robot = await made(world, ADMINISTRATOR, principal="service:robot")
    by_ann = await refused(world, ANN, "CreateKey", {"key": {"principal": "service:robot"}})
    of_ann = await refused(world, ADMINISTRATOR, "CreateKey", {"key": {"principal": "user:ann"}})
    of_group = await refused(world, ADMINISTRATOR, "CreateKey", {"key": {"principal": "group:x"}})

    assert "service:robot" == robot.key.principal
    assert ("PERMISSION_MISSING", "KEY_OF_ANOTHER", "SUBJECT_INVALID") == (by_ann, of_ann, of_group)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ({"expire_time": "2026-03-01T12:00:00Z"}, "KEY_ENDED"),
        ({"role": 9}, "ROLE_UNKNOWN"),
        ({"scopes": ["scopes/hidden"]}, "SCOPE_NOT_FOUND"),
        ({"scopes": ["docs"]}, "MALFORMED_NAME"),
        ({"display_name": "x" * 201}, "KEY_TOO_LARGE"),
        ({"display_name": "a\x1b[2Jb"}, "TEXT_UNPRINTABLE"),
    ],
)
async def test_a_key_that_cannot_be_is_refused(world: GatewayWorld, key: Any, reason: str) -> None:
    """With what is wrong; a hidden scope is absent."""
    await world.create_scope("hidden", owner="user:bob")

    assert reason == await refused(world, ANN, "CreateKey", {"key": key})


@pytest.mark.parametrize("name", [*KEY_METHODS, *MEMBER_METHODS])
@pytest.mark.parametrize("bound", [{"ceiling": ScopeRole.EDITOR}, {"limited_to": frozenset()}])
async def test_a_bounded_key_makes_no_keys_and_manages_nobody(
    world: GatewayWorld, name: str, bound: Any
) -> None:
    """Whatever its bearer is: what it made would be for more than itself."""
    caller = replace(ADMINISTRATOR, **bound)
    fields = {"name": "keys/0123456789abcdef"} if name == "RevokeKey" else {}

    assert "PERMISSION_MISSING" == await refused(world, caller, name, fields)


async def test_a_key_makes_none_that_outlives_it(world: GatewayWorld) -> None:
    """By whatever it is asked for."""
    end = world.clock.now() + timedelta(hours=1)
    own = ApiKey(
        key_id="0" * 16,
        organisation_id="main",
        principal_id="user:ann",
        display_name="",
        secret_hash=b"",
        created_time=world.clock.now(),
        created_by="user:ann",
        expired_time=end,
    )
    call = replace(calling(world, ANN), kind=CredentialKind.KEY, key=own)
    later = BOUND["CreateKey"].request()
    later.key.expire_time.FromDatetime(end + timedelta(seconds=1))
    for request in (BOUND["CreateKey"].request(), later):
        with pytest.raises(NotPermitted, match="ends at"):
            await BOUND["CreateKey"].answer(world.ports, request, call)
    later.key.expire_time.FromDatetime(end)
    response: Any = await BOUND["CreateKey"].answer(world.ports, later, call)

    assert response.secret


@pytest.mark.parametrize("name", MEMBER_METHODS)
@pytest.mark.parametrize(
    ("caller", "error"),
    [
        (ANN, NotPermitted),
        (person("ops", roles=frozenset({InstallationRole.OPERATOR})), NotPermitted),
        (NOBODY, NotAuthenticated),
    ],
)
async def test_administrators_alone_say_who_is_what(
    world: GatewayWorld, name: str, caller: Principal, error: type[ScopsError]
) -> None:
    """An operator makes nobody administrator."""
    with pytest.raises(error):
        await served(world, caller, name, {})


async def test_roles_and_groups_are_given_listed_and_taken_back(world: GatewayWorld) -> None:
    """Addresses in lower case, so that they match what issuers confirm."""
    await served(world, ADMINISTRATOR, "SetInstallationRole", role("user:Ann@Example.org"))
    await served(world, ADMINISTRATOR, "SetInstallationRole", role("group:ops", "OPERATOR"))
    await served(
        world, ADMINISTRATOR, "SetGroupMember", {"group": "team", "subject": "user:Bob@example.org"}
    )
    listed: Any = await served(world, ADMINISTRATOR, "ListMembers", {"page_size": 2})
    rest: Any = await served(
        world,
        ADMINISTRATOR,
        "ListMembers",
        {"page_size": 2, "page_token": listed.next_page_token},
    )
    last = await refused(
        world, ADMINISTRATOR, "SetInstallationRole", role("user:ann@example.org") | {"remove": True}
    )

    assert [
        ("group:ops", 1, ""),
        ("user:ann@example.org", 2, ""),
        ("user:bob@example.org", 0, "team"),
    ] == [(one.subject, one.role, one.group) for one in (*listed.members, *rest.members)]
    assert "LAST_ADMINISTRATOR" == last


def role(subject: str, name: str = "ADMINISTRATOR") -> dict[str, Any]:
    return {"subject": subject, "role": f"INSTALLATION_ROLE_{name}"}


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("SetInstallationRole", {"subject": "user:ann"}, "ROLE_INVALID"),
        ("SetInstallationRole", {"subject": "user:ann", "role": 9}, "ROLE_INVALID"),
        ("SetInstallationRole", role("ann"), "SUBJECT_INVALID"),
        ("SetInstallationRole", role("user:*"), "SUBJECT_INVALID"),
        ("SetGroupMember", {"group": "T", "subject": "user:ann"}, "GROUP_INVALID"),
        ("SetGroupMember", {"group": "team", "subject": "group:other"}, "SUBJECT_INVALID"),
    ],
)
async def test_what_names_nobody_is_refused(
    world: GatewayWorld, name: str, fields: Any, reason: str
) -> None:
    """Groups hold no groups."""
    assert reason == await refused(world, ADMINISTRATOR, name, fields)


async def test_whoever_has_the_token_of_the_first_start_is_administrator(
    world: GatewayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; without a credential as a service account with a key, which works."""
    heard = HeardClaims(monkeypatch)
    store, clock = world.ports.identity.store, world.clock
    await offer_claim(store, clock, random.Random(5), organisation_id="main")
    (token,) = heard.tokens
    nobody = replace(calling(world, NOBODY), kind=CredentialKind.NONE)
    response: Any = await answered(world, nobody, "ClaimInstallation", token=token)
    with pytest.raises(NotPermitted):
        await answered(world, nobody, "ClaimInstallation", token=token)
    await offer_claim(store, clock, random.Random(6), organisation_id="main")
    kept = await store.key(response.key.split("_")[1])
    member = await store.membership(
        Principal(principal_id=FIRST_ADMINISTRATOR, organisation_id="main"), now=clock.now()
    )

    assert (FIRST_ADMINISTRATOR, FIRST_ADMINISTRATOR) == (
        response.principal,
        kept and kept.principal_id,
    )
    assert frozenset(InstallationRole) == member.roles
    assert [token] == heard.tokens


async def test_somebody_with_a_credential_claims_for_themselves(world: GatewayWorld) -> None:
    """No key is made; a token that is too old is none."""
    store = world.ports.identity.store
    now = world.clock.now()
    for token, offered in (("old", now - LASTS), ("new", now)):
        await store.offer_claim(claim_hash(token), now=offered, offered_after=now - 2 * LASTS)
    call = replace(calling(world, ANN), kind=CredentialKind.TOKEN)
    for bad in ("old", "", "x" * 10_000):
        with pytest.raises(NotPermitted, match="prints one in its log"):
            await answered(world, call, "ClaimInstallation", token=bad)
    response: Any = await answered(world, call, "ClaimInstallation", token="new")

    assert ("user:ann", "") == (response.principal, response.key)
    assert await store.has_administrator("main")


async def test_everybody_is_told_who_they_are(world: GatewayWorld) -> None:
    """Nobody too, with where to get a credential."""
    found: list[Any] = [
        await served(world, who, "WhoAmI", {}) for who in (ADMINISTRATOR, ANN, NOBODY)
    ]
    bounded: Any = await served(world, replace(ANN, ceiling=ScopeRole.VIEWER), "WhoAmI", {})

    assert ["user:adm", "user:ann", "anonymous"] == [one.principal for one in found]
    more = {"manage_keys", "manage_members", "read_audit", "read_health", "read_quotas"}
    assert more == set(found[0].permissions) - set(found[1].permissions)
    assert ["who_am_i", "claim"] == list(found[2].permissions)
    assert ["who_am_i", "claim", "end_own_key"] == list(bounded.permissions)


@pytest.mark.parametrize("name", [*KEY_METHODS, *MEMBER_METHODS, "ClaimInstallation"])
async def test_where_everybody_is_local_identity_means_nothing(
    world: GatewayWorld, name: str
) -> None:
    """And says how to have it; nothing is kept that would count later."""
    registry = replace(world.ports.identity, is_required=False)
    ports = replace(world.ports, identity=registry)
    bound = BOUND[name]
    request = bound.request(name="keys/0") if name == "RevokeKey" else bound.request()
    with pytest.raises(InvalidInput, match="SCOPS_GATEWAY_IDENTITY=required"):
        await bound.answer(ports, request, calling(world, local_principal("main")))


async def test_the_errors_are_of_the_kinds_that_doors_know(world: GatewayWorld) -> None:
    """A conflict for the last administrator, absent for a key."""
    with pytest.raises(NotFound):
        await served(world, ANN, "RevokeKey", {"name": "keys/0"})
    await served(world, ADMINISTRATOR, "SetInstallationRole", role("user:ann"))
    with pytest.raises(Conflict):
        await served(
            world, ADMINISTRATOR, "SetInstallationRole", role("user:ann") | {"remove": True}
        )
