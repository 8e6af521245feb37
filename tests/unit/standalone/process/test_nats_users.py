"""The users of a nats-server: a hashed password each, drawn once, never shown."""

import json
from pathlib import Path

import bcrypt
import pytest

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.contract.errors import InvalidInput
from scops.common.contract.service_table import Role
from scops.common.runtime.private_files import write_private
from scops.standalone.process.nats_users import authorization

USERS = [*(role.value for role in Role), PROVISIONER]


def _users(block: str) -> dict[str, dict[str, object]]:
    body = json.loads(block.removeprefix("authorization "))
    return {entry["user"]: entry for entry in body["users"]}


def test_passwords_are_drawn_once_and_hashed(tmp_path: Path) -> None:
    """A second run keeps the passwords; the block holds no more than their hashes."""
    first = authorization(tmp_path, create=True)
    drawn = {user: (tmp_path / user).read_text().strip() for user in USERS}
    second = _users(authorization(tmp_path, create=True))

    assert USERS == list(_users(first)) == list(second)
    assert len(USERS) == len(set(drawn.values()))
    for user, password in drawn.items():
        assert password not in first
        assert bcrypt.checkpw(password.encode(), str(second[user]["password"]).encode())
        assert 0o600 == (tmp_path / user).stat().st_mode & 0o777


def test_an_organisation_has_an_account_with_users_and_passwords_of_its_own(tmp_path: Path) -> None:
    """What main has stays word for word but for its place; no name or password is shared."""
    alone = _users(authorization(tmp_path, create=True))
    block = authorization(tmp_path, create=True, organisations=["acme", "b-2"])
    accounts = json.loads(block.removeprefix("accounts "))

    assert ["main", "acme", "b-2"] == list(accounts)
    assert all("enabled" == account["jetstream"] for account in accounts.values())
    users = {name: [one["user"] for one in held["users"]] for name, held in accounts.items()}
    assert list(alone) == users["main"]
    assert [f"acme.{user}" for user in alone] == users["acme"]
    permissions = [one["permissions"] for one in accounts["acme"]["users"]]
    assert [one["permissions"] for one in alone.values()] == permissions
    drawn = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert 3 * len(USERS) == len(set(drawn))


@pytest.mark.parametrize("name", ["main", "", "A", "a.b", "$G", "../a", "-a", "a" * 33])
def test_what_is_no_name_of_an_organisation_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing is drawn for it, nowhere."""
    with pytest.raises(InvalidInput, match="is called"):
        authorization(tmp_path, create=True, organisations=[name])

    assert [] == list(tmp_path.iterdir())


def test_a_missing_password_is_named(tmp_path: Path) -> None:
    """Nothing is made up unless it is asked for."""
    with pytest.raises(InvalidInput, match=r"no password for fetcher.*--create"):
        authorization(tmp_path, create=False)


def test_a_short_password_is_refused(tmp_path: Path) -> None:
    """The hash is cheap because passwords are long."""
    (tmp_path / "fetcher").write_text("sesame")

    with pytest.raises(InvalidInput, match="6 characters") as caught:
        authorization(tmp_path, create=True)
    assert "sesame" not in str(caught.value)


def test_the_written_file_is_private(tmp_path: Path) -> None:
    """Only its owner may read it, also where it was there before."""
    target = tmp_path / "users.conf"
    target.write_text("older and longer than what follows")
    write_private(target, "new")

    assert "new" == target.read_text()
    assert 0o600 == target.stat().st_mode & 0o777
