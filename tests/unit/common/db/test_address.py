"""Where state lies is said by one setting, and its password is said by nobody."""

import ssl
from pathlib import Path

import pytest

from scops.common.config.environment import describe_settings
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput
from scops.common.db.address import Address, state_address
from scops.standalone.process.parts import PARTS
from tests.fakes.certificates import Authority

URL = "postgresql://scops:sesame@db.example.org:5432/scops"


def test_without_a_server_each_service_has_a_file(tmp_path: Path) -> None:
    """Its folder is made."""
    address = state_address(CommonSettings(data_dir=tmp_path), "fetcher")

    assert address.url == f"sqlite:///{tmp_path}/state/fetcher.db"
    assert not address.is_server
    assert (tmp_path / "state").is_dir()


def test_on_a_server_each_service_has_a_schema(tmp_path: Path) -> None:
    """Named after its database; no folder is needed."""
    common = CommonSettings.model_validate(
        {"data_dir": tmp_path / "none", "database_url": URL, "database_pool_size": 3}
    )
    address = state_address(common, "change-detector")

    assert (address.schema, address.bounds.pool_size) == ("scops_change_detector", 3)
    assert address.is_server
    assert not (tmp_path / "none").exists()


def test_an_organisation_has_schemas_of_its_own() -> None:
    """No two organisations and services meet in one name, and none is cut off by the server."""

    def schema(organisation_id: str, name: str) -> str:
        values = {"organisation_id": organisation_id, "database_url": URL}
        return state_address(CommonSettings.model_validate(values), name).schema

    names = [part.database for part in PARTS if part.stateful]
    organisations = ["main", "acme", "change", "fetcher", "a-change", "a--", "a", "a-", "z" * 32]
    made = [schema(one, name) for one in organisations for name in names]

    assert "scops_acme_change_detector" == schema("acme", "change-detector")
    assert len(made) == len(set(made))
    assert 63 >= max(map(len, made))


@pytest.mark.parametrize(
    ("query", "has_ca", "verifies"),
    [
        ("", False, None),
        ("", True, True),
        ("?sslmode=verify-full", False, True),
        ("?sslmode=verify-full", True, True),
        ("?sslmode=disable", True, False),
    ],
)
def test_by_tls_a_server_is_verified(
    tmp_path: Path, query: str, has_ca: bool, verifies: bool | None
) -> None:
    """Where the address or an authority asks for it; the server may have it otherwise."""
    ca = tmp_path / "authority.pem"
    ca.write_bytes(Authority().pem)
    address = Address(url=f"{URL}{query}", server_ca=ca if has_ca else None)
    privacy = address.privacy()

    assert verifies == (True if isinstance(privacy, ssl.SSLContext) else privacy)
    if isinstance(privacy, ssl.SSLContext):
        assert (True, ssl.CERT_REQUIRED) == (privacy.check_hostname, privacy.verify_mode)
    assert {} == dict(address.parsed().query)
    assert address.parsed().drivername == "postgresql+asyncpg"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("?sslmode=require", "verify-full"),
        ("?sslmode=verify-ca", "verify-full"),
        ("?sslmode=prefer", "verify-full"),
        ("?sslmode=verify-full&sslrootcert=/ca.pem", "SCOPS_SERVER_CA"),
    ],
)
def test_a_mode_that_verifies_less_is_refused(
    monkeypatch: pytest.MonkeyPatch, query: str, says: str
) -> None:
    """It would encrypt for whoever is in between."""
    monkeypatch.setenv("SCOPS_DATABASE_URL", f"{URL}{query}")
    with pytest.raises(InvalidInput, match=says) as refused:
        CommonSettings.load()

    assert "sesame" not in str(refused.value)


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in an address, not in the settings, not in the error about a wrong one."""
    monkeypatch.setenv("SCOPS_DATABASE_URL", URL)
    common = CommonSettings.load()
    shown = [entry.value for entry in describe_settings([common], {})]
    address = state_address(common, "fetcher")
    monkeypatch.setenv("SCOPS_DATABASE_URL", "mysql://scops:sesame@db/scops")
    with pytest.raises(InvalidInput, match="SCOPS_DATABASE_URL") as wrong:
        CommonSettings.load()

    assert "sesame" not in f"{shown} {common!r} {address} {address!r} {wrong.value}"
    assert "db.example.org" in str(address)


@pytest.mark.parametrize("url", ["postgresql://host", "sqlite:///x.db", "host:5432/scops"])
def test_an_address_that_is_no_postgresql_database_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """At the start, with the form that is wanted."""
    monkeypatch.setenv("SCOPS_DATABASE_URL", url)
    with pytest.raises(InvalidInput, match="postgresql://user:password@host:port/database"):
        CommonSettings.load()
