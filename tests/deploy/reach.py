"""Reads NetworkPolicies: may A reach B? Answers as a network plugin that enforces them would.

    policies = Policies(documents(folder, "NetworkPolicy"))
    policies.lets(fetcher, postgres, 5432)
    policies.lets(fetcher, outside("10.0.0.1"), 443)

A connection needs both ends: a way out of its source and a way in to its target, where a policy
selects the one or the other. Policies add up; without one that selects a pod, a direction is open.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

Document = Mapping[str, Any]
INGRESS, EGRESS = "Ingress", "Egress"
PEERS = {INGRESS: "from", EGRESS: "to"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """One end of a connection.

    Attributes:
        namespace: empty for what is no pod, such as an address of the web.
        labels: those of the pod.
        namespace_labels: those of its namespace besides its name.
        address: what a block of addresses is compared with; empty lies in none.
        ports: the numbers of the pod's named ports.
    """

    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    namespace_labels: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    ports: Mapping[str, int] = field(default_factory=dict)

    @property
    def all_namespace_labels(self) -> Mapping[str, str]:
        """The labels of its namespace; the API server adds the name to each."""
        return {**self.namespace_labels, "kubernetes.io/metadata.name": self.namespace}


def outside(address: str) -> Party:
    """Returns an address that is no pod's."""
    return Party(address=address)


class Policies:
    """The NetworkPolicies of a cluster."""

    def __init__(self, policies: Iterable[Document]) -> None:
        self._policies = tuple(policies)

    def lets(self, source: Party, target: Party, port: int, protocol: str = "TCP") -> bool:
        """Says whether a connection is let through at both of its ends."""
        way = _Way(target, port, protocol)
        return self._opens(EGRESS, source, target, way) and self._opens(
            INGRESS, target, source, way
        )

    def _opens(self, direction: str, pod: Party, peer: Party, way: "_Way") -> bool:
        selecting = [one for one in self._policies if _applies(one, direction, pod)]
        return not selecting or any(
            _holds_peer(rule.get(PEERS[direction]), peer, one["metadata"]["namespace"])
            and way.goes_by(rule.get("ports"))
            for one in selecting
            for rule in one["spec"].get(direction.lower()) or ()
        )


@dataclass(frozen=True, slots=True)
class _Way:
    """Where a connection arrives; ports with names are those of its target."""

    target: Party
    port: int
    protocol: str

    def goes_by(self, ports: list[Document] | None) -> bool:
        """Says whether a rule's ports hold this one; a rule without ports holds every one."""
        return not ports or any(self._is(one) for one in ports)

    def _is(self, listed: Document) -> bool:
        if listed.get("protocol", "TCP") != self.protocol:
            return False
        first = listed.get("port")
        if first is None:
            return True
        if isinstance(first, str):
            return self.target.ports.get(first) == self.port
        return bool(first <= self.port <= listed.get("endPort", first))


def selects(selector: Document, labels: Mapping[str, str]) -> bool:
    """Says whether a selector takes these labels; an empty one takes all."""
    pairs = selector.get("matchLabels") or {}
    expressions = selector.get("matchExpressions") or ()
    return pairs.items() <= labels.items() and all(_fits(each, labels) for each in expressions)


def _fits(expression: Document, labels: Mapping[str, str]) -> bool:
    key, operator, values = expression["key"], expression["operator"], expression.get("values", ())
    match operator:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    raise ValueError(f"A selector has no operator {operator!r}.")


def _applies(policy: Document, direction: str, pod: Party) -> bool:
    """Says whether a policy is about a pod and a direction; by default those it has rules for."""
    spec = policy["spec"]
    types = spec.get("policyTypes") or [INGRESS, *([EGRESS] if spec.get("egress") else ())]
    return (
        direction in types
        and policy["metadata"]["namespace"] == pod.namespace
        and selects(spec["podSelector"], pod.labels)
    )


def _holds_peer(peers: list[Document] | None, party: Party, namespace: str) -> bool:
    """Says whether a rule's peers hold a party; a rule without peers holds everybody."""
    return not peers or any(_is_peer(one, party, namespace) for one in peers)


def _is_peer(peer: Document, party: Party, namespace: str) -> bool:
    if "ipBlock" in peer:
        return _in_block(peer["ipBlock"], party.address)
    if not party.namespace:
        return False
    if "namespaceSelector" in peer:
        home = selects(peer["namespaceSelector"], party.all_namespace_labels)
    else:
        home = party.namespace == namespace
    return home and selects(peer.get("podSelector") or {}, party.labels)


def _in_block(block: Document, address: str) -> bool:
    return (
        bool(address)
        and _inside(address, block["cidr"])
        and not any(_inside(address, each) for each in block.get("except") or ())
    )


def _inside(address: str, network: str) -> bool:
    """Compares as Go does, to which a mapped address is the IPv4 address that it holds."""
    ip = ip_address(address)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    within = ip_network(network)
    return ip.version == within.version and ip in within
