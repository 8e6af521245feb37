"""`overlays/organisation`: the roles of a second organisation, on the servers of the first."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.config.environment import check_environment
from scops.common.config.settings import CommonSettings
from scops.common.contract.organisations import bus_user
from scops.common.contract.service_table import Role
from scops.standalone.process.parts import PARTS, foreign_prefixes, parts_of, settings_classes
from tests.deploy.manifests import (
    BASE,
    COMPONENTS,
    DEPLOY,
    Document,
    composed,
    containers,
    documents,
    environment,
    named,
    pod,
    workloads,
)
from tests.deploy.reach import Party, Policies

ROLES = DEPLOY / "k8s" / "overlays" / "organisation"
SERVERS = ROLES / "servers"
ACME, MAIN = "scops-acme", "scops"
AUTHORITY = next(each for each in COMPONENTS if each.name == "authority")
MONITORING = 8222
# By which whoever holds them is more than one role of one organisation.
OF_ADMINISTRATORS = ("scops-postgres", "scops-weaviate", "scops-nats-users", "scops-provision-acme")
every_role = pytest.mark.parametrize("role", list(Role))


def _common(folder: Path, workload: Document, monkeypatch: pytest.MonkeyPatch) -> CommonSettings:
    """Loads the settings that a workload's container is given, as its process does."""
    (container,) = containers(workload)
    ours = {
        name: value
        for name, value in environment(folder, container).items()
        if name.startswith("SCOPS_")
    }
    roles = [role for role in Role if [role.value] == container.get("args")]
    parts = parts_of(tuple(roles)) or PARTS
    check_environment(ours, settings_classes(parts), foreign=foreign_prefixes(parts))
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    for part in parts_of(tuple(roles)):
        part.settings.load()
    return CommonSettings.load()


@every_role
def test_a_role_is_a_user_of_its_organisation_on_servers_that_are_there(
    role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every variable is a setting with a value that it takes; monitoring of all is left out."""
    common = _common(ROLES, named(ROLES, "Deployment", role.value), monkeypatch)
    addresses = [common.nats_url, common.weaviate_url, f"//{common.weaviate_grpc}"]

    assert ("acme", bus_user("acme", role.value)) == (common.organisation_id, common.nats_user)
    assert "" == common.nats_monitor_url
    for address in addresses:
        server, _, namespace = str(urlsplit(address).hostname).partition(".")
        ports = named(BASE, "Service", server)["spec"]["ports"]
        assert MAIN == namespace
        assert urlsplit(address).port in {port["port"] for port in ports}


def test_its_namespace_holds_roles_and_no_key_of_an_administrator() -> None:
    """No server, no provisioner: what makes its schemas and rights runs beside the servers."""
    assert {("Deployment", role.value) for role in Role} == {
        (each["kind"], each["metadata"]["name"]) for each in workloads(ROLES)
    }
    for each in documents(ROLES):
        inside = each["metadata"].get("namespace", each["metadata"]["name"])
        assert ACME == inside, each["metadata"]
    for workload in workloads(ROLES):
        for name in OF_ADMINISTRATORS:
            assert f"'name': '{name}'" not in str(pod(workload)), workload["metadata"]["name"]


def test_the_provisioner_makes_what_the_roles_of_the_organisation_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As an administrator of every server, for the same logins as in the base."""
    job = named(SERVERS, "Job", "provision-acme")
    common = _common(SERVERS, job, monkeypatch)
    (container,) = containers(job)

    assert ("acme", bus_user("acme", PROVISIONER)) == (common.organisation_id, common.nats_user)
    assert containers(named(BASE, "Job", "provision"))[0]["command"] == container["command"]
    assert {"scops-postgres/url", "scops-weaviate/api-key"} <= {
        f"{key['name']}/{key['key']}"
        for one in container["env"]
        if (key := one.get("valueFrom", {}).get("secretKeyRef"))
    }
    assert _logins(named(BASE, "Job", "provision")) == _logins(job)


def _logins(job: Document) -> set[str]:
    """Returns the files that the provisioner takes logins from."""
    (volume,) = [one for one in pod(job)["volumes"] if one["name"] == "logins"]
    sources = volume["projected"]["sources"]
    return {item["path"] for one in sources for item in one["secret"]["items"]}


def test_it_reaches_the_servers_as_main_does_and_nothing_else_of_it() -> None:
    """Every pair of pods, both ways; monitoring of the bus is for main alone."""
    policies = Policies(
        [each for folder in (BASE, ROLES, SERVERS) for each in documents(folder, "NetworkPolicy")]
    )
    ours = workloads(ROLES)
    for source in ours:
        name = source["metadata"]["name"]
        as_main = _reached(policies, named(BASE, "Deployment", name), workloads(BASE))
        assert {way for way in as_main if way[1] != MONITORING} == _reached(
            policies, source, workloads(BASE)
        )
        assert set() == _reached(policies, source, ours)
    for source in workloads(BASE):
        assert set() == _reached(policies, source, ours), source["metadata"]["name"]


def _reached(policies: Policies, source: Document, targets: list[Document]) -> set[tuple[str, int]]:
    return {
        (target["metadata"]["name"], port["containerPort"])
        for target in targets
        for container in containers(target)
        for port in container.get("ports", ())
        if policies.lets(_party(source), _party(target), port["containerPort"])
    }


def _party(workload: Document) -> Party:
    ports = [port for one in containers(workload) for port in one.get("ports", ())]
    return Party(
        namespace=workload["metadata"]["namespace"],
        labels=workload["spec"]["template"]["metadata"]["labels"],
        ports={port["name"]: port["containerPort"] for port in ports},
    )


@pytest.mark.parametrize("folder", [ROLES, SERVERS], ids=["roles", "servers"])
def test_it_verifies_servers_with_tls(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With components/authority every process has the certificate of who signed theirs."""
    for workload in workloads(composed(folder, AUTHORITY, namespace=ACME)):
        (container,) = containers(workload)
        common = _common(composed(folder, AUTHORITY, namespace=ACME), workload, monkeypatch)
        mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
        assert common.server_ca is not None
        (volume,) = [
            one
            for one in pod(workload)["volumes"]
            if one["name"] == mounts[str(common.server_ca.parent)]
        ]
        assert [{"key": "tls.crt", "path": common.server_ca.name}] == volume["secret"]["items"]
