"""Who may keep credentials, what a scope says of them, and that the gateway keeps no secret."""

from dataclasses import replace
from typing import Any

import pytest
import structlog
from sqlalchemy import select

from scops.common.access.principal import Principal
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages import crawl
from scops.common.contract.messages.crawl import (
    DropCredentialRequest,
    DropCredentialResponse,
    KeptCredential,
    ListCredentialsResponse,
    PutCredentialRequest,
    PutCredentialResponse,
    SecretKind,
)
from scops.common.contract.messages.types import Grant, Scope, ScopeRole
from scops.common.query.ports import (
    DROP_CREDENTIAL,
    LIST_CREDENTIALS,
    PUT_CREDENTIAL,
    TEST_CREDENTIAL,
)
from scops.common.scope.contexts import PUBLIC, access_contexts, is_credential_context
from scops.common.scope.hosts import HostLists
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.handlers import credentials
from scops.gateway.handlers.credentials import CREDENTIALS_MAX, GivenSecret
from scops.gateway.handlers.scopes import update_scope
from scops.gateway.handlers.sharing import fork_scope, share_scope
from tests.fakes.worlds.gateway import GatewayWorld, docs_fields, gateway_world
from tests.fakes.worlds.methods import person, served

ANN, BOB, EVE = "user:ann", "user:bob", "user:eve"
ORIGIN, INSIDE = "https://docs.example.org", "https://docs.example.org/inside"
DOCS = ScopeId("docs")
TOKEN = GivenSecret(kind=SecretKind.BEARER, fields={"token": "t-12345"})


async def put(
    world: GatewayWorld, caller: str = ANN, *, origin: str = ORIGIN, scope_id: str = "docs"
) -> KeptCredential:
    return await credentials.put_credential(
        world.ports,
        world.call(caller),
        scope_id=ScopeId(scope_id),
        origin=origin,
        secret=TOKEN,
        expire_time=None,
    )


async def stored(world: GatewayWorld, scope_id: str = "docs") -> Scope:
    found = await world.ports.scopes.get("main", ScopeId(scope_id))
    assert found is not None
    return found.scope


async def made(world: GatewayWorld) -> list[PutCredentialRequest]:
    """A scope of Ann's; returns what the fetcher will be asked to keep."""
    await world.create_scope(owner=ANN)
    return world.says(PUT_CREDENTIAL, PutCredentialResponse())


async def test_a_credential_draws_a_context_of_its_own() -> None:
    """The scope names origin and context, the fetcher gets the secret; a newer one keeps both."""
    async with gateway_world() as world:
        asked = await made(world)
        await put(world)
        await put(world, origin=f"{ORIGIN}/")
        scope = await stored(world)
        (mine,) = scope.credentials
        first, second = asked

        assert ORIGIN == mine.origin
        assert is_credential_context(mine.access_context)
        assert {PUBLIC, mine.access_context} == access_contexts(scope)
        assert mine.access_context == first.access_context == second.access_context
        assert (ORIGIN, ANN, SecretKind.BEARER) == (first.origin, first.put_by, first.kind)
        assert [("token", "t-12345")] == [(one.name, one.value) for one in first.fields]
        assert scope == world.projection.held.get(("main", DOCS), scope)


async def test_it_is_of_one_scope() -> None:
    """Neither another scope over the same pages has it, nor a copy; an update leaves it alone."""
    async with gateway_world() as world:
        await made(world)
        await world.create_scope("others", owner=ANN)
        await put(world)
        await put(world, scope_id="others")
        await fork_scope(
            world.ports,
            world.call(ANN),
            scope_id=DOCS,
            new_id="copy",
            display_name="",
            request_id="",
        )
        await update_scope(
            world.ports,
            world.call(ANN),
            scope_id=DOCS,
            wanted=docs_fields(page_limit=7),
            mask=("*",),
            etag="",
        )
        mine, others = (
            (await stored(world)).credentials,
            (await stored(world, "others")).credentials,
        )

        assert mine[0].access_context != others[0].access_context
        assert () == (await stored(world, "copy")).credentials
        assert frozenset({PUBLIC}) == access_contexts(await stored(world, "copy"))


@pytest.mark.parametrize(
    ("caller", "error"), [(EVE, NotFound), (BOB, NotPermitted)], ids=["stranger", "editor"]
)
async def test_who_may_not_changes_nothing(caller: str, error: type[Exception]) -> None:
    """It is the owner's, or of whom they give the right by name."""
    async with gateway_world() as world:
        asked = await made(world)
        grant = Grant(subject=BOB, role=ScopeRole.EDITOR)
        await share_scope(world.ports, world.call(ANN), scope_id=DOCS, grant=grant, etag="")
        with pytest.raises(error):
            await put(world, caller)

        assert [] == asked
        assert () == (await stored(world)).credentials
        named = replace(grant, rights=("keep_credentials",))
        await share_scope(world.ports, world.call(ANN), scope_id=DOCS, grant=named, etag="")
        assert BOB == (await put(world, BOB)).put_by


async def test_what_the_fetcher_refuses_changes_no_scope() -> None:
    """Else its pages would be blocked for want of a credential."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)

        async def refuse(request: PutCredentialRequest) -> PutCredentialResponse:
            raise InvalidInput("No key.", reason="CREDENTIAL_KEY_MISSING")

        world.answer(PUT_CREDENTIAL, refuse)
        with pytest.raises(InvalidInput, match="No key"):
            await put(world)

        assert () == (await stored(world)).credentials


async def test_of_two_who_put_one_at_once_the_scope_decides() -> None:
    """The fetcher keeps the newer secret in the context that the scope names."""
    async with gateway_world() as world:
        await world.create_scope(owner=ANN)
        asked: list[PutCredentialRequest] = []

        async def keep(request: PutCredentialRequest) -> PutCredentialResponse:
            asked.append(request)
            if len(asked) == 1:
                await put(world)
            return PutCredentialResponse()

        world.answer(PUT_CREDENTIAL, keep)
        await put(world)
        (mine,) = (await stored(world)).credentials

        assert 3 == len(asked)
        assert mine.access_context == asked[-1].access_context != asked[0].access_context


@pytest.mark.parametrize(
    "origin", ["docs.example.org", INSIDE, f"{ORIGIN}/?a=1", "file://handbook"]
)
async def test_an_origin_is_scheme_host_and_port(origin: str) -> None:
    """Whoever names a page learns that the whole origin would see it."""
    async with gateway_world() as world:
        asked = await made(world)
        with pytest.raises(InvalidInput):
            await put(world, origin=origin)

        assert [] == asked


async def test_hosts_that_may_not_be_crawled_have_none() -> None:
    """The lists of the installation hold here too."""
    async with gateway_world() as world:
        asked = await made(world)
        world.ports = replace(world.ports, hosts=HostLists(denied=frozenset({"docs.example.org"})))
        with pytest.raises(InvalidInput):
            await put(world)

        assert [] == asked


async def test_a_scope_has_so_many_at_most() -> None:
    """A bound, as everything has one."""
    async with gateway_world() as world:
        await made(world)
        for number in range(CREDENTIALS_MAX):
            await put(world, origin=f"https://h{number}.example.org")
        with pytest.raises(InvalidInput, match="as many as"):
            await put(world)
        await put(world, origin="https://h0.example.org")

        assert CREDENTIALS_MAX == len((await stored(world)).credentials)


async def test_a_list_has_what_the_scope_holds() -> None:
    """A row that an earlier scope of that id left is not its own."""
    async with gateway_world() as world:
        await made(world)
        kept = await put(world)
        stale = replace(kept, origin="https://old.example", access_context="credential-old")
        world.says(LIST_CREDENTIALS, ListCredentialsResponse(credentials=(stale, kept)))
        found = await credentials.list_credentials(world.ports, world.call(ANN), scope_id=DOCS)

        assert (kept,) == found


async def test_a_deleted_one_is_read_no_more() -> None:
    """The scope gives up its context first: also where the fetcher does not answer."""
    async with gateway_world() as world:
        await made(world)
        await put(world)
        asked: list[DropCredentialRequest] = world.says(
            DROP_CREDENTIAL, DropCredentialResponse(dropped=True)
        )
        call = world.call(ANN)
        await credentials.delete_credential(world.ports, call, scope_id=DOCS, origin=ORIGIN)

        assert frozenset({PUBLIC}) == access_contexts(await stored(world))
        assert [DropCredentialRequest(scope_id=DOCS, origin=ORIGIN)] == asked
        world.says(DROP_CREDENTIAL, DropCredentialResponse(dropped=False))
        with pytest.raises(NotFound):
            await credentials.delete_credential(world.ports, call, scope_id=DOCS, origin=ORIGIN)


async def test_a_test_asks_in_the_context_of_the_origin() -> None:
    """A page of an origin without a credential is nobody's to try."""
    async with gateway_world() as world:
        await made(world)
        kept = await put(world)
        told = crawl.TestCredentialResponse(outcome="fetched", final_url=INSIDE)
        asked = world.says(TEST_CREDENTIAL, told)
        call = world.call(ANN)

        found = await credentials.test_credential(world.ports, call, scope_id=DOCS, uri=INSIDE)
        assert told == found
        assert [(kept.access_context, INSIDE)] == [(a.access_context, a.url) for a in asked]
        with pytest.raises(NotFound):
            await credentials.test_credential(
                world.ports, call, scope_id=DOCS, uri="https://other.example/"
            )


async def test_no_secret_stays_in_the_gateway() -> None:
    """Not in its database, with the audit and every revision; not in what it logs or answers."""
    owner: Principal = person("ann")
    secrets: dict[str, Any] = {
        "header": {"header": "X-Api-Key", "value": "s-12345"},
        "basic": {"username": "ann", "password": "s-12345"},
        "bearer": {"token": "s-12345"},
        "cookies": {"cookies": [{"cookie": "sid", "value": "s-12345"}]},
    }
    async with gateway_world() as world:
        asked = await made(world)
        told = ""
        with structlog.testing.capture_logs() as logs:
            for name, secret in secrets.items():
                fields = {"name": "scopes/docs", "origin": ORIGIN, name: secret}
                answer: Any = await served(world, owner, "PutCredential", fields)
                told += f"{answer} {asked[-1]}"
                assert ORIGIN == answer.credential.origin
        rows = ""
        async with world.database.reading() as connection:
            for table in metadata.sorted_tables:
                rows += repr((await connection.execute(select(table))).all())

        assert len(secrets) == len(asked)
        assert "PutCredential" in rows
        assert ORIGIN in rows
        assert "s-12345" not in f"{rows} {told} {logs}"
