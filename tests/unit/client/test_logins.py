"""Logins that are kept: by whom they can be read, and which credential goes before which."""

import json
import stat
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scops.client.errors import ScopsError
from scops.client.login import system_keyring
from scops.client.login.credentials import find_credential
from scops.client.login.device_flow import Client, IssuedTokens
from scops.client.login.saved import Logins, SavedLogin
from scops.client.target import read_target

HERE, THERE = "127.0.0.1:7300", "scops.example.org:7300"


def login(token: str = "token") -> SavedLogin:
    tokens = IssuedTokens(token=token, refresh_token="refresh", expires=time.time() + 300)
    client = Client(client_id="scops-cli", audience="scops")
    return SavedLogin(issuer="https://login.example.org", client=client, tokens=tokens)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    return tmp_path / "scops"


@pytest.fixture
def logins(folder: Path) -> Logins:
    kept = Logins(folder)
    with kept.alone():
        kept.save(HERE, login(), keyring=False)
    return kept


def test_a_login_is_read_back_by_its_gateway_alone(logins: Logins) -> None:
    """Its file and folder are their owner's."""
    assert login().client == (logins.find(HERE) or login()).client
    assert None is logins.find(THERE)
    assert 0o600 == stat.S_IMODE(logins.path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(logins.path.parent.stat().st_mode)


def test_a_file_that_others_can_read_is_refused(logins: Logins) -> None:
    """Whoever read it has the tokens."""
    logins.path.chmod(0o640)
    with pytest.raises(ScopsError, match="others could read it"):
        logins.find(HERE)


def test_a_link_or_nonsense_in_its_place_is_refused(logins: Logins, tmp_path: Path) -> None:
    """Nothing is written where somebody else pointed to."""
    other = tmp_path / "other"
    logins.path.rename(other)
    logins.path.symlink_to(other)
    with pytest.raises(ScopsError, match="cannot be used"):
        logins.find(HERE)
    logins.path.unlink()
    for text in ("{", "[]", '{"127.0.0.1:7300": {}}'):
        logins.path.touch(mode=0o600)
        logins.path.write_text(text)
        with pytest.raises(ScopsError, match="Remove the file"):
            logins.find(HERE)


def test_a_login_is_forgotten_once(logins: Logins) -> None:
    """Others stay."""
    logins.save(THERE, login("other"), keyring=False)

    assert [True, False] == [logins.remove(HERE), logins.remove(HERE)]
    assert [THERE] == list(json.loads(logins.path.read_text()))


def test_a_keyring_that_works_holds_the_tokens(
    logins: Logins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file then holds none."""
    held: dict[str, str] = {}
    monkeypatch.setattr(system_keyring, "store", lambda a, t: held.update({a: t}) is None)
    monkeypatch.setattr(system_keyring, "load", held.get)
    monkeypatch.setattr(system_keyring, "remove", held.pop)
    logins.save(HERE, login("hidden"))
    found = logins.find(HERE)

    assert found is not None
    assert ("hidden", True) == (found.tokens.token, found.in_keyring)
    assert "hidden" not in logins.path.read_text()
    assert logins.remove(HERE)
    assert {} == held


def test_an_option_goes_before_a_variable_before_a_login(
    logins: Logins,
) -> None:
    """And a login at another gateway is never sent."""
    target = read_target(HERE)
    by_option = find_credential(target, {"SCOPS_TOKEN": "variable"}, given="option")
    by_variable = find_credential(target, {"SCOPS_TOKEN": "variable"})
    by_login = find_credential(target, {})
    elsewhere = find_credential(read_target(THERE), {})

    assert ["option", "variable", "token", None] == [
        one and one.token for one in (by_option, by_variable, by_login, elsewhere)
    ]


@pytest.mark.parametrize("token", ["a b", "a\nb", "tökén", " "])
def test_what_no_header_takes_is_refused(folder: Path, token: str) -> None:
    """Without repeating it."""
    with pytest.raises(ScopsError, match="malformed") as caught:
        find_credential(read_target(HERE), {"SCOPS_TOKEN": token})

    assert token.strip() not in str(caught.value) or not token.strip()


def test_a_token_is_not_sent_in_the_clear(logins: Logins) -> None:
    """A saved login neither."""
    plain = read_target("http://scops.example.org")
    logins.save(plain.address, replace(login()), keyring=False)
    for environ in ({"SCOPS_TOKEN": "token"}, {}):
        with pytest.raises(ScopsError, match="without TLS"):
            find_credential(plain, environ)
