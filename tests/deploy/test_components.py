"""Components fit what they are laid on: names, ports, durables, metrics, policies."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY
from pydantic import SecretStr

from scops.common.bus.admin.topology import durables_of
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from scops.fetcher.settings import FetcherSettings
from tests.deploy.manifests import (
    COMPONENTS,
    PRODUCTION,
    SCALED,
    composed,
    containers,
    documents,
    named,
    pod,
    workloads,
)
from tests.deploy.reach import Party, Policies, outside
from tools.prometheus_rule import RULE, rule

# How pods call the gateway, where it ends TLS itself.
IN_THE_CLUSTER = {"gateway", "gateway.scops", "gateway.scops.svc"}
BY_NAME = {each.name: each for each in COMPONENTS}
STATEFUL = {"fetcher", "change-detector", "indexer", "retriever", "gateway"}


def _with(*names: str) -> Path:
    return composed(PRODUCTION, *(BY_NAME[name] for name in names))


def _labels(folder: Path, name: str) -> dict[str, str]:
    return dict(named(folder, "Deployment", name)["spec"]["template"]["metadata"]["labels"])


def _scaled() -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each["spec"] for each in documents(SCALED, "ScaledObject")}


def test_scaled_roles_ask_for_durables_that_the_provisioner_makes() -> None:
    """Stream and consumer by name, at the monitoring that the base opens."""
    known = {(one.role.value, one.stream, one.name) for one in durables_of(Role)}
    asked = [
        (role, trigger["metadata"])
        for role, spec in _scaled().items()
        for trigger in spec["triggers"]
        if trigger["type"] == "nats-jetstream"
    ]
    assert {"extractor", "change-detector", "indexer"} == {role for role, _ in asked}
    (service,) = [
        each for each in documents(SCALED, "Service") if each["metadata"]["name"] == "nats"
    ]
    ports = {port["port"] for port in service["spec"]["ports"]}
    for role, asks in asked:
        assert (role, asks["stream"], asks["consumer"]) in known
        host, _, port = asks["natsServerMonitoringEndpoint"].partition(":")
        assert "nats.scops.svc.cluster.local" == host
        assert int(port) in ports


def test_lag_scales_no_further_than_a_crawl_lets_it_grow() -> None:
    """The fetcher stops at SCOPS_FETCHER_PENDING_MAX: more replicas would never be asked for."""
    for role, spec in _scaled().items():
        for trigger in spec["triggers"]:
            if trigger["type"] == "nats-jetstream":
                lag = int(trigger["metadata"]["lagThreshold"]) * spec["maxReplicaCount"]
                assert lag <= FetcherSettings().pending_max, role


def test_fetchers_are_scaled_by_hosts_that_wait_for_a_worker() -> None:
    """By a metric that exists, at a port that is served, a replica for what one asks at once."""
    importlib.import_module("scops.fetcher.metrics")
    (trigger,) = _scaled()["fetcher"]["triggers"]
    asks = trigger["metadata"]
    service = named(SCALED, "Service", "fetcher")

    assert asks["valueLocation"] in {family.name for family in REGISTRY.collect()}
    assert FetcherSettings().workers == int(asks["targetValue"])
    (port,) = service["spec"]["ports"]
    assert f"http://fetcher.scops.svc.cluster.local:{port['port']}/metrics" == asks["url"]
    assert service["spec"]["selector"].items() <= _labels(SCALED, "fetcher").items()


def test_the_number_of_a_scaled_role_is_written_nowhere_else() -> None:
    """Applying again must not set back what KEDA has set."""
    for each in documents(SCALED, "Deployment"):
        assert ("replicas" in each["spec"]) != (each["metadata"]["name"] in _scaled())


def test_connections_of_all_processes_fit_the_database() -> None:
    """Every replica at its most and one more while it rolls, each with a full pool."""
    most = {
        each["metadata"]["name"]: _scaled().get(each["metadata"]["name"], {}).get("maxReplicaCount")
        or each["spec"]["replicas"]
        for each in documents(SCALED, "Deployment")
    }
    processes = sum(most[role] + 1 for role in STATEFUL) + 1
    postgres = containers(named(SCALED, "StatefulSet", "postgres"))[0]
    room = int(re.search(r"max_connections=(\d+)", " ".join(postgres["args"]))[1])  # type: ignore[index]
    cluster = named(_with("cloudnative-pg"), "Cluster", "postgres")["spec"]["postgresql"]

    # Some are the owner's.
    assert processes * CommonSettings().database_pool_size + 10 <= room
    assert str(room) == cluster["parameters"]["max_connections"]


def test_keda_reaches_what_it_asks_and_nobody_else_does() -> None:
    """Its operator, in its own namespace."""
    policies = Policies(documents(SCALED, "NetworkPolicy"))
    keda = Party(namespace="keda", labels={"app": "keda-operator"})
    nats = Party(namespace="scops", labels=_of_store(SCALED, "nats"))
    fetcher = Party(namespace="scops", labels=_labels(SCALED, "fetcher"))
    indexer = Party(namespace="scops", labels=_labels(SCALED, "indexer"))

    assert (True, True) == (policies.lets(keda, nats, 8222), policies.lets(keda, fetcher, 9100))
    assert not policies.lets(keda, nats, 4222)
    assert not policies.lets(keda, indexer, 9100)
    assert not policies.lets(Party(namespace="keda"), nats, 8222)
    assert not policies.lets(Party(namespace="x", labels={"app": "keda-operator"}), nats, 8222)


def test_with_a_proxy_the_fetcher_reaches_the_web_by_it_alone() -> None:
    """The proxy has the policy that the fetcher had, and answers nobody else."""
    folder = _with("egress-proxy")
    policies = Policies(documents(folder, "NetworkPolicy"))
    proxy = Party(namespace="scops", labels=_labels(folder, "egress-proxy"))
    (port,) = named(folder, "Service", "egress-proxy")["spec"]["ports"]
    settings = named(folder, "ConfigMap", "scops-settings")["data"]

    assert f"http://egress-proxy:{port['port']}" == settings["SCOPS_FETCHER_PROXY"]
    assert FetcherSettings(proxy=SecretStr(settings["SCOPS_FETCHER_PROXY"]))
    for role in Role:
        party = Party(namespace="scops", labels=_labels(folder, role.value))
        assert (role is Role.FETCHER) == policies.lets(party, proxy, port["port"]), role
        for address in ("93.184.216.34", "10.0.0.1", "2606:4700:4700::1111"):
            assert not policies.lets(party, outside(address), 443), (role, address)
    for address, reached in (("93.184.216.34", True), ("10.0.0.1", False), ("fd00::1", False)):
        assert reached == policies.lets(proxy, outside(address), 443), address


def test_alerts_reach_the_web_as_the_fetcher_does_and_have_a_key() -> None:
    """The same blocks and ports, for the gateway beside it and nobody else."""
    folder = _with("alerts")
    policies = Policies(documents(folder, "NetworkPolicy"))
    fetcher, gateway = (
        named(folder, "NetworkPolicy", f"{name}-to-the-web")["spec"]
        for name in ("fetcher", "gateway")
    )
    (container,) = pod(named(folder, "Deployment", "gateway"))["containers"]
    keys = {"name": "scops-watch", "key": "keys"}

    assert fetcher["egress"] == gateway["egress"]
    for role in Role:
        party = Party(namespace="scops", labels=_labels(folder, role.value))
        assert (role in (Role.FETCHER, Role.GATEWAY)) == policies.lets(
            party, outside("93.184.216.34"), 443
        ), role
        assert not policies.lets(party, outside("10.0.0.1"), 443), role
    assert [keys] == [
        one["valueFrom"]["secretKeyRef"]
        for one in container["env"]
        if one["name"] == "SCOPS_GATEWAY_WATCH_KEYS"
    ]


def test_the_proxy_refuses_what_the_policy_refuses() -> None:
    """Its list of blocks and ports is that of the policy, and it looks up no name."""
    config = (BY_NAME["egress-proxy"] / "squid.conf").read_text()
    inside = {
        each for line in re.findall(r"^acl inside dst (.+)$", config, re.M) for each in line.split()
    }
    (rule,) = named(PRODUCTION, "NetworkPolicy", "fetcher-to-the-web")["spec"]["egress"]
    blocks = [each["ipBlock"] for each in rule["to"]]
    (ports,) = re.findall(r"^acl web port (.+)$", config, re.M)

    assert {each for block in blocks for each in block["except"]} == inside
    assert {str(port["port"]) for port in rule["ports"]} == set(ports.split())
    assert ["0.0.0.0/0", "2000::/3"] == [block["cidr"] for block in blocks]
    assert "acl global_six dst 2000::/3\n" in config
    refusals = re.findall(r"^http_access (.+)$", config, re.M)
    assert ["deny !tunnel", "deny !web", "deny !address"] == refusals[:3]
    assert ["deny inside", "deny !four !global_six", "allow all"] == refusals[3:]


def _of_store(folder: Path, name: str) -> dict[str, str]:
    return dict(named(folder, "StatefulSet", name)["spec"]["template"]["metadata"]["labels"])


def test_the_door_leads_to_the_api_with_the_certificate_that_is_made() -> None:
    """Routes, listeners, Service and certificate name each other as they are called."""
    folder = _with("tls", "gateway-api")
    door = named(folder, "Gateway", "door")["spec"]
    listeners = {each["name"]: each for each in door["listeners"]}
    certificate = named(folder, "Certificate", "scops-gateway")["spec"]
    grpc = named(folder, "GRPCRoute", "gateway")
    http, to_tls = (named(folder, "HTTPRoute", name) for name in ("gateway-http", "to-tls"))
    for route, port in ((grpc, "grpc"), (http, "http")):
        ((backend,),) = [rule["backendRefs"] for rule in route["spec"]["rules"]]
        service = named(folder, "Service", backend["name"])["spec"]
        named_ports = {each["name"]: each["port"] for each in service["ports"]}
        assert backend["port"] == named_ports[port]
        (reference,) = listeners[port]["tls"]["certificateRefs"]
        assert certificate["secretName"] == reference["name"]
        assert [listeners[port]["hostname"]] == route["spec"]["hostnames"]
    hosts = set(to_tls["spec"]["hostnames"])
    assert {listeners["grpc"]["hostname"], listeners["http"]["hostname"]} == hosts
    assert set(certificate["dnsNames"]) == hosts | IN_THE_CLUSTER
    for route, listener in ((grpc, "grpc"), (http, "http"), (to_tls, "cleartext")):
        assert [{"name": "door", "sectionName": listener}] == route["spec"]["parentRefs"]
    assert "backendRefs" not in to_tls["spec"]["rules"][0], "nothing is served without TLS"


def test_the_gateway_ends_tls_with_the_certificate_that_is_made() -> None:
    """Its files are where the settings say, and the kubelet asks without TLS."""
    folder = _with("tls", "gateway-tls")
    certificate = named(folder, "Certificate", "scops-gateway")["spec"]
    spec = pod(named(folder, "Deployment", "gateway"))
    (container,) = spec["containers"]
    (mounted,) = [one for one in container["volumeMounts"] if one["name"] == "tls"]
    (volume,) = [one for one in spec["volumes"] if one["name"] == "tls"]
    values = {one["name"]: one.get("value") for one in container["env"]}

    assert certificate["secretName"] == volume["secret"]["secretName"]
    assert "on" == values["SCOPS_GATEWAY_TLS"]
    assert {f"{mounted['mountPath']}/tls.crt", f"{mounted['mountPath']}/tls.key"} == {
        values["SCOPS_GATEWAY_TLS_CERTIFICATE"],
        values["SCOPS_GATEWAY_TLS_KEY"],
    }
    assert {"path": "/readyz", "port": "health"} == container["readinessProbe"]["httpGet"]
    assert "grpc" not in container["readinessProbe"]


def test_every_issuer_that_is_named_is_made() -> None:
    """And the authority signs with the secret that its certificate fills."""
    folder = _with("tls")
    issuers = {each["metadata"]["name"]: each["spec"] for each in documents(folder, "Issuer")}
    certificates = documents(folder, "Certificate")

    assert {each["spec"]["issuerRef"]["name"] for each in certificates} == set(issuers)
    authority = named(folder, "Certificate", "scops-authority")["spec"]
    assert authority["secretName"] == issuers["scops-authority"]["ca"]["secretName"]


def test_the_operator_s_prometheus_scrapes_what_is_there() -> None:
    """Monitors select pods and Services by labels that they have, at ports that they name."""
    folder = _with("monitoring-operator")
    pods = named(folder, "PodMonitor", "scops")["spec"]
    service = named(folder, "ServiceMonitor", "weaviate")["spec"]
    weaviate = named(folder, "Service", "weaviate")
    for role in Role:
        assert pods["selector"]["matchLabels"].items() <= _labels(folder, role.value).items()
        ports = containers(named(folder, "Deployment", role.value))[0]["ports"]
        assert pods["podMetricsEndpoints"][0]["port"] in {port["name"] for port in ports}
    assert service["selector"]["matchLabels"].items() <= weaviate["metadata"]["labels"].items()
    names = {port["name"] for port in weaviate["spec"]["ports"]}
    assert service["endpoints"][0]["port"] in names


def test_the_operator_gets_the_same_alerts() -> None:
    """`make docs` wrote them last."""
    assert rule() == RULE.read_text()


def test_a_cluster_of_postgres_is_reached_as_one_server_is() -> None:
    """By the roles with state, by its own instances and its operator, and by nobody else."""
    folder = _with("cloudnative-pg")
    cluster = named(folder, "Cluster", "postgres")
    labels = {**cluster["spec"]["inheritedMetadata"]["labels"], "cnpg.io/cluster": "postgres"}
    primary = Party(
        namespace="scops",
        labels={**labels, "cnpg.io/instanceRole": "primary"},
        address="10.244.0.9",
    )
    policies = Policies(documents(folder, "NetworkPolicy"))
    service = named(folder, "Service", "postgres")["spec"]

    assert service["selector"].items() <= primary.labels.items()
    assert {"cnpg.io/cluster", "cnpg.io/instanceRole"} == set(service["selector"])
    for role in Role:
        party = Party(namespace="scops", labels=_labels(folder, role.value))
        assert (role.value in STATEFUL) == policies.lets(party, primary, 5432), role
        assert not policies.lets(party, primary, 8000), role
    operator = {"app.kubernetes.io/name": "cloudnative-pg"}
    assert policies.lets(Party(namespace="cnpg-system", labels=operator), primary, 8000)
    assert policies.lets(primary, primary, 5432)
    assert policies.lets(primary, outside("10.96.0.1"), 443)
    for address in ("93.184.216.34", "169.254.169.254", "2606:4700:4700::1111", "fd00:ec2::254"):
        assert not policies.lets(primary, outside(address), 443), address


@pytest.mark.parametrize("store", ["nats", "weaviate", "cloudnative-pg"])
def test_a_store_that_is_replaced_is_gone_from_the_manifests(store: str) -> None:
    """Two servers under one name would share the questions."""
    names = {each["metadata"]["name"] for each in workloads(_with(store))}

    assert {"nats", "weaviate", "postgres"} - {store.replace("cloudnative-pg", "postgres")} == (
        names & {"nats", "weaviate", "postgres"}
    )


def test_values_of_charts_say_what_the_manifests_of_the_base_say() -> None:
    """The same versions, bounds, users and keys."""
    nats = _values("nats")
    base = containers(named(PRODUCTION, "StatefulSet", "nats"))[0]
    config = named(PRODUCTION, "ConfigMap", "nats-config")["data"]["nats.conf"]
    assert base["image"].rpartition(":")[2] == nats["container"]["image"]["tag"]
    assert f"max_file_store: {nats['config']['jetstream']['fileStore']['maxSize']}" in config
    assert "always" == nats["config"]["jetstream"]["merge"]["sync_interval"]
    assert "10s" == nats["config"]["merge"]["ping_interval"]
    assert nats["config"]["merge"]["$include"] in config
    assert {"runAsNonRoot", "runAsUser"} < nats["podTemplate"]["merge"]["spec"][
        "securityContext"
    ].keys()

    weaviate = _values("weaviate")
    base = containers(named(PRODUCTION, "StatefulSet", "weaviate"))[0]
    assert base["image"].rpartition(":")[2] == weaviate["image"]["tag"]
    plain = {each["name"]: each.get("value") for each in base["env"]}
    for name, value in weaviate["env"].items():
        assert plain[name] == value, name
    folder = _with("nats", "weaviate")
    settings = named(folder, "ConfigMap", "scops-settings")["data"]
    assert str(nats["config"]["cluster"]["replicas"]) == settings["SCOPS_BUS_REPLICAS"]
    assert str(weaviate["replicas"]) == settings["SCOPS_WEAVIATE_REPLICAS"]


def _values(component: str) -> dict[str, Any]:
    return dict(yaml.safe_load((BY_NAME[component] / "values.yaml").read_text()))


def test_nodes_of_weaviate_and_servers_of_nats_speak_among_themselves() -> None:
    """And the roles reach them as they reach one."""
    folder = _with("nats", "weaviate")
    policies = Policies(documents(folder, "NetworkPolicy"))
    weaviate = Party(namespace="scops", labels={"app": "weaviate"})
    nats = Party(namespace="scops", labels={"app.kubernetes.io/name": "nats"})
    for role in Role:
        party = Party(namespace="scops", labels=_labels(folder, role.value))
        assert (role.value in ("indexer", "retriever")) == policies.lets(party, weaviate, 8080)
        assert policies.lets(party, nats, 4222)
        assert not policies.lets(party, nats, 6222)
        assert not policies.lets(party, weaviate, 7000)
    assert all(policies.lets(weaviate, weaviate, port) for port in (7000, 7001, 8300, 8301))
    assert policies.lets(nats, nats, 6222)
    assert not policies.lets(weaviate, outside("93.184.216.34"), 443)


def test_in_production_crawling_gives_way_to_answering_and_both_to_the_stores() -> None:
    """Every pod has a class that is made, and zones are spread over."""
    values = {
        each["metadata"]["name"]: each["value"] for each in documents(PRODUCTION, "PriorityClass")
    }
    given = {
        each["metadata"]["name"]: values[pod(each)["priorityClassName"]]
        for each in workloads(PRODUCTION)
        if each["kind"] != "Job"
    }
    crawl = {given[name] for name in ("fetcher", "extractor", "change-detector", "indexer")}
    answer = {given[name] for name in ("gateway", "retriever", "explainer")}
    store = {given[name] for name in ("nats", "postgres", "weaviate")}

    assert max(crawl) < min(answer)
    assert max(answer) < min(store)
    for role in Role:
        deployed = named(PRODUCTION, "Deployment", role.value)
        spread = {one["topologyKey"] for one in pod(deployed)["topologySpreadConstraints"]}
        assert {"kubernetes.io/hostname", "topology.kubernetes.io/zone"} == spread
        assert deployed["spec"]["replicas"] >= 2
