"""The compose file runs every role with settings it takes, and opens nothing to the network."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from scops.common.config.environment import check_environment
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from scops.standalone.process.parts import PARTS, foreign_prefixes, parts_of, settings_classes
from tests.deploy.manifests import BASE, DEPLOY, OVERLAYS, compose, documents, named, pod

SERVICES = compose()["services"]
every_role = pytest.mark.parametrize("role", list(Role))


def test_every_role_is_a_service() -> None:
    """The names are the roles', so that Prometheus finds them by name."""
    assert {role.value for role in Role} <= set(SERVICES)


@every_role
def test_every_variable_is_a_setting_with_a_value_it_takes(
    role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A role starts with what its service sets."""
    variables = {name: str(text) for name, text in SERVICES[role.value]["environment"].items()}
    ours = {name: text for name, text in variables.items() if name.startswith("SCOPS_")}
    parts = parts_of((role,))
    check_environment(ours, settings_classes(parts), foreign=foreign_prefixes(parts))
    for name, text in ours.items():
        monkeypatch.setenv(name, text)
    common = CommonSettings.load()
    for part in parts:
        part.settings.load()

    assert role.value == common.nats_user
    assert common.weaviate_url
    assert common.database_url.get_secret_value().startswith("postgresql://scops:")


@pytest.mark.parametrize("name", [*(role.value for role in Role), "provision"])
def test_the_entry_point_becomes_the_command_with_the_password_of_its_user(
    name: str, tmp_path: Path
) -> None:
    """The shell line, run by a shell: `scops` is a stand-in that tells what it was given."""
    bin_folder, passwords = tmp_path / "bin", tmp_path / "passwords"
    bin_folder.mkdir()
    passwords.mkdir()
    stand_in = bin_folder / "scops"
    stand_in.write_text('#!/bin/sh\necho "$$ $* $SCOPS_NATS_PASSWORD"\n')
    stand_in.chmod(0o755)
    user = str(SERVICES[name]["environment"]["SCOPS_NATS_USER"])
    (passwords / user).write_text(f"password of {user}")
    shell, flags, line = SERVICES[name]["entrypoint"]
    # Compose takes $$ for $.
    line = line.replace("$$", "$").replace("/secrets/passwords", str(passwords))
    environ = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "SCOPS_NATS_USER": user}
    child = subprocess.Popen([shell, flags, line], env=environ, stdout=subprocess.PIPE, text=True)
    out, _ = child.communicate(timeout=20)
    asked = "provision" if name == "provision" else f"run {name}"

    assert f"{child.pid} {asked} password of {user}\n" == out


def test_the_provisioner_comes_between_the_stores_and_the_roles() -> None:
    """Roles start on a schema that is there."""
    assert {"nats", "postgres", "weaviate"} == set(SERVICES["provision"]["depends_on"])
    for role in Role:
        wanted = {"provision": {"condition": "service_completed_successfully"}}
        assert wanted == SERVICES[role.value]["depends_on"]


def test_what_a_service_waits_for_can_come_about() -> None:
    """A condition of health needs a check; an order has no circle."""
    for name, service in SERVICES.items():
        for needed, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "test" in SERVICES[needed]["healthcheck"], (name, needed)
        assert name not in _needed(name), name


def _needed(name: str) -> set[str]:
    direct = set(SERVICES[name].get("depends_on", ()))
    return direct.union(*(_needed(each) for each in direct))


def test_ports_are_open_to_this_machine_alone() -> None:
    """There is no identity yet."""
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]

    assert "127.0.0.1:7300:7300" in ports
    assert [] == [port for port in ports if not port.startswith("127.0.0.1:")]


def test_images_are_those_of_the_cluster() -> None:
    """One set of versions, pinned."""
    cluster = {
        container["image"]
        for folder in OVERLAYS
        for each in documents(folder)
        if each["kind"] in ("Deployment", "StatefulSet", "Job")
        for container in pod(each)["containers"]
    }

    assert {service["image"] for service in SERVICES.values()} <= cluster


def test_volumes_are_declared_and_files_exist() -> None:
    """A misspelt bind mount becomes an empty folder, without a word."""
    declared = set(compose()["volumes"])
    used = [volume.split(":") for each in SERVICES.values() for volume in each.get("volumes", ())]
    files = [source for source, *_ in used if source.startswith(".")]

    assert {source for source, *_ in used if not source.startswith(".")} == declared
    assert files
    assert [] == [source for source in files if not (DEPLOY / source).is_file()]


@every_role
def test_a_role_is_as_confined_as_in_the_cluster(role: Role) -> None:
    """Read-only root, no capabilities, time for a stop."""
    service = SERVICES[role.value]
    grace = pod(named(BASE, "Deployment", role.value))["terminationGracePeriodSeconds"]

    assert (True, ["ALL"], ["/tmp"]) == (
        service["read_only"],
        service["cap_drop"],
        service["tmpfs"],
    )
    assert f"{grace}s" == service["stop_grace_period"]


def test_the_provisioner_is_its_own_user() -> None:
    """Its variables are settings, too."""
    variables = {name: str(text) for name, text in SERVICES["provision"]["environment"].items()}
    ours = {name: text for name, text in variables.items() if name.startswith("SCOPS_")}
    check_environment(ours, settings_classes(PARTS))

    assert "provisioner" == ours["SCOPS_NATS_USER"]


def test_every_default_of_a_variable_is_written() -> None:
    """`docker compose up` needs no .env file: what is not set has its default, even if empty."""
    text = (DEPLOY / "compose.yaml").read_text()

    assert [] == re.findall(r"(?<!\$)\$\{\w+\}", text)
