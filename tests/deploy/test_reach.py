"""The reader of policies reads them as their specification says."""

from typing import Any

import pytest

from tests.deploy.reach import Party, Policies, outside

A = Party(namespace="one", labels={"app": "a"}, address="10.244.0.5")
B = Party(namespace="one", labels={"app": "b"}, address="10.244.0.6", ports={"web": 8080})
AWAY = Party(namespace="two", labels={"app": "a"}, namespace_labels={"team": "x"})
DENY: dict[str, Any] = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def _policy(namespace: str = "one", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p", "namespace": namespace}, "spec": spec}


def _in(app: str, *rules: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"app": app}}
    return _policy(podSelector=selector, policyTypes=["Ingress"], ingress=list(rules))


def _out(app: str, *rules: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"app": app}}
    return _policy(podSelector=selector, policyTypes=["Egress"], egress=list(rules))


def test_without_a_policy_everything_is_open() -> None:
    """Kubernetes isolates nobody by itself."""
    assert Policies([]).lets(A, B, 80)
    assert Policies([]).lets(A, outside("10.0.0.1"), 443)


def test_a_pod_that_is_selected_is_closed_that_way_only() -> None:
    """A policy of ingress leaves egress open, and the other way round."""
    policies = Policies([_in("b")])

    assert not policies.lets(A, B, 80)
    assert policies.lets(B, A, 80)


def test_another_namespace_s_policy_is_not_about_this_pod() -> None:
    """Policies hold in their own namespace."""
    assert Policies([_policy("two", **DENY)]).lets(A, B, 80)


def test_both_ends_have_to_agree() -> None:
    """A way out is none where the target does not let in."""
    to_b = _out("a", {"to": [{"podSelector": {"matchLabels": {"app": "b"}}}]})
    from_a = _in("b", {"from": [{"podSelector": {"matchLabels": {"app": "a"}}}]})
    closed = _policy(**DENY)

    assert not Policies([closed, to_b]).lets(A, B, 80)
    assert not Policies([closed, from_a]).lets(A, B, 80)
    assert Policies([closed, to_b, from_a]).lets(A, B, 80)
    assert not Policies([closed, to_b, from_a]).lets(B, A, 80)


@pytest.mark.parametrize(
    ("ports", "let"),
    [
        ([{"port": 8080}], True),
        ([{"port": 8081}], False),
        ([{"protocol": "UDP", "port": 8080}], False),
        ([{"protocol": "TCP"}], True),
        ([{"port": 8000, "endPort": 8100}], True),
        ([{"port": "web"}], True),
        ([{"port": "other"}], False),
        ([], True),
    ],
)
def test_ports_by_number_range_name_and_protocol(ports: Any, let: bool) -> None:
    """TCP is meant where no protocol stands; a name is one of the target's."""
    assert let == Policies([_in("b", {"ports": ports})]).lets(A, B, 8080)


@pytest.mark.parametrize(
    ("peer", "here", "away"),
    [
        ({"podSelector": {}}, True, False),
        ({"namespaceSelector": {}}, True, True),
        ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, False, True),
        ({"namespaceSelector": {"matchLabels": {"team": "x"}}, "podSelector": {}}, False, True),
        (
            {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "two"}},
                "podSelector": {"matchLabels": {"app": "other"}},
            },
            False,
            False,
        ),
    ],
)
def test_a_peer_s_selectors_are_both_meant(peer: Any, here: bool, away: bool) -> None:
    """A selector of pods alone means this namespace; with one of namespaces, those."""
    policies = Policies([_in("b", {"from": [peer]})])

    assert (here, away) == (policies.lets(A, B, 80), policies.lets(AWAY, B, 80))


@pytest.mark.parametrize(
    ("expression", "let"),
    [
        ({"key": "app", "operator": "In", "values": ["a", "c"]}, True),
        ({"key": "app", "operator": "NotIn", "values": ["a"]}, False),
        ({"key": "absent", "operator": "NotIn", "values": ["a"]}, True),
        ({"key": "app", "operator": "Exists"}, True),
        ({"key": "app", "operator": "DoesNotExist"}, False),
    ],
)
def test_expressions_of_selectors(expression: Any, let: bool) -> None:
    """The four operators that there are."""
    peer = {"podSelector": {"matchExpressions": [expression]}}

    assert let == Policies([_in("b", {"from": [peer]})]).lets(A, B, 80)


@pytest.mark.parametrize(
    ("address", "let"),
    [
        ("93.184.216.34", True),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2606:4700::1111", False),
    ],
)
def test_blocks_of_addresses(address: str, let: bool) -> None:
    """Exceptions are cut out, a mapped address is its IPv4 one, versions do not mix."""
    block = {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}

    assert let == Policies([_out("a", {"to": [{"ipBlock": block}]})]).lets(A, outside(address), 443)


def test_an_address_is_no_pod() -> None:
    """What selects pods of all namespaces does not open the web."""
    policies = Policies([_out("a", {"to": [{"namespaceSelector": {}}]})])

    assert policies.lets(A, AWAY, 80)
    assert not policies.lets(A, outside("93.184.216.34"), 80)


def test_a_rule_without_peers_opens_everything_and_no_rule_nothing() -> None:
    """`egress: [{}]` and `egress: []` are opposites."""
    assert Policies([_out("a", {})]).lets(A, outside("10.0.0.1"), 22)
    assert not Policies([_out("a")]).lets(A, outside("10.0.0.1"), 22)


def test_policy_types_that_are_not_named_follow_from_the_rules() -> None:
    """Ingress always, egress where there are rules of it."""
    selector = {"matchLabels": {"app": "a"}}
    inward = Policies([_policy(podSelector=selector)])
    both = Policies([_policy(podSelector=selector, egress=[{"ports": [{"port": 53}]}])])

    assert (False, True) == (inward.lets(B, A, 80), inward.lets(A, B, 80))
    assert (False, False) == (both.lets(B, A, 80), both.lets(A, B, 80))


def test_an_operator_that_does_not_exist_is_an_error() -> None:
    """A misspelt policy must not read as a closed one."""
    peer = {"podSelector": {"matchExpressions": [{"key": "app", "operator": "in"}]}}
    with pytest.raises(ValueError, match="'in'"):
        Policies([_in("b", {"from": [peer]})]).lets(A, B, 80)
