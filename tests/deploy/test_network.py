"""Who may reach whom by the rendered NetworkPolicies: every pair of pods, and what lies outside."""

import ipaddress
from functools import cache
from pathlib import Path

import pytest

from scops.common.contract.service_table import Role
from scops.common.egress.address import is_public
from tests.deploy.manifests import (
    OVERLAYS,
    Document,
    containers,
    documents,
    named,
    workloads,
)
from tests.deploy.reach import Party, Policies, outside

every_overlay = pytest.mark.parametrize("folder", OVERLAYS, ids=lambda folder: folder.name)
every_role = pytest.mark.parametrize("role", [role.value for role in Role])
NAMESPACE = "scops"
# Where clusters put their pods; a plugin that compares addresses must not let it in by a block.
POD_ADDRESS = "10.244.0.9"
NATS = {("nats", 4222), ("nats", 8222)}
POSTGRES = {("postgres", 5432)}
WEAVIATE = {("weaviate", 8080), ("weaviate", 50051)}
# What each pod reaches of the others; whoever is missing reaches nobody.
REACHES = {
    "fetcher": NATS | POSTGRES,
    "extractor": NATS,
    "change-detector": NATS | POSTGRES,
    "indexer": NATS | POSTGRES | WEAVIATE,
    "retriever": NATS | POSTGRES | WEAVIATE,
    "explainer": NATS,
    "gateway": NATS | POSTGRES,
    "provision": NATS | POSTGRES | WEAVIATE,
    "prometheus": {(role.value, 9100) for role in Role} | {("weaviate", 2112)},
    "grafana": {("prometheus", 9090)},
}
WEB_PORTS = (80, 443, 8080, 8443)
PUBLIC = ("93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1")
# The API server's Service, clouds' metadata, nodes, networks at home, loopback, and their IPv6 kin.
PRIVATE = (
    *("10.0.0.1", "10.96.0.1", "10.244.0.9", "172.16.0.1", "172.31.255.254", "192.168.1.1"),
    *("100.64.0.1", "100.100.100.200", "127.0.0.1", "0.0.0.0", "169.254.169.254", "169.254.20.10"),
    *("168.63.129.16", "192.0.0.192", "192.0.2.7", "192.88.99.1", "198.18.0.1", "198.51.100.1"),
    *("203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fd00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "::ffff:10.0.0.1"),
    *("::ffff:169.254.169.254", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2001::1", "2001:db8::1"),
    *("2001:10::1", "2001:2::1", "2002:a00:1::", "3fff::1", "5f00::1", "100::1"),
)


@cache
def _policies(folder: Path) -> Policies:
    return Policies(documents(folder, "NetworkPolicy"))


def _party(folder: Path, workload: Document) -> Party:
    home = named(folder, "Namespace", NAMESPACE)["metadata"]
    return Party(
        namespace=workload["metadata"]["namespace"],
        namespace_labels=home["labels"],
        labels=workload["spec"]["template"]["metadata"]["labels"],
        address=POD_ADDRESS,
        ports={port["name"]: port["containerPort"] for port in _ports(workload)},
    )


def _ports(workload: Document) -> list[Document]:
    return [port for one in containers(workload) for port in one.get("ports", ())]


def _role(folder: Path, role: str) -> Party:
    return _party(folder, named(folder, "Deployment", role))


@every_overlay
def test_every_pair_of_pods_reaches_each_other_as_the_table_says(folder: Path) -> None:
    """All ports that a pod serves, from all pods, itself included."""
    policies, pods = _policies(folder), workloads(folder)
    inside = {each["metadata"]["name"] for each in pods}
    for source in pods:
        name = source["metadata"]["name"]
        wanted = {pair for pair in REACHES.get(name, ()) if pair[0] in inside}
        if "bucket" in inside and name in REACHES.keys() & {role.value for role in Role}:
            wanted |= {("bucket", 7070)}
        reached = {
            (target["metadata"]["name"], port["containerPort"])
            for target in pods
            for port in _ports(target)
            if policies.lets(_party(folder, source), _party(folder, target), port["containerPort"])
        }
        assert wanted == reached, name


@every_overlay
def test_the_fetcher_alone_reaches_the_web_and_nobody_a_private_address(folder: Path) -> None:
    """Bodies are parsed, and answers worded, where no way leads out."""
    policies = _policies(folder)
    for workload in workloads(folder):
        name, source = workload["metadata"]["name"], _party(folder, workload)
        public = {
            (address, port)
            for address in PUBLIC
            for port in (*WEB_PORTS, 22, 25, 5432, 6443)
            if policies.lets(source, outside(address), port)
        }
        web = {(address, port) for address in PUBLIC for port in WEB_PORTS}
        assert (web if name == "fetcher" else set()) == public, name
        if name != "prometheus":
            reached = [
                (address, port)
                for address in PRIVATE
                for port in (*WEB_PORTS, 22, 6443)
                if policies.lets(source, outside(address), port)
            ]
            assert [] == reached, name


def test_both_walls_of_the_fetcher_agree() -> None:
    """What the policy closes is what the process refuses by itself."""
    assert [] == [each for each in PRIVATE if is_public(ipaddress.ip_address(each))]
    assert [] == [each for each in PUBLIC if not is_public(ipaddress.ip_address(each))]


def test_prometheus_asks_an_api_server_and_reaches_no_metadata_of_the_cloud() -> None:
    """Its list of pods is at a private address, which no label names."""
    (folder,) = [each for each in OVERLAYS if each.name == "dev"]
    policies, source = _policies(folder), _party(folder, named(folder, "Deployment", "prometheus"))

    assert policies.lets(source, outside("10.96.0.1"), 443)
    assert policies.lets(source, outside("172.18.0.2"), 6443)
    for address in ("169.254.169.254", "168.63.129.16", "fd00:ec2::254", "100.100.100.200"):
        assert not policies.lets(source, outside(address), 80), address
        assert not policies.lets(source, outside(address), 443), address


@every_overlay
def test_every_pod_resolves_names_and_reaches_nothing_else_of_the_system(folder: Path) -> None:
    """Port 53 of the cluster's own server."""
    policies = _policies(folder)
    names = Party(namespace="kube-system", labels={"k8s-app": "kube-dns"}, address=POD_ADDRESS)
    other = Party(namespace="kube-system", labels={"k8s-app": "other"}, address=POD_ADDRESS)
    for workload in workloads(folder):
        source = _party(folder, workload)
        for protocol in ("UDP", "TCP"):
            assert policies.lets(source, names, 53, protocol)
            assert not policies.lets(source, other, 53, protocol)
            assert not policies.lets(source, outside("8.8.8.8"), 53, protocol)
        assert not policies.lets(source, names, 9153)


@every_overlay
def test_the_api_is_for_those_who_are_let_in(folder: Path) -> None:
    """By label of the pod in this namespace, by label of the namespace elsewhere."""
    policies, gateway = _policies(folder), _role(folder, "gateway")
    callers = (
        (Party(namespace="elsewhere", namespace_labels={"scops/clients": "true"}), True),
        (Party(namespace=NAMESPACE, labels={"scops/client": "true"}), True),
        (Party(namespace="elsewhere", labels={"scops/client": "true"}), False),
        (Party(namespace="elsewhere"), False),
        (Party(namespace=NAMESPACE), False),
        (outside("93.184.216.34"), False),
    )
    for caller, let in callers:
        assert let == policies.lets(caller, gateway, 7300), caller
        assert let == policies.lets(caller, gateway, 7301), caller
        assert not policies.lets(caller, gateway, 9100), caller


@every_overlay
def test_a_stranger_reaches_nothing_of_scops(folder: Path) -> None:
    """A pod of another namespace, and one that lands in this one without a label."""
    policies = _policies(folder)
    for stranger in (Party(namespace="elsewhere", labels={"app": "x"}), Party(namespace=NAMESPACE)):
        for workload in workloads(folder):
            target = _party(folder, workload)
            for port in _ports(workload):
                assert not policies.lets(stranger, target, port["containerPort"]), workload


@every_overlay
def test_blocks_are_such_as_an_api_server_takes(folder: Path) -> None:
    """An exception lies within its block; Go reads a mapped address as IPv4, which lies in none."""
    for policy in documents(folder, "NetworkPolicy"):
        for rule in policy["spec"].get("egress", ()):
            for block in (one["ipBlock"] for one in rule.get("to", ()) if "ipBlock" in one):
                network = ipaddress.ip_network(block["cidr"])
                for each in block.get("except", ()):
                    inner = ipaddress.ip_network(each)
                    assert inner.version == network.version, each
                    assert inner != network, each
                    assert inner.subnet_of(network), each  # type: ignore[arg-type]
                    assert getattr(inner.network_address, "ipv4_mapped", None) is None, each


@every_overlay
def test_addresses_outside_are_named_one_by_one_but_for_the_fetcher(folder: Path) -> None:
    """No other pod is let to a network: extraction reaches the bus and the archive."""
    web = named(folder, "NetworkPolicy", "fetcher-to-the-web")
    assert {"fetcher", "scops"} == set(web["spec"]["podSelector"]["matchLabels"].values())
    for policy in documents(folder, "NetworkPolicy"):
        # Prometheus asks the API server, whose address a manifest cannot know.
        if policy == web or policy["metadata"]["name"] == "prometheus":
            continue
        for rule in policy["spec"].get("egress", ()):
            assert rule["to"], policy["metadata"]["name"]
            for target in rule["to"]:
                cidr = target.get("ipBlock", {}).get("cidr", "192.0.2.1/32")
                assert 1 == ipaddress.ip_network(cidr).num_addresses, policy["metadata"]["name"]
