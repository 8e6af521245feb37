"""The gateway and the command with a real issuer: logging in, renewing, keys that change."""

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scops.api.v1alpha1 import identity_service_pb2 as identity
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.client import AsyncScops, Scops
from scops.gateway.identity import signing_keys, tokens
from scops.standalone.terminal.exits import Exit
from tests.connected.gateway.calls import StatusCode, create_request, failed, reason
from tests.fakes.servers.oidc_provider import OidcProvider, signing_key
from tests.fakes.worlds.gateway import ServedGateway, served_gateway

LOGIN_SECONDS = 60.0


@pytest.fixture(scope="module")
def issuer() -> Iterator[OidcProvider]:
    with OidcProvider() as provider:
        yield provider


@pytest.fixture
async def served(tmp_path: Path, issuer: OidcProvider) -> AsyncIterator[ServedGateway]:
    issuers = tmp_path / "issuers.json"
    issuers.write_text(json.dumps(issuer.settings))
    async with served_gateway(tmp_path, identity="required", issuers=issuers) as opened:
        yield opened


@dataclass
class Person:
    """Somebody at a terminal, whose logins are in a folder."""

    home: Path
    served: ServedGateway

    @property
    def logins(self) -> Path:
        """The file of the logins."""
        return self.home / "scops" / "logins.json"

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        """Starts a command."""
        kept = {name: value for name, value in os.environ.items() if name[:6] != "SCOPS_"}
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "scops.standalone", *words),
            env={
                **kept,
                "XDG_CONFIG_HOME": str(self.home),
                "SCOPS_COMMAND_ADDRESS": self.served.gateway.address,
                "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *words: str) -> tuple[int | None, Any]:
        """Runs a command; returns its exit code and what it printed for programs."""
        process = await self.start(*words)
        out, _ = await process.communicate()
        return process.returncode, json.loads(out)

    async def login(self, issuer: OidcProvider, person: str) -> tuple[int | None, Any]:
        """Runs `scops login`, and confirms in a browser what it asks for."""
        process = await self.start("login")
        assert process.stderr is not None
        async with asyncio.timeout(LOGIN_SECONDS):
            said = ""
            while "user_code=" not in said:
                said = (await process.stderr.readline()).decode()
                assert said, "the login ended before it showed a code"
            url = said.split()[-1]
            page = await asyncio.to_thread(issuer.confirm, url, person=person)
            assert "Success" in page
            out, _ = await process.communicate()
        return process.returncode, json.loads(out)

    def age_token(self) -> None:
        """Has the token of the login be out of date."""
        saved = json.loads(self.logins.read_text())
        for login in saved.values():
            login["tokens"]["expires"] = 0.0
        self.logins.write_text(json.dumps(saved))

    def saved_token(self) -> str:
        """Returns the token of the login."""
        (login,) = json.loads(self.logins.read_text()).values()
        return str(login["tokens"]["token"])


@pytest.fixture
def ann(tmp_path: Path, served: ServedGateway) -> Person:
    return Person(tmp_path / "ann", served)


def bearing(credential: str) -> Any:
    """Returns what a call carries."""
    return (("authorization", f"Bearer {credential}"),)


async def who(served: ServedGateway, token: str) -> identity.WhoAmIResponse:
    """Returns whom a token names."""
    return await served.identity.WhoAmI(identity.WhoAmIRequest(), metadata=bearing(token))


async def refused_as(served: ServedGateway, token: str) -> tuple[StatusCode, str]:
    """Returns how a token is refused."""
    call = served.identity.WhoAmI(identity.WhoAmIRequest(), metadata=bearing(token))
    error = await failed(call)
    return error.code(), reason(error)


async def test_a_login_by_a_browser_counts_until_its_issuer_ends_it(
    ann: Person, issuer: OidcProvider
) -> None:
    """Login, call, renewal, a refresh token that counts once, logout; each as a process."""
    code, known = await ann.login(issuer, "ann")
    asked = await ann.run("whoami")
    made = await ann.run("scope", "create", "docs", "https://docs.example.org/")
    mode = stat.S_IMODE(ann.logins.stat().st_mode)
    first = ann.saved_token()
    ann.age_token()
    # Of two commands at once, one renews and the other takes what it got.
    renewed = await asyncio.gather(ann.run("scope", "list"), ann.run("scope", "show", "docs"))
    second = ann.saved_token()
    left = await ann.run("logout")
    alone = await ann.run("scope", "list")

    assert (0, "ann@example.org", ["team"]) == (code, known["email"], known["groups"])
    assert (0, known) == asked
    assert (0, known["principal"]) == (made[0], made[1]["owner"])
    assert 0o600 == mode
    assert [0, 0] == [code for code, _ in renewed]
    assert first != second
    assert (0, True, True) == (left[0], left[1]["logged_out"], left[1]["revoked"])
    assert (Exit.NOT_AUTHENTICATED, "CREDENTIAL_MISSING") == (alone[0], alone[1]["error"]["reason"])


async def test_the_python_client_asks_by_a_saved_login_and_renews_it(
    ann: Person, issuer: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first call where it has ended, and in the middle where it is refused."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(ann.home))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.delenv("SCOPS_TOKEN", raising=False)
    _, known = await ann.login(issuer, "ann")
    first = ann.saved_token()
    ann.age_token()
    async with AsyncScops(ann.served.gateway.address) as asking:
        aged = await asking.whoami()
        second = ann.saved_token()
    saved = json.loads(ann.logins.read_text())
    for login in saved.values():
        login["tokens"]["token"] = "of.another.day"
    ann.logins.write_text(json.dumps(saved))
    with Scops(ann.served.gateway.address) as waiting:
        refused = await asyncio.to_thread(waiting.whoami)

    assert {known["principal"]} == {aged.principal, refused.principal}
    assert 3 == len({first, second, ann.saved_token()})


async def test_a_service_comes_in_by_its_own_token(
    served: ServedGateway, issuer: OidcProvider
) -> None:
    """It is somebody of its own: it may make scopes, and owns them."""
    token = issuer.service_token("robot")
    robot = await who(served, token)
    made = await served.scopes.CreateScope(create_request(), metadata=bearing(token))
    mine = await served.scopes.ListScopes(scopes.ListScopesRequest(), metadata=bearing(token))

    assert (identity.CREDENTIAL_KIND_TOKEN, "") == (robot.credential, robot.email)
    assert robot.principal == made.scope.owner
    assert ["scopes/docs"] == [one.name for one in mine.scopes]


async def test_tokens_for_others_and_of_yesterday_are_refused(
    served: ServedGateway, issuer: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token for another service of the same issuer is none here, nor one that has ended."""
    monkeypatch.setattr(tokens, "LEEWAY", tokens.LEEWAY * 0)
    short = issuer.service_token("mayfly")
    other = await refused_as(served, issuer.service_token("stranger"))
    await asyncio.sleep(1.1)

    assert (StatusCode.UNAUTHENTICATED, "TOKEN_INVALID") == other
    assert (StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED") == await refused_as(served, short)


async def test_keys_of_the_issuer_change(
    served: ServedGateway, ann: Person, issuer: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new key counts from its first token on, one that is taken back no longer."""
    monkeypatch.setattr(signing_keys, "UNKNOWN_PAUSE", signing_keys.UNKNOWN_PAUSE * 0)
    old = issuer.service_token("robot")
    before = await who(served, old)
    issuer.stop()
    issuer.start([signing_key("second")])
    after = await who(served, issuer.service_token("robot"))

    assert before.principal == after.principal
    assert (StatusCode.UNAUTHENTICATED, "TOKEN_INVALID") == await refused_as(served, old)
