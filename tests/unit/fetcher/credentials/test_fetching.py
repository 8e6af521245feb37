"""Pages of a scope's credential are fetched with it, in its context, and never without it."""

from dataclasses import replace
from datetime import timedelta

import pytest
import structlog

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages import crawl
from scops.common.contract.messages.crawl import (
    CredentialField,
    DropCredentialRequest,
    DropCredentialResponse,
    KeptCredential,
    ListCredentialsRequest,
    ListCredentialsResponse,
    PageFetched,
    PageGone,
    PutCredentialRequest,
    SecretKind,
)
from scops.common.contract.messages.types import Scope, ScopeCredential
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql import tables
from scops.fetcher.credentials import trying
from scops.fetcher.credentials.answers import drop_credential, list_credentials, put_credential
from tests.fakes.clock import START
from tests.fakes.page_source import Hop, page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ORIGIN, MINE = "https://docs.example.org", "credential-1"
START_PAGE, INSIDE, ELSEWHERE = f"{ORIGIN}/", f"{ORIGIN}/inside", "https://b.test/open"
DOOR = "<form action=/login><input name=user><input name=p type='password'></form>"
PUT = PutCredentialRequest(
    scope_id=SCOPE.scope_id,
    origin=ORIGIN,
    access_context=MINE,
    kind=SecretKind.BEARER,
    fields=(CredentialField(name="token", value="t-12345"),),
    put_by="user:ann",
)


def with_credential() -> Scope:
    mine = (ScopeCredential(origin=ORIGIN, access_context=MINE),)
    rules = ("docs.example.org", "login.example.org", "b.test")
    return replace(scope(*rules, seeds=[START_PAGE, ELSEWHERE]), credentials=mine)


async def known(world: FetcherWorld) -> FetcherWorld:
    """A site of three pages, and a scope with a credential for two of them."""
    for url in (START_PAGE, INSIDE, ELSEWHERE):
        world.source.serve(url, page_answer(url))
    world.links[START_PAGE] = (INSIDE, ELSEWHERE)
    world.scopes.apply(with_credential())
    await put_credential(PUT, world.ports)
    return world


def asked(world: FetcherWorld) -> dict[str, bool]:
    """Whether each URL was asked for with the credential, the last time."""
    return {one.url: one.known for one in world.source.asked}


async def test_pages_of_the_origin_are_fetched_with_it(world: FetcherWorld) -> None:
    """Others, and robots.txt, without; each page is of the context that it was fetched in."""
    await known(world)
    await world.crawl()
    events = [event for event in await world.run() if isinstance(event, PageFetched)]

    assert {START_PAGE: MINE, INSIDE: MINE, ELSEWHERE: PUBLIC} == {
        event.url: event.access_context for event in events
    }
    assert {START_PAGE: True, INSIDE: True, ELSEWHERE: False} == {
        url: sent for url, sent in asked(world).items() if not url.endswith(".txt")
    }
    assert not asked(world)[f"{ORIGIN}/robots.txt"]


async def test_the_same_page_is_another_one_without_it(world: FetcherWorld) -> None:
    """Before the credential came the page was public: neither takes over the other's history."""
    await known(world)
    world.scopes.apply(scope("docs.example.org", seeds=[INSIDE], revision=2))
    await world.crawl("before")
    await world.run()
    world.scopes.apply(replace(with_credential(), revision=3))
    await world.crawl("after")
    await world.run()
    pages = [row for row in await world.rows_of_pages() if row.canonical_url == INSIDE]

    assert {PUBLIC, MINE} == {row.access_context for row in pages}
    assert 2 == len({row.page_id for row in pages})
    assert {START_PAGE, INSIDE, ELSEWHERE} == set(await world.outcomes("after"))


async def test_a_recrawl_is_conditional(world: FetcherWorld) -> None:
    """The validators of the page go with the credential."""
    await known(world)
    world.source.serve(INSIDE, page_answer(INSIDE, etag='"1"'))
    await world.fetch(INSIDE, job_id="first")
    await world.run()
    world.source.asked.clear()
    await world.fetch(INSIDE, job_id="second")
    await world.run()
    (again,) = [one for one in world.source.asked if one.url == INSIDE]

    assert (True, True) == (again.conditional, again.known)
    assert {INSIDE: "unchanged"} == await world.outcomes("second")


@pytest.mark.parametrize("permanent", [True, False])
@pytest.mark.parametrize("target", ["https://login.example.org/", "https://b.test/login"])
async def test_a_redirect_off_the_origin_is_no_change(
    world: FetcherWorld, target: str, permanent: bool
) -> None:
    """The session has ended, as far as anybody knows: what stood goes on standing."""
    await known(world)
    await world.fetch(INSIDE, job_id="first")
    await world.run()
    world.source.serve(INSIDE, Hop(target, permanent=permanent))
    world.source.serve(target, page_answer("Log in"))
    await world.fetch(INSIDE, job_id="second")
    events = await world.run()

    assert "blocked(redirected)" == (await world.outcomes("second"))[INSIDE]
    assert not [one for one in events if isinstance(one, PageGone)]
    assert not [one for one in events if getattr(one, "access_context", "") == MINE]
    assert not asked(world).get(target, False)


@pytest.mark.parametrize("way", ["in place", "for now", "for good"])
async def test_the_door_of_a_login_is_no_change(world: FetcherWorld, way: str) -> None:
    """Whatever else it says, and wherever it says that the page lives from now on."""
    await known(world)
    await world.fetch(INSIDE, job_id="first")
    await world.run()
    (before,) = [row for row in await world.rows_of_pages() if row.canonical_url == INSIDE]
    door, url = page_answer(f"Welcome. {'It is fine here. ' * 99}{DOOR}"), f"{ORIGIN}/login"
    world.source.serve(url, door)
    world.source.serve(INSIDE, door if way == "in place" else Hop(url, permanent=way == "for good"))
    await world.fetch(INSIDE, job_id="second")
    events = await world.run()
    (after,) = [row for row in await world.rows_of_pages() if row.canonical_url == INSIDE]

    assert {INSIDE: "blocked(login_wall)"} == await world.outcomes("second")
    assert not [one for one in events if getattr(one, "access_context", "") == MINE]
    assert (before.page_id, before.last_observed_time) == (after.page_id, after.last_observed_time)


async def test_in_public_a_page_with_a_field_for_a_password_is_taken(world: FetcherWorld) -> None:
    """Many a start page has one: what it says is for the extractor to weigh."""
    world.scopes.apply(scope("b.test", seeds=[ELSEWHERE]))
    world.source.serve(ELSEWHERE, page_answer(DOOR))
    await world.crawl()
    events = await world.run()

    assert [ELSEWHERE] == [one.url for one in events if isinstance(one, PageFetched)]


async def test_without_it_nothing_is_asked(world: FetcherWorld) -> None:
    """Dropped, expired or sealed by a key that went: the page is blocked, and stays as it was."""
    await known(world)
    await put_credential(replace(PUT, expire_time=START + timedelta(hours=1)), world.ports)
    world.clock.advance(3600.0)
    await world.fetch(INSIDE, job_id="expired")
    await world.run()
    await drop_credential(
        DropCredentialRequest(scope_id=SCOPE.scope_id, origin=ORIGIN), world.ports
    )
    await world.fetch(INSIDE, job_id="missing")
    await world.run()

    assert {INSIDE: "blocked(credential_expired)"} == await world.outcomes("expired")
    assert {INSIDE: "blocked(credential_not_kept)"} == await world.outcomes("missing")
    assert INSIDE not in asked(world)


async def test_a_row_in_another_place_opens_nothing(world: FetcherWorld) -> None:
    """Who writes to the database gets no other origin asked with it."""
    await known(world)
    async with world.database.transaction() as connection:
        await connection.execute(tables.credential.update().values(origin="https://b.test"))
    world.scopes.apply(
        replace(
            with_credential(),
            revision=2,
            credentials=(ScopeCredential(origin="https://b.test", access_context=MINE),),
        )
    )
    await world.fetch(ELSEWHERE)
    await world.run()

    assert {ELSEWHERE: "blocked(credential_unreadable)"} == await world.outcomes()
    assert ELSEWHERE not in asked(world)


async def test_a_scope_that_gave_it_up_fetches_nothing_more(world: FetcherWorld) -> None:
    """What waited for a page of its context ends; the same URL is public again."""
    await known(world)
    await world.fetch(INSIDE, job_id="waiting")
    world.scopes.apply(replace(with_credential(), revision=2, credentials=()))
    await world.run()
    await world.fetch(INSIDE, job_id="public")
    events = await world.run()

    assert {INSIDE: "blocked(out_of_scope)"} == await world.outcomes("waiting")
    assert [PUBLIC] == [one.access_context for one in events if isinstance(one, PageFetched)]
    assert not asked(world)[INSIDE]


async def test_it_is_listed_and_never_told(world: FetcherWorld) -> None:
    """Not in a list, a log, or the database."""
    with structlog.testing.capture_logs() as logs:
        await known(world)
        await world.crawl()
        await world.run()
    listed = await list_credentials(ListCredentialsRequest(scope_id=SCOPE.scope_id), world.ports)
    rows = await world.rows(tables.credential)

    assert (
        ListCredentialsResponse(
            credentials=(
                KeptCredential(
                    origin=ORIGIN,
                    access_context=MINE,
                    kind=SecretKind.BEARER,
                    put_by="user:ann",
                    put_time=START,
                ),
            )
        )
        == listed
    )
    assert 1 == len(rows)
    assert "t-12345" not in f"{PUT} {logs} {rows}"


async def test_one_origin_of_a_scope_has_one(world: FetcherWorld) -> None:
    """The newer one takes the place of the older; what is dropped was there once."""
    await known(world)
    await put_credential(replace(PUT, access_context="credential-2"), world.ports)
    drop = DropCredentialRequest(scope_id=SCOPE.scope_id, origin=ORIGIN)

    assert ["credential-2"] == [row.access_context for row in await world.rows(tables.credential)]
    assert DropCredentialResponse(dropped=True) == await drop_credential(drop, world.ports)
    assert DropCredentialResponse(dropped=False) == await drop_credential(drop, world.ports)


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": f"{ORIGIN}/"},
        {"origin": "docs.example.org"},
        {"origin": f"{ORIGIN}:443"},
        {"origin": "file://handbook"},
        {"access_context": PUBLIC},
        {"access_context": "captures-1"},
        {"fields": ()},
        {"expire_time": START},
    ],
)
async def test_what_cannot_be_used_is_not_kept(
    world: FetcherWorld, wrong: dict[str, object]
) -> None:
    """An origin is one, its context its own, and it is not over."""
    with pytest.raises(InvalidInput):
        await put_credential(replace(PUT, **wrong), world.ports)  # type: ignore[arg-type]

    assert [] == await world.rows(tables.credential)


async def test_trying_it_asks_once_and_keeps_nothing(world: FetcherWorld) -> None:
    """The answer says where the page was, how large it is, and whether it is a login's door."""
    await known(world)
    request = crawl.TestCredentialRequest(scope_id=SCOPE.scope_id, access_context=MINE, url=INSIDE)
    found = await trying.try_credential(request, world.ports)
    world.source.serve(INSIDE, page_answer(DOOR))
    door = await trying.try_credential(request, world.ports)
    world.source.serve(INSIDE, Hop("https://login.example.org/"))
    away = await trying.try_credential(request, world.ports)

    assert ("fetched", INSIDE, False) == (found.outcome, found.final_url, found.asks_password)
    assert found.size > 0
    assert ("fetched", True) == (door.outcome, door.asks_password)
    assert ("failed", "REDIRECT_DENIED") == (away.outcome, away.reason)
    assert [True] * 3 == [one.known for one in world.source.asked if one.url == INSIDE]
    assert [] == await world.rows(tables.fetch)


async def test_trying_it_elsewhere_or_too_late_asks_nobody(world: FetcherWorld) -> None:
    """It goes to its origin, as long as it holds."""
    await known(world)
    request = crawl.TestCredentialRequest(
        scope_id=SCOPE.scope_id, access_context=MINE, url=ELSEWHERE
    )
    with pytest.raises(InvalidInput, match="nowhere else"):
        await trying.try_credential(request, world.ports)
    await put_credential(replace(PUT, expire_time=START + timedelta(seconds=1)), world.ports)
    world.clock.advance(1.0)
    late = await trying.try_credential(replace(request, url=INSIDE), world.ports)

    assert ("failed", "CREDENTIAL_EXPIRED") == (late.outcome, late.reason)
    assert [] == world.source.asked
