"""What the gateway keeps of who may come in, with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import MetaData

from scops.common.access.principal import InstallationRole, Principal
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole
from scops.common.db.database import Database
from scops.gateway.adapters.sql.identity import SqlIdentity
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.identity.api_key import ApiKey
from scops.gateway.identity.store import GROUPS_KEPT

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlIdentity, SqlIdentity]
ADMINISTRATOR, OPERATOR = InstallationRole.ADMINISTRATOR, InstallationRole.OPERATOR
LONG_AGO = AT - timedelta(days=1)


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlIdentity(first), SqlIdentity(second)


def key(key_id: str = "0" * 16, **values: Any) -> ApiKey:
    given = {
        "organisation_id": "main",
        "principal_id": "user:ann",
        "display_name": "of Ann",
        "secret_hash": b"h" * 32,
        "role": ScopeRole.VIEWER,
        "scope_ids": (ScopeId("docs"),),
        "created_time": AT,
        "created_by": "user:ann",
        "expired_time": AT + timedelta(days=1),
        **values,
    }
    return ApiKey(key_id=key_id, **given)


def ann(**values: Any) -> Principal:
    return Principal(**{"principal_id": "user:ann", "organisation_id": "main", **values})


async def test_a_key_is_read_as_it_was_made_and_as_it_ended(stores: Stores) -> None:
    """By the other replica; the first end stays."""
    first, second = stores
    await first.add_key(key())
    made = await second.key("0" * 16)
    await second.note_use("0" * 16, now=AT)
    await second.revoke_key("0" * 16, now=AT)
    await first.revoke_key("0" * 16, now=AT + timedelta(hours=1))

    assert key() == made
    assert replace(key(), used_time=AT, revoked_time=AT) == await first.key("0" * 16)
    assert None is await first.key("1" * 16)


async def test_keys_are_listed_newest_first_page_by_page(stores: Stores) -> None:
    """Those of the same age each once; a person's, or everybody's, of one organisation."""
    store, _ = stores
    for number in range(5):
        owner = "user:ann" if number % 2 else "user:bob"
        created = AT + timedelta(seconds=number // 2)
        await store.add_key(key(f"{number:016}", principal_id=owner, created_time=created))
    await store.add_key(key("9" * 16, organisation_id="other"))
    found: list[str] = []
    while page := await store.keys(
        "main", principal_id="", before=found[-1] if found else "", limit=2
    ):
        found += [one.key_id for one in page]
    own = await store.keys("main", principal_id="user:ann", before="", limit=9)

    assert [f"{number:016}" for number in (4, 3, 2, 1, 0)] == found
    assert [f"{number:016}" for number in (3, 1)] == [one.key_id for one in own]


async def test_somebody_is_in_groups_and_roles_by_every_name(stores: Stores) -> None:
    """By id, by confirmed address, by a token's group, and by a group that is kept here."""
    first, second = stores
    await first.set_group_member("main", "staff", "user:ann@example.org", held=True)
    await first.set_group_member("main", "crew", "user:ann", held=True)
    await first.set_role("main", "group:staff", OPERATOR, held=True)
    await first.set_role("main", "group:idp", ADMINISTRATOR, held=True)
    await first.set_role("other", "user:ann", ADMINISTRATOR, held=True)
    nobody = await second.membership(ann(), now=AT)
    by_token = await second.membership(
        ann(email="ann@example.org", groups=frozenset({"idp"})), now=AT
    )

    assert (frozenset({"crew"}), frozenset()) == (nobody.groups, nobody.roles)
    assert {"crew", "staff"} == by_token.groups
    assert {OPERATOR, ADMINISTRATOR} == by_token.roles


async def test_what_a_token_said_last_counts_for_keys_for_a_while(stores: Stores) -> None:
    """The address stays; groups are forgotten when no token has named them for days."""
    first, second = stores
    await first.set_group_member("main", "staff", "user:ann@example.org", held=True)
    came = ann(email="ann@example.org", groups=frozenset({"idp"}))
    await first.note_person(came, now=AT)
    soon = await second.membership(ann(), now=AT + timedelta(days=1))
    late = await second.membership(ann(), now=AT + GROUPS_KEPT)
    await second.note_person(replace(came, groups=frozenset()), now=AT + timedelta(days=1))
    left = await first.membership(ann(), now=AT + timedelta(days=1))

    assert ("ann@example.org", {"idp", "staff"}) == (soon.email, soon.groups)
    assert ("ann@example.org", {"staff"}) == (late.email, late.groups)
    assert {"staff"} == left.groups


async def test_members_are_listed_page_by_page_and_taken_out(stores: Stores) -> None:
    """Giving twice is giving once."""
    first, second = stores
    for _ in range(2):
        await first.set_role("main", "user:ann", ADMINISTRATOR, held=True)
        await first.set_role("main", "user:ann", OPERATOR, held=True)
        await first.set_group_member("main", "staff", "user:ann", held=True)
    await second.set_role("main", "user:ann", OPERATOR, held=False)
    found, after = [], ""
    while page := await second.members("main", after=after, limit=1):
        ((after, member),) = page
        found.append((member.subject, member.group, member.role))

    assert [("user:ann", "staff", None), ("user:ann", "", ADMINISTRATOR)] == found


async def test_of_administrators_who_leave_at_once_one_stays(stores: Stores) -> None:
    """Whichever replica they are taken back by."""
    first, second = stores
    for name in ("user:ann", "user:bob"):
        await first.set_role("main", name, ADMINISTRATOR, held=True)
    left = await asyncio.gather(
        first.set_role("main", "user:ann", ADMINISTRATOR, held=False),
        second.set_role("main", "user:bob", ADMINISTRATOR, held=False),
    )

    assert [False, True] == sorted(left)
    assert await first.has_administrator("main")


async def test_one_of_those_who_claim_becomes_administrator(stores: Stores) -> None:
    """Each with a token of another replica; none counts afterwards."""
    first, second = stores
    for store, token in ((first, b"one"), (second, b"two")):
        await store.offer_claim(token, now=AT, offered_after=LONG_AGO)
    roles = (ADMINISTRATOR, OPERATOR)
    won = await asyncio.gather(
        first.claim("main", b"one", "user:ann", roles, key=None, offered_after=LONG_AGO),
        second.claim("main", b"two", "user:bob", roles, key=key(), offered_after=LONG_AGO),
    )
    later = await first.claim("main", b"one", "user:eve", roles, key=None, offered_after=LONG_AGO)
    names = {member.subject for _, member in await first.members("main", after="", limit=9)}

    assert [False, True] == sorted(won)
    assert not later
    assert names == {("user:ann", "user:bob")[won.index(True)]}
    assert (await first.key("0" * 16) is not None) == won[1]


async def test_a_token_that_is_old_or_none_makes_nobody_administrator(stores: Stores) -> None:
    """And leaves those that are good."""
    store, _ = stores
    before = LONG_AGO - timedelta(days=1)
    await store.offer_claim(b"gone", now=before, offered_after=before)
    await store.offer_claim(b"old", now=LONG_AGO, offered_after=before)
    await store.offer_claim(b"new", now=AT, offered_after=before)
    claims = [
        await store.claim("main", token, "user:ann", (OPERATOR,), key=None, offered_after=LONG_AGO)
        for token in (b"gone", b"old", b"none", b"new")
    ]

    assert [False, False, False, True] == claims
