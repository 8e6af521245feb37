"""Logging in by a code, with an issuer that answers as a test says."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from scops.client.errors import ScopsError
from scops.client.login.device_flow import Client, DeviceCode, renew, start, wait
from scops.client.login.endpoints import IssuerClient, IssuerError

ISSUER = "https://login.example.org"
TOKEN_URL, DEVICE_URL = f"{ISSUER}/token", f"{ISSUER}/device"
CLIENT = Client(client_id="scops-cli", audience="scops")
CODE = DeviceCode(
    device_code="secret",
    user_code="ABCD",
    uri=f"{ISSUER}/enter",
    complete_uri="",
    lasts_seconds=60.0,
    interval_seconds=5.0,
)


class Issuer:
    """Answers in turn; keeps what it was sent."""

    def __init__(self, *answers: dict[str, Any], status: int = 200) -> None:
        self._answers = list(answers)
        self._status = status
        self.forms: list[dict[str, list[str]]] = []

    def client(self) -> IssuerClient:
        return IssuerClient(ISSUER, transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.forms.append(parse_qs(request.content.decode()))
        answer = self._answers.pop(0)
        return httpx.Response(400 if "error" in answer else self._status, json=answer)


def jwt(**claims: Any) -> str:
    """Builds a token whose signature nobody looks at."""
    part = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{part}.c2ln"


ACCESS, IDENTITY = jwt(aud="scops", exp=9e9), jwt(aud=["scops-cli"], exp=8e9)
GIVEN = {"access_token": ACCESS, "id_token": IDENTITY, "refresh_token": "r1", "expires_in": 60}
PENDING, SLOW = {"error": "authorization_pending"}, {"error": "slow_down"}


def waits(*answers: dict[str, Any]) -> tuple[Callable[[], Any], list[float]]:
    """Returns what waits for a login, and how long it slept each time."""
    slept: list[float] = []

    def run() -> Any:
        with Issuer(*answers).client() as issuer:
            return wait(issuer, TOKEN_URL, CLIENT, CODE, sleep=slept.append)

    return run, slept


def test_polling_keeps_the_interval_and_slows_down() -> None:
    """RFC 8628, 3.5: five seconds more for good at each slow_down."""
    run, slept = waits(PENDING, SLOW, PENDING, GIVEN)

    assert ACCESS == run().token
    assert [5.0, 5.0, 10.0, 10.0] == slept


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([{"error": "access_denied"}], "refused in the browser"),
        ([{"error": "expired_token"}], "not confirmed in time"),
        ([PENDING] * 12, "not confirmed in time"),
        ([{"error": "invalid_client", "error_description": "who?"}], "invalid_client: who"),
    ],
)
def test_a_login_that_fails_says_how(answers: Sequence[dict[str, Any]], words: str) -> None:
    """Refused, forgotten, or never possible; nobody waits for ever."""
    run, _ = waits(*answers)

    with pytest.raises(ScopsError, match=words):
        run()


@pytest.mark.parametrize(
    ("audience", "token", "ends"), [("scops", ACCESS, 9e9), ("scops-cli", IDENTITY, 8e9)]
)
def test_the_token_that_is_for_the_gateway_is_taken(audience: str, token: str, ends: float) -> None:
    """The access token where it names the gateway, else the ID token: Google's are opaque."""
    client = Client(client_id="scops-cli", audience=audience)
    with Issuer(GIVEN).client() as issuer:
        found = wait(issuer, TOKEN_URL, client, CODE, sleep=lambda _: None)

    assert (token, ends, "r1") == (found.token, found.expires, found.refresh_token)


@pytest.mark.parametrize("token", ["opaque", "a.b.c", "", jwt(aud="another"), jwt()])
def test_a_token_for_somebody_else_is_not_kept(token: str) -> None:
    """It would be refused at every call; the error names the audience."""
    run, _ = waits({"access_token": token})

    with pytest.raises(ScopsError, match="is for 'scops'"):
        run()


def test_a_code_is_read_as_google_writes_it() -> None:
    """Its `verification_url` is no name of RFC 8628; its client has a secret that is none."""
    described = {
        "device_code": "d",
        "user_code": "GQVQ-JKEC",
        "verification_url": "https://www.google.com/device",
        "expires_in": 1800,
    }
    asked = Issuer(described)
    client = Client(client_id="c", audience="c", secret="s")
    with asked.client() as issuer:
        code = start(issuer, DEVICE_URL, client, "openid email")

    assert ("https://www.google.com/device", "", 5.0) == (
        code.uri,
        code.complete_uri,
        code.interval_seconds,
    )
    assert [{"client_id": ["c"], "client_secret": ["s"], "scope": ["openid email"]}] == asked.forms


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "file:///etc/passwd", "", "//x"])
def test_nobody_is_sent_to_what_is_no_web_page(uri: str) -> None:
    """What an issuer names is shown, and clicked."""
    described = {"device_code": "d", "user_code": "c", "verification_uri": uri}
    with Issuer(described).client() as issuer, pytest.raises(ScopsError, match="address"):
        start(issuer, DEVICE_URL, CLIENT, "openid")


def test_a_refresh_token_stays_where_none_is_given_anew() -> None:
    """RFC 6749, 6: an issuer need not rotate it."""
    given = {"access_token": ACCESS, "expires_in": 60}
    with Issuer(given, GIVEN).client() as issuer:
        kept = renew(issuer, TOKEN_URL, CLIENT, "r0")
        rotated = renew(issuer, TOKEN_URL, CLIENT, "r0")

    assert ["r0", "r1"] == [kept.refresh_token, rotated.refresh_token]


def test_an_ended_login_is_told_from_an_issuer_that_is_away() -> None:
    """The one wants a new login, the other patience."""
    with Issuer({"error": "invalid_grant"}).client() as issuer, pytest.raises(IssuerError):
        renew(issuer, TOKEN_URL, CLIENT, "r0")
    with (
        Issuer({"down": True}, status=502).client() as issuer,
        pytest.raises(ScopsError, match="status 502"),
    ):
        renew(issuer, TOKEN_URL, CLIENT, "r0")


def test_an_issuer_that_is_somebody_else_is_refused() -> None:
    """Its name is compared character by character."""
    with (
        Issuer({"issuer": f"{ISSUER}/"}).client() as issuer,
        pytest.raises(ScopsError, match="character by character"),
    ):
        issuer.endpoints()


@pytest.mark.parametrize("name", ["token_endpoint", "device_authorization_endpoint"])
def test_secrets_travel_by_https_alone(name: str) -> None:
    """Also where an issuer of https:// sends one elsewhere."""
    with (
        Issuer({"issuer": ISSUER, name: "http://login.example.org/x"}).client() as issuer,
        pytest.raises(ScopsError, match="https:// alone"),
    ):
        issuer.endpoints()
    with pytest.raises(ScopsError, match="https:// alone"):
        IssuerClient("http://login.example.org")


def test_a_redirect_is_not_followed() -> None:
    """A code and a refresh token go to the issuer and to nobody that it names."""
    moved = httpx.Response(307, headers={"location": "https://elsewhere.example.org/"})
    transport = httpx.MockTransport(lambda request: moved)
    with (
        IssuerClient(ISSUER, transport=transport) as issuer,
        pytest.raises(ScopsError, match="status 307"),
    ):
        issuer.post(TOKEN_URL, {"refresh_token": "r0"})
