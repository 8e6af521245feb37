"""Sessions are held for the credential that began them, and not begun too often."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract.messages.crawl import SecretKind
from scops.fetcher.credentials.secret import Secret
from scops.fetcher.credentials.sessions import (
    AGE_MIN,
    REFUSED_FOR,
    SESSIONS_MAX,
    Session,
    Sessions,
    SignInRefused,
)
from scops.fetcher.ports.credentials import OpenedCredential
from tests.fakes.clock import START

FORM = Secret(kind=SecretKind.FORM, fields={})
MINE = OpenedCredential(
    access_context="credential-1", origin="https://docs.example", secret=FORM, put_time=START
)
SESSION = Session(headers=(("Cookie", "sid=1"),), expire_time=START + timedelta(hours=1))


def test_a_session_is_held_until_it_ends() -> None:
    """And for nobody else."""
    sessions = Sessions()
    sessions.keep(MINE, SESSION, now=START)
    other = replace(MINE, access_context="credential-2")

    assert SESSION is sessions.held(MINE, now=START + timedelta(minutes=59))
    assert sessions.held(MINE, now=START + timedelta(hours=1)) is None
    assert sessions.held(other, now=START) is None


def test_a_newer_credential_begins_anew() -> None:
    """Also after a refusal: that is what it was put for."""
    sessions = Sessions()
    newer = replace(MINE, put_time=START + timedelta(seconds=1))
    sessions.keep(MINE, SESSION, now=START)
    before = sessions.held(newer, now=START)
    sessions.keep(MINE, SignInRefused("no"), now=START)

    assert (None, None) == (before, sessions.held(newer, now=START))


def test_a_refusal_is_not_asked_for_again_and_again() -> None:
    """Each page of a crawl would try the wrong password, and lock the account."""
    sessions = Sessions()
    sessions.keep(MINE, SignInRefused("no"), now=START)
    with pytest.raises(SignInRefused):
        sessions.held(MINE, now=START + REFUSED_FOR - timedelta(seconds=1))

    assert sessions.held(MINE, now=START + REFUSED_FOR) is None


def test_a_session_that_was_begun_just_now_is_not_begun_anew() -> None:
    """A page that it may not read is refused however new it is."""
    sessions = Sessions()
    never = sessions.forget("credential-1", now=START)
    sessions.keep(MINE, SESSION, now=START)
    early = sessions.forget("credential-1", now=START + AGE_MIN - timedelta(seconds=1))
    late = sessions.forget("credential-1", now=START + AGE_MIN)

    assert (False, False, True) == (never, early, late)
    assert sessions.held(MINE, now=START) is None


def test_there_are_not_more_and_more() -> None:
    """The first one is begun anew when it is needed."""
    sessions = Sessions()
    all_of_them = [replace(MINE, access_context=f"c-{n}") for n in range(SESSIONS_MAX + 1)]
    for one in all_of_them:
        sessions.keep(one, SESSION, now=START)

    assert [None, SESSION] == [sessions.held(all_of_them[n], now=START) for n in (0, 1)]
