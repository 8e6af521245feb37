"""Sessions are begun for the pages of a crawl, once, and anew when they have ended."""

import json
from dataclasses import replace
from functools import partial

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages import crawl
from scops.common.contract.messages.crawl import (
    CredentialField,
    PutCredentialRequest,
    SecretKind,
)
from scops.common.contract.messages.types import Scope, ScopeCredential
from scops.fetcher.adapters.sql import tables
from scops.fetcher.credentials.answers import put_credential
from scops.fetcher.credentials.sessions import REFUSED_FOR
from scops.fetcher.credentials.trying import try_credential
from scops.fetcher.ports.page_source import Failed, Fetched
from scops.fetcher.ports.sign_in import SignInAnswer, SignInRequest
from tests.fakes.page_source import failure, page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ORIGIN, MINE = "https://docs.example.org", "credential-1"
PAGES = tuple(f"{ORIGIN}/{name}" for name in ("", "plan", "news"))
LOGIN, SESSION, TOKEN = f"{ORIGIN}/login", f"{ORIGIN}/session", "https://login.test/token"
DOOR = "<form method=post action=/session><input name=user><input type=password name=pw></form>"
PUT = PutCredentialRequest(
    scope_id=SCOPE.scope_id, origin=ORIGIN, access_context=MINE, put_by="user:ann"
)
FORM = {"url": LOGIN, "password": "p-12345", "shows": "", "input:user": "ann"}
GRANT = {
    "token_url": TOKEN,
    "client_id": "c",
    "client_secret": "s-12345",
    "token_scope": "",
}


def fields_of(values: dict[str, str]) -> tuple[CredentialField, ...]:
    return tuple(CredentialField(name=name, value=value) for name, value in values.items())


def put_of(kind: SecretKind, values: dict[str, str]) -> PutCredentialRequest:
    return replace(PUT, kind=kind, fields=fields_of(values))


def with_credential() -> Scope:
    mine = (ScopeCredential(origin=ORIGIN, access_context=MINE),)
    return replace(scope("docs.example.org", seeds=PAGES), credentials=mine)


class Club:
    """A site that knows whom it let in, and counts how often it did.

    Attributes:
        password: that it lets in by.
        session: that it knows; each login begins another.
    """

    def __init__(self, world: FetcherWorld) -> None:
        self.world = world
        self.password, self.session, self.logins = "p-12345", "", 0
        world.scopes.apply(with_credential())
        for url in PAGES:
            world.source.serve(url, page_answer(url))
        world.sign_in.serve(LOGIN, self.door)
        world.sign_in.serve(SESSION, self.let_in, posts=True)
        world.sign_in.serve(TOKEN, self.grant, posts=True)
        world.sign_in.serve(PAGES[0], lambda one: self.answer(one, body=b"Welcome, Ann"))

    def door(self, request: SignInRequest) -> SignInAnswer:
        cookies = (("before", "1"),)
        return self.answer(request, body=DOOR.encode(), cookies=cookies)

    def let_in(self, request: SignInRequest) -> SignInAnswer:
        self.logins += 1
        if ("pw", self.password) not in (request.form or ()):
            return self.answer(request, body=DOOR.encode())
        return self.answer(request, status=303, target=PAGES[0], cookies=self._next())

    def grant(self, request: SignInRequest) -> SignInAnswer:
        self.logins += 1
        ((_, token),) = self._next()
        told = {"access_token": token, "token_type": "bearer", "expires_in": 600}
        return self.answer(request, body=json.dumps(told).encode())

    def _next(self) -> tuple[tuple[str, str], ...]:
        self.session = f"k-{self.logins}"
        return (("sid", self.session),)

    @staticmethod
    def answer(
        request: SignInRequest,
        *,
        status: int = 200,
        body: bytes = b"",
        target: str = "",
        cookies: tuple[tuple[str, str], ...] = (),
    ) -> SignInAnswer:
        return SignInAnswer(
            url=request.url,
            status=status,
            body=body,
            target_url=target,
            cookies=cookies,
        )

    def pages_know_the_session(self) -> None:
        """Has pages ask whoever is not in the newest session for a password."""
        for url in PAGES:
            self.world.source.serve(url, partial(self._page, url))

    def _page(self, url: str) -> Fetched:
        (sent,) = self.world.source.asked[-1].sent
        return page_answer(url if self.session in sent[1] else DOOR)


async def crawled(world: FetcherWorld, job_id: str = "job") -> dict[str, str]:
    """Crawls all pages; returns their outcomes."""
    await world.crawl(job_id)
    await world.run()
    return await world.outcomes(job_id)


def sent_to(world: FetcherWorld, url: str) -> list[str]:
    """Returns what each request for a page was known by."""
    return [value for one in world.source.asked if one.url == url for _, value in one.sent]


async def test_a_crawl_signs_in_once(world: FetcherWorld) -> None:
    """By the form, filled in and sent with the cookies of its page; pages get the session."""
    club = Club(world)
    await put_credential(put_of(SecretKind.FORM, FORM), world.ports)
    outcomes = await crawled(world)
    door, sent, landed = world.sign_in.sent

    assert dict.fromkeys(PAGES, "indexed") == outcomes
    assert (1, LOGIN, PAGES[0]) == (club.logins, door.url, landed.url)
    assert {("user", "ann"), ("pw", "p-12345")} == set(sent.form or ())
    assert {("Cookie", "before=1"), ("Origin", ORIGIN), ("Referer", LOGIN)} == set(sent.headers)
    assert {("before=1; sid=k-1",)} == {tuple(sent_to(world, url)) for url in PAGES}


async def test_a_client_is_granted_a_token_under_the_clock_of_its_server(
    world: FetcherWorld,
) -> None:
    """Once for all pages of its life; that is another host, which rests after it as any."""
    club = Club(world)
    await put_credential(put_of(SecretKind.OAUTH_CLIENT, GRANT), world.ports)
    outcomes = await crawled(world)
    world.clock.advance(600.0)
    await world.fetch(PAGES[1], job_id="later")
    await world.run()

    assert dict.fromkeys(PAGES, "indexed") == outcomes
    assert 2 == club.logins
    assert ["Bearer k-1", "Bearer k-2"] == sent_to(world, PAGES[1])
    assert "login.test" in {row.host_key for row in await world.rows(tables.host)}


async def test_a_session_that_ended_is_begun_anew(world: FetcherWorld) -> None:
    """Once, and the page is read with it: nobody is told of a login."""
    club = Club(world)
    club.pages_know_the_session()
    await put_credential(put_of(SecretKind.FORM, FORM), world.ports)
    await crawled(world)
    club.session = "k-ended"
    world.clock.advance(120.0)
    outcomes = await crawled(world, "second")

    assert dict.fromkeys(PAGES, "unchanged") == outcomes
    assert 2 == club.logins
    assert 4 == len(sent_to(world, PAGES[0])) + len(sent_to(world, PAGES[1])) - 1


async def test_a_page_that_refuses_each_session_is_not_asked_again(world: FetcherWorld) -> None:
    """It asks for a right that the credential does not have."""
    club = Club(world)
    world.source.serve(PAGES[1], failure("HTTP_401", status=401))
    await put_credential(put_of(SecretKind.FORM, FORM), world.ports)
    outcomes = await crawled(world)

    assert "blocked(http_401)" == outcomes[PAGES[1]]
    assert (1, 1) == (club.logins, len(sent_to(world, PAGES[1])))


async def test_a_wrong_password_is_tried_once(world: FetcherWorld) -> None:
    """Not by every page of a crawl: accounts are locked for that. A newer one is tried at once."""
    club = Club(world)
    club.password = "another"
    await put_credential(put_of(SecretKind.FORM, FORM), world.ports)
    refused = await crawled(world)
    tries = club.logins
    world.clock.advance(1.0)
    newer = put_of(SecretKind.FORM, {**FORM, "password": "another"})
    await put_credential(newer, world.ports)
    taken = await crawled(world, "second")

    assert dict.fromkeys(PAGES, "blocked(sign_in_refused)") == refused
    assert (1, dict.fromkeys(PAGES, "indexed")) == (tries, taken)
    assert not [url for url in PAGES if len(sent_to(world, url)) != 1]


async def test_a_login_is_known_by_what_it_shows(world: FetcherWorld) -> None:
    """Some servers answer a wrong password with a friendly page."""
    club = Club(world)
    world.sign_in.serve(PAGES[0], lambda one: Club.answer(one, body=b"Welcome, stranger"))
    await put_credential(put_of(SecretKind.FORM, {**FORM, "shows": "Sign out"}), world.ports)
    refused = await crawled(world)
    world.sign_in.serve(PAGES[0], lambda one: Club.answer(one, body=b"Ann <a>Sign out</a>"))
    world.clock.advance(REFUSED_FOR.total_seconds())
    taken = await crawled(world, "second")

    assert dict.fromkeys(PAGES, "blocked(sign_in_refused)") == refused
    assert dict.fromkeys(PAGES, "indexed") == taken
    assert 2 == club.logins


async def test_a_server_that_does_not_answer_is_asked_later(world: FetcherWorld) -> None:
    """The pages wait; the credential is not wrong."""
    club = Club(world)
    down = [True, True]

    def grant(request: SignInRequest) -> SignInAnswer | Failed:
        if down and down.pop():
            return failure("HTTP_503", retryable=True, host_fault=True, status=503)
        return club.grant(request)

    world.sign_in.serve(TOKEN, grant, posts=True)
    await put_credential(put_of(SecretKind.OAUTH_CLIENT, GRANT), world.ports)

    assert dict.fromkeys(PAGES, "indexed") == await crawled(world)


async def test_trying_it_says_why_there_is_no_session(world: FetcherWorld) -> None:
    """And signs in anew each time, for that is what is tried; nothing of the secret is said."""
    club = Club(world)
    await put_credential(put_of(SecretKind.FORM, FORM), world.ports)
    request = crawl.TestCredentialRequest(
        scope_id=SCOPE.scope_id, access_context=MINE, url=PAGES[1]
    )
    fine = await try_credential(request, world.ports)
    club.password = "another"
    refused = await try_credential(request, world.ports)

    assert ("fetched", "failed") == (fine.outcome, refused.outcome)
    assert "SIGN_IN_REFUSED" == refused.reason
    assert "lets nobody in" in refused.detail
    assert "12345" not in refused.detail
    assert 2 == club.logins


async def test_a_login_elsewhere_is_no_form_of_the_origin(world: FetcherWorld) -> None:
    """The password would go to somebody else than who shows the pages."""
    elsewhere = put_of(SecretKind.FORM, {**FORM, "url": "https://sso.example.org/login"})
    with pytest.raises(InvalidInput, match="own origin"):
        await put_credential(elsewhere, world.ports)

    assert [] == await world.rows(tables.credential)
