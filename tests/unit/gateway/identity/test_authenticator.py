"""Who a call comes from: keys, tokens, a trusted proxy, and nobody."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.access.principal import ANONYMOUS, InstallationRole, Principal
from scops.common.contract.errors import InvalidInput, NotAuthenticated
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole
from scops.gateway.adapters.sql.identity import SqlIdentity
from scops.gateway.identity.api_key import ApiKey, new_secret
from scops.gateway.identity.authenticator import ByCredential
from scops.gateway.identity.caller import Caller, CredentialKind
from scops.gateway.identity.proxy import TrustedProxy
from scops.gateway.identity.recent import RECENT, RecentIdentity
from scops.gateway.identity.signing_keys import SigningKeys
from scops.gateway.identity.store import Membership
from scops.gateway.identity.tokens import TokenVerifier
from tests.fakes.clock import ManualClock
from tests.fakes.issuer import FakeIssuer
from tests.fakes.worlds.gateway import memory_database

PROXY = "10.0.0.7"
CHANCE = random.Random(3)


class Door:
    """An authenticator with its store, clock and issuer."""

    def __init__(self, store: SqlIdentity) -> None:
        self.store, self.clock, self.issuer = store, ManualClock(), FakeIssuer()
        self.authenticator = ByCredential(
            RecentIdentity(store, self.clock),
            tokens=TokenVerifier(
                [self.issuer.settings],
                keys_of=lambda _: SigningKeys(self.issuer.key_set, self.clock),
                clock=self.clock,
                organisation_id="main",
            ),
            proxy=TrustedProxy(
                addresses=("10.0.0.0/28",),
                header="X-Forwarded-User",
                groups_header="x-groups",
                organisation_id="main",
            ),
            clock=self.clock,
            organisation_id="main",
        )

    async def key(self, **values: Any) -> str:
        """Makes a key and returns its text."""
        key_id, text, secret_hash = new_secret(CHANCE)
        given = {
            "organisation_id": "main",
            "principal_id": "user:ann",
            "display_name": "",
            "created_time": self.clock.now(),
            "created_by": "user:ann",
            **values,
        }
        await self.store.add_key(ApiKey(key_id=key_id, secret_hash=secret_hash, **given))
        return text

    async def caller(self, peer: str = "192.0.2.1", **headers: str) -> Caller:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.authenticator.caller(named, peer)

    async def refused(self, **headers: str) -> str:
        """Returns why a credential is refused; the error never repeats it."""
        with pytest.raises(NotAuthenticated) as caught:
            await self.caller(**headers)
        assert not any(value in caught.value.message for value in headers.values())
        return caught.value.reason


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    database = await memory_database()
    try:
        yield Door(SqlIdentity(database))
    finally:
        await database.close()


async def test_nothing_is_nobody(door: Door) -> None:
    """Who may say who they are, and no more."""
    caller = await door.caller()

    assert (ANONYMOUS, CredentialKind.NONE) == (caller.principal.principal_id, caller.kind)


@pytest.mark.parametrize("form", ["Bearer {}", "bearer  {} ", "x-api-key"])
async def test_a_key_is_its_owner_within_its_bounds(door: Door, form: str) -> None:
    """In either header."""
    text = await door.key(role=ScopeRole.VIEWER, scope_ids=(ScopeId("docs"),))
    named = {"x_api_key": text} if form == "x-api-key" else {"authorization": form.format(text)}
    caller = await door.caller(**named)

    assert CredentialKind.KEY is caller.kind
    assert caller.principal == Principal(
        principal_id="user:ann",
        organisation_id="main",
        limited_to=frozenset({ScopeId("docs")}),
        ceiling=ScopeRole.VIEWER,
    )


async def test_a_key_has_what_is_kept_of_its_owner(door: Door) -> None:
    """Address and groups of the last token, groups that are kept here, and roles."""
    await door.caller(
        authorization=f"Bearer {door.issuer.token(door.issuer.claims(door.clock.now()))}"
    )
    ann = (
        await door.caller(
            authorization=f"Bearer {door.issuer.token(door.issuer.claims(door.clock.now()))}"
        )
    ).principal
    await door.store.set_group_member("main", "crew", "user:ann@example.org", held=True)
    await door.store.set_role("main", "group:crew", InstallationRole.OPERATOR, held=True)
    caller = await door.caller(x_api_key=await door.key(principal_id=ann.principal_id))

    assert "ann@example.org" == caller.principal.email
    assert {"team", "crew"} == caller.principal.groups
    assert {InstallationRole.OPERATOR} == caller.principal.roles


async def test_keys_that_do_not_count_are_refused_alike(door: Door) -> None:
    """Unknown, with another secret, ended, revoked, altered."""
    good = await door.key()
    ended = await door.key(expired_time=door.clock.now() + timedelta(seconds=1))
    revoked = await door.key(revoked_time=None)
    await door.store.revoke_key(revoked.split("_")[1], now=door.clock.now())
    door.clock.advance(1)
    other = await door.key()
    mixed = "_".join((*good.split("_", 2)[:2], other.split("_", 2)[2]))
    _, unknown, _ = new_secret(CHANCE)
    bad = (ended, revoked, mixed, unknown)

    assert {"KEY_INVALID"} == {await door.refused(authorization=f"Bearer {key}") for key in bad}
    assert {"KEY_INVALID"} == {await door.refused(x_api_key=key) for key in (*bad, good[:-1], "x")}


@pytest.mark.parametrize("named", ["Basic YW5uOnNlY3JldA==", "Token sk_1", "sk_1"])
async def test_other_authorizations_are_refused(door: Door, named: str) -> None:
    """They are never taken for nothing."""
    assert "CREDENTIAL_UNKNOWN" == await door.refused(authorization=named)


async def test_two_credentials_are_refused(door: Door) -> None:
    """Nobody can tell which was meant."""
    text = await door.key()

    assert "CREDENTIALS_TWO" == await door.refused(authorization=f"Bearer {text}", x_api_key=text)


async def test_a_revoked_key_counts_no_longer_within_seconds(door: Door) -> None:
    """As known to any replica, however often it is used meanwhile."""
    text = await door.key()
    await door.caller(x_api_key=text)
    await door.store.revoke_key(text.split("_")[1], now=door.clock.now())
    door.clock.advance(RECENT.total_seconds())

    assert "KEY_INVALID" == await door.refused(x_api_key=text)


async def test_a_role_that_is_taken_back_counts_no_longer_within_seconds(door: Door) -> None:
    """A group's too."""
    await door.store.set_role("main", "user:bob", InstallationRole.ADMINISTRATOR, held=True)
    await door.store.set_role("main", "user:ann", InstallationRole.ADMINISTRATOR, held=True)
    text = await door.key()
    held = await door.caller(x_api_key=text)
    await door.store.set_role("main", "user:ann", InstallationRole.ADMINISTRATOR, held=False)
    door.clock.advance(RECENT.total_seconds())
    after = await door.caller(x_api_key=text)

    assert ({InstallationRole.ADMINISTRATOR}, set()) == (
        held.principal.roles,
        set(after.principal.roles),
    )


async def test_a_key_knows_when_it_was_used_to_the_minute(door: Door) -> None:
    """It is written once a minute, not with each call."""
    text = await door.key()
    key_id, begun = text.split("_")[1], door.clock.now()
    times = []
    for _ in range(4):
        await door.caller(x_api_key=text)
        kept = await door.store.key(key_id)
        times.append(kept and kept.used_time)
        door.clock.advance(25)

    assert [begun, begun, begun, begun + timedelta(seconds=75)] == times


async def test_a_trusted_proxy_says_who_calls(door: Door) -> None:
    """From its addresses alone: anybody may write a header."""
    headers = {"x_forwarded_user": "Ann@Example.org", "x_groups": "team, ,staff"}
    named = (await door.caller(PROXY, **headers)).principal
    mapped = (await door.caller(f"::ffff:{PROXY}", **headers)).principal
    others = [await door.caller(peer, **headers) for peer in ("10.0.0.16", "::1", "", "x")]

    assert ("ann@example.org", {"team", "staff"}) == (named.email, named.groups)
    assert named == mapped
    assert {CredentialKind.NONE} == {one.kind for one in others}


async def test_a_credential_goes_before_a_proxys_header(door: Door) -> None:
    """One that does not count is refused, whoever the proxy names."""
    assert "KEY_INVALID" == await door.refused(x_forwarded_user="ann", x_api_key="sk_1")
    text = await door.key()
    caller = await door.caller(PROXY, x_forwarded_user="bob", x_api_key=text)

    assert "user:ann" == caller.principal.principal_id


@pytest.mark.parametrize(
    "values",
    [
        {"addresses": (), "header": "x-user"},
        {"addresses": ("10.0.0.1",), "header": ""},
        {"addresses": ("10.0.0.1/8",), "header": "x-user"},
        {"addresses": ("proxy.example.org",), "header": "x-user"},
    ],
)
def test_a_proxy_that_cannot_be_trusted_is_refused_at_the_start(values: Any) -> None:
    """The message says which settings belong together."""
    with pytest.raises(InvalidInput, match="SCOPS_GATEWAY_PROXY_ADDRESSES"):
        TrustedProxy(**values, groups_header="", organisation_id="main")


async def test_what_is_kept_is_asked_once_in_two_seconds(door: Door) -> None:
    """However many calls a key makes."""
    asked: list[str] = []
    recent = RecentIdentity(door.store, door.clock)
    text = await door.key()
    original = door.store.membership

    async def counting(principal: Principal, *, now: Any) -> Membership:
        asked.append(principal.principal_id)
        return await original(principal, now=now)

    door.store.membership = counting  # type: ignore[method-assign]
    kept = await recent.key(text.split("_")[1])
    assert kept is not None
    ann = Principal(principal_id="user:ann", organisation_id="main")
    for _ in range(20):
        await recent.membership(ann)
    await recent.membership(replace(ann, groups=frozenset({"team"})))

    assert 2 == len(asked)
