"""What a process of some roles looks at: its own settings, and the folder only if it needs it."""

import pytest
from pydantic import SecretStr

from scops.common.config.environment import check_environment, describe_settings
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput
from scops.common.contract.service_table import Role
from scops.standalone.process.parts import PARTS, foreign_prefixes, parts_of, settings_classes
from scops.standalone.process.roles import keeps_files, need_bus_address

APART = CommonSettings(
    nats_url="nats://nats:4222",
    database_url=SecretStr("postgresql://scops@postgres/scops"),
    weaviate_url="http://weaviate:8080",
    archive_url="s3://bucket",
)


def _check(role: Role, **environ: str) -> None:
    parts = parts_of((role,))
    check_environment(environ, settings_classes(parts), foreign=foreign_prefixes(parts))


def test_a_name_under_a_prefix_of_another_role_is_none_of_its_business() -> None:
    """One configuration may serve all roles, also while they are of several versions."""
    _check(Role.EXTRACTOR, SCOPS_FETCHER_WORKRES="3", SCOPS_GATEWAY_PORT="7300")


@pytest.mark.parametrize("name", ["SCOPS_EXTRACTOR_WORKRES", "SCOPS_NATS_URLL", "SCOPS_OWL_SPEED"])
def test_an_unknown_name_of_its_own_is_refused(name: str) -> None:
    """A misspelt common name, one of its own role, and a prefix that nobody has."""
    with pytest.raises(InvalidInput, match=name):
        _check(Role.EXTRACTOR, **{name: "1"})


@pytest.mark.parametrize("role", list(Role))
def test_with_addresses_no_role_keeps_files(role: Role) -> None:
    """Bus, state, index and archive elsewhere: the data folder is not even looked at."""
    assert not keeps_files(APART, parts_of((role,)))


@pytest.mark.parametrize("role", list(Role))
def test_without_addresses_roles_with_state_keep_files(role: Role) -> None:
    """What is not on a server lies in the data folder."""
    local = CommonSettings(nats_url="nats://nats:4222")
    stateless = (Role.EXTRACTOR, Role.EXPLAINER)

    assert (role not in stateless) == keeps_files(local, parts_of((role,)))


def test_single_roles_need_a_bus_that_others_reach() -> None:
    """The message names the setting, and the command that brings a bus of its own."""
    need_bus_address(APART)
    with pytest.raises(InvalidInput, match=r"SCOPS_NATS_URL.*scops up"):
        need_bus_address(CommonSettings())


def test_a_password_is_never_shown() -> None:
    """`scops settings` shows that there is one, not which."""
    common = CommonSettings(nats_user="fetcher", nats_password=SecretStr("sesame"))

    shown = {entry.name: entry.value for entry in describe_settings([common], {})}

    assert "sesame" not in str(shown)
    assert "fetcher" == shown["SCOPS_NATS_USER"]


def test_every_role_has_a_part() -> None:
    """The roles of the contract and those that can run are the same."""
    assert set(Role) == {part.role for part in PARTS}
