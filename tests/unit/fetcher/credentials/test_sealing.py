"""Credentials are sealed for one place, by keys that follow each other."""

import base64
from dataclasses import fields, replace
from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.contract.messages.crawl import SecretKind
from scops.fetcher.adapters.key_command import printed_by
from scops.fetcher.credentials.sealing import (
    COMMAND,
    SETTING,
    CredentialPlace,
    CredentialSeal,
    CredentialUnreadable,
    parse_keys,
)
from scops.fetcher.credentials.secret import Secret
from scops.fetcher.settings import FetcherSettings

OLD, NEW = (base64.b64encode(bytes([number]) * 32).decode() for number in (250, 255))
PLACE = CredentialPlace(
    organisation_id="main",
    scope_id="docs",
    access_context="credential-1",
    origin="https://docs.example",
)
SECRET = Secret(kind=SecretKind.BEARER, fields={"token": "t-12345"})


def test_what_is_sealed_opens_in_its_place() -> None:
    """Nothing of it can be read before, and the same is never sealed to the same."""
    seal = CredentialSeal([NEW])
    sealed = seal.seal(SECRET, PLACE)

    assert SECRET == seal.open(sealed, PLACE)
    assert b"t-12345" not in sealed
    assert sealed != seal.seal(SECRET, PLACE)


@pytest.mark.parametrize("part", [field.name for field in fields(CredentialPlace)])
def test_it_opens_in_no_other_place(part: str) -> None:
    """Whoever writes to the database cannot hand a credential to another scope or origin."""
    seal = CredentialSeal([NEW])
    sealed = seal.seal(SECRET, PLACE)
    with pytest.raises(CredentialUnreadable):
        seal.open(sealed, replace(PLACE, **{part: "another"}))


def test_a_changed_bit_opens_nothing() -> None:
    """GCM authenticates."""
    seal = CredentialSeal([NEW])
    sealed = bytearray(seal.seal(SECRET, PLACE))
    sealed[-20] ^= 1
    with pytest.raises(CredentialUnreadable):
        seal.open(bytes(sealed), PLACE)


def test_keys_follow_each_other() -> None:
    """The first seals, all open; what was sealed by one that went is unreadable."""
    before = CredentialSeal([OLD]).seal(SECRET, PLACE)
    both = CredentialSeal([NEW, OLD])

    assert SECRET == both.open(before, PLACE)
    assert SECRET == CredentialSeal([NEW]).open(both.seal(SECRET, PLACE), PLACE)
    with pytest.raises(CredentialUnreadable):
        CredentialSeal([NEW]).open(before, PLACE)


def test_without_a_key_nothing_is_kept() -> None:
    """The message names what its operator sets."""
    with pytest.raises(InvalidInput, match="SCOPS_FETCHER_CREDENTIAL_KEYS") as refused:
        CredentialSeal().seal(SECRET, PLACE)

    assert "CREDENTIAL_KEY_MISSING" == refused.value.reason


@pytest.mark.parametrize("text", ["short", OLD[:-4], f"{OLD},!", "MTYgYnl0ZXMxNiBieXRlcw=="])
def test_what_is_no_key_is_refused_at_the_start(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is not shown."""
    monkeypatch.setenv(SETTING, text)
    with pytest.raises(InvalidInput, match=SETTING) as refused:
        FetcherSettings.load()

    assert text not in refused.value.message


def test_keys_come_in_either_alphabet() -> None:
    """As `openssl rand -base64 32` prints them, or URL-safe."""
    web = NEW.replace("+", "-").replace("/", "_")

    assert web != NEW
    assert (NEW, OLD, web) == parse_keys(f"{NEW}, {OLD}\n{web}")
    assert SECRET == CredentialSeal([web]).open(CredentialSeal([NEW]).seal(SECRET, PLACE), PLACE)


def test_keys_come_from_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of two would hold is no question to leave open; the keys are not shown."""
    monkeypatch.setenv(SETTING, OLD)
    monkeypatch.setenv(COMMAND, "cat key")
    with pytest.raises(InvalidInput, match="set one of them") as refused:
        FetcherSettings.load()

    assert OLD not in refused.value.message


def test_a_command_prints_keys(tmp_path: Path) -> None:
    """It runs without a shell: its words are its arguments."""
    file = tmp_path / "a key; $HOME"
    file.write_text(f"{NEW}\n{OLD}\n")

    assert (NEW, OLD) == parse_keys(printed_by(f"cat '{file}'"))


@pytest.mark.parametrize(
    "command", ["false", "true", "/nowhere/kms", "sh -c 'echo leaked; exit 1'"]
)
def test_a_command_that_gives_no_key_ends_the_start(command: str) -> None:
    """What it printed is not in the message."""
    with pytest.raises(PermanentError, match="SCOPS_FETCHER_CREDENTIAL_KEY_COMMAND") as failed:
        printed_by(command)

    assert "leaked" not in failed.value.message
