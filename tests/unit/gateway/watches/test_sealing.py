"""What watches keep of their targets can be read with the key alone."""

import base64
import stat
from pathlib import Path
from random import SystemRandom

import pytest

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.alerts.key_file import kept_key
from scops.gateway.watches.sealing import AlertTarget, SecretUnreadable, WatchSeal

OLD, NEW = (base64.urlsafe_b64encode(bytes([n]) * 32).decode() for n in (1, 2))
TARGET = AlertTarget(address="https://hooks.example/in?token=t", secret="whsec_s")


def test_nothing_of_a_target_shows() -> None:
    """And it is the same again when it is opened."""
    sealed = WatchSeal([OLD]).seal(TARGET)

    assert b"hooks" not in sealed
    assert TARGET == WatchSeal([OLD]).open(sealed)


def test_a_key_is_replaced_by_putting_another_before_it() -> None:
    """The old one goes on opening; without it nothing opens."""
    sealed = WatchSeal([OLD]).seal(TARGET)

    assert TARGET == WatchSeal([NEW, OLD]).open(sealed)
    with pytest.raises(SecretUnreadable):
        WatchSeal([NEW]).open(sealed)
    with pytest.raises(SecretUnreadable):
        WatchSeal([OLD]).open(WatchSeal([NEW, OLD]).seal(TARGET))


def test_without_a_key_nothing_is_kept() -> None:
    """The message says how to make one; one that is none is refused."""
    with pytest.raises(InvalidInput, match="openssl rand"):
        WatchSeal().seal(TARGET)
    with pytest.raises(InvalidInput, match="openssl rand"):
        WatchSeal(["short"])


def test_one_machine_keeps_a_key_of_its_own(tmp_path: Path) -> None:
    """In a file that its user alone may read, made once."""
    path = tmp_path / "watch.key"
    first, second = (kept_key(path, SystemRandom()) for _ in range(2))

    assert first == second
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert TARGET == WatchSeal([first]).open(WatchSeal([second]).seal(TARGET))
