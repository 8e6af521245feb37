"""Tokens of client credentials, as RFC 6749 has them."""

import json
from datetime import timedelta

import pytest

from scops.common.contract.messages.crawl import SecretKind
from scops.fetcher.credentials.client_grant import grant_request, granted
from scops.fetcher.credentials.secret import Secret
from scops.fetcher.credentials.sessions import SignInRefused
from scops.fetcher.ports.sign_in import SignInAnswer
from tests.fakes.clock import START

SECRET = Secret(
    kind=SecretKind.OAUTH_CLIENT,
    fields={
        "token_url": "https://login.example/token",
        "client_id": "s6BhdRkqt3",
        "client_secret": "gX1fBAt3bV",
        "token_scope": "",
    },
)


def answer(status: int = 200, **told: object) -> SignInAnswer:
    body = json.dumps(told).encode()
    return SignInAnswer(url="https://login.example/token", status=status, body=body)


def test_the_request_is_that_of_the_standard() -> None:
    """The example of section 4.4.2; a scope goes along where one is named."""
    asked = grant_request(SECRET)
    scoped = grant_request(
        Secret(kind=SECRET.kind, fields={**SECRET.fields, "token_scope": "read docs"})
    )

    assert (("grant_type", "client_credentials"),) == asked.form
    assert ("Authorization", "Basic czZCaGRSa3F0MzpnWDFmQkF0M2JW") in asked.headers
    assert scoped.form is not None
    assert ("scope", "read docs") in scoped.form
    assert "gX1f" not in repr(asked)
    assert "czZC" not in repr(asked)


@pytest.mark.parametrize(
    ("lasts", "until"),
    [
        (3600, timedelta(minutes=59)),
        ("3600", timedelta(minutes=59)),
        (60, timedelta(seconds=30)),
        (None, timedelta(minutes=59)),
        (-1, timedelta(minutes=59)),
        (float("nan"), timedelta(minutes=59)),
        (float("inf"), timedelta(days=30, minutes=-1)),
    ],
)
def test_a_token_is_sent_until_shortly_before_its_end(lasts: object, until: timedelta) -> None:
    """Servers write the number as a text, too, and some say nothing."""
    told = answer(access_token="2YotnFZFEjr1zCsicMWpAA", token_type="Bearer", expires_in=lasts)
    session = granted(told, now=START)

    assert (("Authorization", "Bearer 2YotnFZFEjr1zCsicMWpAA"),) == session.headers
    assert START + until == session.expire_time
    assert "2Yotn" not in repr(session)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (answer(401, error="invalid_client"), "401: invalid_client"),
        (answer(400, error="<script>"), "400: no token"),
        (answer(200), "200: no token"),
        (answer(200, access_token="a b", token_type="bearer"), "no token"),
        (answer(200, access_token="a\r\nb", token_type="bearer"), "no token"),
        (answer(200, access_token="abc", token_type="mac"), "no bearer token"),
        (SignInAnswer(url="https://a.example/", status=200, body=b"<html>"), "no token"),
        (SignInAnswer(url="https://a.example/", status=200, body=b"[]"), "no token"),
        (SignInAnswer(url="https://a.example/", status=200, body=b"[" * 100_000), "no token"),
    ],
)
def test_what_gives_no_token_is_refused(told: SignInAnswer, said: str) -> None:
    """With the code of the error, where it is one, and nothing else of the answer."""
    with pytest.raises(SignInRefused, match=said):
        granted(told, now=START)
