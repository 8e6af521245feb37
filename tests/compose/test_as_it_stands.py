"""The compose file once it is up: who reaches whom, who sees what, who may take what."""

import json

import grpc
import pytest

from scops.common.contract.service_table import Role
from tests.compose.api import Api
from tests.compose.conftest import ROOT_URL
from tests.compose.project import NAME, Project, is_healthy
from tests.deploy.manifests import compose

SERVICES = compose()["services"]
ROLES = [role.value for role in Role]
STORES = ["nats", "postgres", "weaviate"]
TARGETS = {
    "nats": ("nats", 4222),
    "postgres": ("postgres", 5432),
    "weaviate": ("weaviate", 8080),
    "web": ("10.213.7.80", 80),
    "prometheus": ("prometheus", 9090),
}
# By role, what its container opens a connection to. The bus is everybody's, and has every role.
REACHES = {
    "fetcher": {"nats", "postgres", "web"},
    "extractor": {"nats"},
    "change-detector": {"nats", "postgres"},
    "indexer": {"nats", "postgres", "weaviate"},
    "retriever": {"nats", "postgres", "weaviate"},
    "explainer": {"nats"},
    "gateway": {"nats", "postgres"},
}
# Networks that lead beyond the machine; docs/security.md says why the latter two have one.
WAY_OUT = {"fetcher", "gateway", "prometheus"}
CONNECT = """
import json, socket, sys
def opens(host, port):
    try:
        socket.create_connection((host, port), timeout=3).close()
    except OSError:
        return False
    return True
print(json.dumps([name for name, at in json.loads(sys.argv[1]).items() if opens(*at)]))
"""
DEFAULT_ROUTE = "00000000"


def test_the_commands_of_the_guide_lead_to_an_answer(printed: str) -> None:
    """As written in docs/deploy.md, but for the site."""
    assert '"state": "STATE_COMPLETED"' in printed, printed
    assert "VACUUM" in printed
    assert ROOT_URL in printed


def test_a_crawled_site_is_answered_from_at_the_published_port(api: Api) -> None:
    """With the key of the first administrator; the answer cites a page of the site."""
    answer = api.answer("What does VACUUM do?", "manual")

    assert answer.answered
    assert any(each.uri.startswith(ROOT_URL) for each in answer.citations), answer.citations


def test_without_a_key_the_published_api_tells_nothing(api: Api) -> None:
    """Whoever is on the machine has to say who they are."""
    with pytest.raises(grpc.RpcError) as caught:
        Api().scopes()
    assert ["scopes/manual"] == api.scopes()

    assert grpc.StatusCode.UNAUTHENTICATED is caught.value.code()


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reaches_its_stores_and_no_other(project: Project, role: str) -> None:
    """Looked at inside its container; of the web it is the example site."""
    targets = {name: at for name, at in TARGETS.items() if name != "prometheus"}
    found = project.inside(role, ["python", "-c", CONNECT, json.dumps(targets)])

    assert REACHES[role] == set(json.loads(found))


@pytest.mark.parametrize("name", [*ROLES, *STORES, "prometheus"])
def test_networks_without_a_way_out_have_no_route(project: Project, name: str) -> None:
    """The routes of the container's own name space; nobody outside is called."""
    lines = project.inside(name, ["cat", "/proc/net/route"]).splitlines()[1:]
    leads_out = any(line.split()[1] == DEFAULT_ROUTE for line in lines)

    assert (name in WAY_OUT) == leads_out, lines


def test_each_container_sees_its_own_secrets_alone(project: Project) -> None:
    """No value that another service has stands in its files or variables."""
    own = {name: _secrets(project, name) for name in (*ROLES, *STORES)}
    for role in ROLES:
        assert own[role], role
        for other in ROLES:
            assert role == other or not own[role] & own[other], (role, other)
    for name in (*ROLES, *STORES, "prometheus"):
        (container,) = project.containers(name)
        given = "\n".join(container.attrs["Config"]["Env"])
        seen = [one for secrets in own.values() for one in secrets if one in given]
        assert [] == seen, name


@pytest.mark.parametrize("name", [*ROLES, *STORES, "prometheus"])
def test_the_bounds_that_are_written_are_those_of_the_container(
    project: Project, name: str
) -> None:
    """Memory, CPU, processes; no service has more than the file says."""
    (container,) = project.containers(name)
    host, service = container.attrs["HostConfig"], SERVICES[name]
    gibibytes = float(service["mem_limit"].removesuffix("g"))
    cpus = host["NanoCpus"] / 1e9 or host["CpuQuota"] / (host["CpuPeriod"] or 100_000)

    assert gibibytes * 2**30 == host["Memory"]
    assert service["cpus"] == cpus
    assert service["pids_limit"] == host["PidsLimit"]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_cannot_write_into_its_root(project: Project, role: str) -> None:
    """Its root is read-only, it is no superuser, and has no capability."""
    probe = "grep CapEff /proc/self/status; id -u; touch /opt/scops/x 2>/dev/null && echo written"
    said = project.inside(role, ["sh", "-c", f"{probe}; true"]).split()

    assert ["CapEff:", "0" * 16, "10001"] == said


def test_everything_is_healthy_under_its_name(project: Project) -> None:
    """As `--wait` said; the services that are done are gone."""
    for name in (*ROLES, *STORES, "prometheus"):
        (container,) = project.containers(name)
        assert is_healthy(container), name
        assert container.name.startswith(NAME)
    assert [] == project.containers("provision") + project.containers("secrets")


def _secrets(project: Project, name: str) -> set[str]:
    """Returns what lies in the volume of secrets of a container: passwords and keys."""
    place = "/etc/nats-users" if name == "nats" else "/secrets"
    listed = project.inside(name, ["sh", "-c", f"for f in {place}/*; do cat $f; echo; done"])
    addresses = (line.rpartition("//")[2].partition("@")[0] for line in listed.splitlines())
    return {line.rpartition(":")[2] for line in addresses if len(line) >= 20}
