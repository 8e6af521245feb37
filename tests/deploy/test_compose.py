"""The compose file runs every role with settings it takes, and opens nothing to the network."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scops.common.config.environment import check_environment
from scops.common.config.settings import CommonSettings
from scops.common.contract.organisations import MAIN, schema_name
from scops.common.contract.service_table import Role
from scops.gateway.access.exposure import check_exposure, is_loopback
from scops.gateway.settings import GatewaySettings
from scops.libraries.index.weaviate.rights import rights_of
from scops.standalone.process.parts import PARTS, foreign_prefixes, parts_of, settings_classes
from tests.deploy.manifests import (
    BASE,
    DEPLOY,
    OVERLAYS,
    Document,
    compose,
    documents,
    named,
    pod,
)

SERVICES = compose()["services"]
ROLES = [role.value for role in Role]
STATEFUL = {part.role for part in PARTS if part.stateful or part.reads_index}
INDEX = {part.role for part in PARTS if part.reads_index}
every_role = pytest.mark.parametrize("role", list(Role))


def test_every_role_is_a_service() -> None:
    """The names are the roles', so that Prometheus finds them by name."""
    assert {role.value for role in Role} <= set(SERVICES)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The volumes of the services, as the service `secrets` fills them; it has run twice."""
    folder = tmp_path_factory.mktemp("secrets")
    contents = []
    for _ in range(2):
        draw_secrets(folder, places_of_secrets(SERVICES["secrets"]))
        contents.append({name: path.read_text() for name, path in _files(folder / "of").items()})
    del contents[0]["nats/users.conf"], contents[1]["nats/users.conf"]
    assert contents[0] == contents[1]
    return folder / "of"


def places_of_secrets(service: Document) -> set[str]:
    """Returns whose secrets the service `secrets` has a place for."""
    inside = [volume.split(":")[1] for volume in service["volumes"]]
    return {place.removeprefix("/of/") for place in inside if place.startswith("/of/")}


def draw_secrets(folder: Path, places: set[str]) -> None:
    """Does what the service `secrets` does, over folders in place of volumes."""
    for each in (folder / "all", folder / "archive", *(folder / "of" / name for name in places)):
        each.mkdir(parents=True, exist_ok=True)
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "OWNER": f"{os.getuid()}:{os.getgid()}",
        "ALL": str(folder / "all"),
        "OF": str(folder / "of"),
        "ARCHIVE": str(folder / "archive"),
    }
    subprocess.run(["/bin/sh", DEPLOY / "compose-secrets.sh"], env=environ, check=True)


def _files(folder: Path) -> dict[str, Path]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path for path in found}


@every_role
def test_every_variable_is_a_setting_with_a_value_it_takes(
    role: Role, drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A role starts with what its service sets and what lies in its volume of secrets."""
    variables = {name: str(text) for name, text in SERVICES[role.value]["environment"].items()}
    secrets = {path.name: path.read_text() for path in (drawn / role.value).iterdir()}
    assert not variables.keys() & secrets.keys()
    variables |= secrets
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
    login = f"postgresql://scops_{role.value.replace('-', '_')}:"
    assert (role in STATEFUL) == common.database_url.get_secret_value().startswith(login)
    assert (role in INDEX) == bool(common.weaviate_api_key.get_secret_value())


def test_the_gateway_may_open_its_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has identity, and the machine's loopback alone leads to it."""
    service = SERVICES["gateway"]
    for name, text in service["environment"].items():
        if name.startswith("SCOPS_GATEWAY"):
            monkeypatch.setenv(name, str(text))
    settings = GatewaySettings.load()

    assert not is_loopback(settings.host)
    check_exposure(settings)
    assert ["127.0.0.1:7300:7300", "127.0.0.1:7301:7301"] == service["ports"]


def test_a_service_sees_its_own_secrets_alone(drawn: Path) -> None:
    """Each has a volume of its own, no password lies in two of them but with who must check it."""
    mounts: dict[str, list[str]] = {}
    for name, service in SERVICES.items():
        for volume in service.get("volumes", ()):
            if volume.startswith("secrets"):
                mounts.setdefault(volume.partition(":")[0], []).append(name)
    assert ["secrets"] == mounts.pop("secrets")
    for volume, services in mounts.items():
        assert ["secrets", volume.removeprefix("secrets-")] == services

    text = yaml.safe_dump(compose())
    for name, path in _files(drawn).items():
        password = path.read_text().rpartition("//")[2].partition("@")[0].rpartition(":")[2]
        assert password not in text, name
        assert 0o600 == path.stat().st_mode & 0o777, name
    own = {role: {path.read_text() for path in (drawn / role).iterdir()} for role in ROLES}
    for one, other in itertools.combinations(ROLES, 2):
        assert set() == own[one] & own[other]


def test_every_login_that_the_provisioner_makes_is_one_that_connects(drawn: Path) -> None:
    """The same password lies with the provisioner and in the role's address."""
    for path in (drawn / "provision" / "logins").iterdir():
        address = (drawn / path.name / "SCOPS_DATABASE_URL").read_text()
        login = f"scops_{path.name.replace('-', '_')}"
        assert f"postgresql://{login}:{path.read_text()}@postgres:5432/scops" == address


@pytest.mark.parametrize("name", [*ROLES, "provision"])
def test_the_entry_point_becomes_the_command_with_the_secrets_of_its_service(
    name: str, tmp_path: Path, drawn: Path
) -> None:
    """The shell line, run by a shell: `scops` is a stand-in that tells what it was given."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    stand_in = bin_folder / "scops"
    stand_in.write_text('#!/bin/sh\necho "$$ $* $SCOPS_NATS_PASSWORD"\n')
    stand_in.chmod(0o755)
    user = str(SERVICES[name]["environment"]["SCOPS_NATS_USER"])
    shell, flags, line = SERVICES[name]["entrypoint"]
    # Compose takes $$ for $.
    line = line.replace("$$", "$").replace("/secrets/SCOPS", str(drawn / name / "SCOPS"))
    environ = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "SCOPS_NATS_USER": user}
    child = subprocess.Popen([shell, flags, line], env=environ, stdout=subprocess.PIPE, text=True)
    out, _ = child.communicate(timeout=20)
    asked = f"run {name}"
    if name == "provision":
        asked = "provision --logins /secrets/logins --index-rights"
    password = (drawn / name / "SCOPS_NATS_PASSWORD").read_text()

    assert f"{child.pid} {asked} {password}\n" == out


def test_stores_have_no_password_that_is_written_here() -> None:
    """PostgreSQL and Weaviate ask for what was drawn; nobody is let in without."""
    assert "/secrets/password" == SERVICES["postgres"]["environment"]["POSTGRES_PASSWORD_FILE"]
    weaviate = SERVICES["weaviate"]["environment"]
    assert "false" == weaviate["AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED"]
    assert "true" == weaviate["AUTHENTICATION_APIKEY_ENABLED"]
    assert "/secrets/api-keys" in SERVICES["weaviate"]["entrypoint"][2]


def test_every_user_of_weaviate_has_the_key_that_its_role_asks_with(drawn: Path) -> None:
    """The administrator's is the provisioner's; rights are given to the others, by their names."""
    weaviate = SERVICES["weaviate"]["environment"]
    users = weaviate["AUTHENTICATION_APIKEY_USERS"].split(",")
    keys = (drawn / "weaviate" / "api-keys").read_text().split(",")
    held = {
        name: (drawn / name / "SCOPS_WEAVIATE_API_KEY").read_text()
        for name in ("provision", *(role.value for role in sorted(rights_of(MAIN))))
    }

    assert "true" == weaviate["AUTHORIZATION_RBAC_ENABLED"]
    assert users[0] == weaviate["AUTHORIZATION_RBAC_ROOT_USERS"]
    assert ["scops", *(schema_name(MAIN, role.value) for role in sorted(rights_of(MAIN)))] == users
    assert dict(zip(users, keys, strict=True)) == dict(zip(users, held.values(), strict=True))
    assert len(users) == len(set(keys))


def test_a_service_reaches_what_it_needs_and_no_more() -> None:
    """Stores by need, no way out but for the fetcher and for what this machine reaches."""
    networks = compose()["networks"]
    assert {"bus", "state", "index"} == {
        name for name, each in networks.items() if each and each.get("internal")
    }
    for role in Role:
        found = set(SERVICES[role.value]["networks"])
        wanted = {"bus"}
        wanted |= {"state"} if role in STATEFUL else set()
        wanted |= {"index"} if role in INDEX else set()
        wanted |= {"web"} if role is Role.FETCHER else set()
        wanted |= {"front"} if role is Role.GATEWAY else set()
        assert wanted == found, role
    for name, service in SERVICES.items():
        open_ports = bool(service.get("ports"))
        assert open_ports == ("front" in service.get("networks", ())), name
        assert service.get("networks") or service["network_mode"] == "none", name


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_bounds(name: str) -> None:
    """Memory, CPU and processes; no service takes the machine from the others."""
    assert {"mem_limit", "cpus", "pids_limit"} <= SERVICES[name].keys()


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

    assert {"127.0.0.1:7300:7300", "127.0.0.1:7301:7301"} <= set(ports)
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
    assert [] == [source for source in files if not _holds_something(DEPLOY / source)]


def _holds_something(path: Path) -> bool:
    """Returns whether a file is there, or a folder with files, and no other folder, in it."""
    if path.is_file():
        return True
    return path.is_dir() and any(path.iterdir()) and all(one.is_file() for one in path.iterdir())


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
