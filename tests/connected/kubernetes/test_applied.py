"""Every overlay is taken by a real API server: nothing refused, nothing warned of."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import OVERLAYS, composed, documents, workloads
from tests.fakes.servers.kubernetes_api import KubernetesApi, Refused

every_overlay = pytest.mark.parametrize("folder", OVERLAYS, ids=lambda folder: folder.name)
# What a controller adds to every namespace; here is none.
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}


def _text(*some: dict[str, Any]) -> str:
    return yaml.safe_dump_all(some)


def _pod(workload: dict[str, Any], namespace: str) -> dict[str, Any]:
    """Returns the pod that a workload's controller would make."""
    template = copy.deepcopy(workload["spec"]["template"])
    kind, name = workload["kind"].lower(), workload["metadata"]["name"]
    template["metadata"] |= {"name": f"{name}-{kind}", "namespace": namespace}
    claimed = [
        each["metadata"]["name"] for each in workload["spec"].get("volumeClaimTemplates", ())
    ]
    template["spec"].setdefault("volumes", []).extend(
        {"name": each, "persistentVolumeClaim": {"claimName": each}} for each in claimed
    )
    return {"apiVersion": "v1", "kind": "Pod", **template}


@every_overlay
def test_an_overlay_is_taken_whole_and_its_pods_are_admitted(
    folder: Path, api: KubernetesApi
) -> None:
    """Each document, then each pod of each workload under the enforced profile `restricted`."""
    namespace = f"scops-{folder.name}"
    applied = documents(composed(folder, namespace=namespace))
    taken = api.apply(_text(*applied)).splitlines()
    assert len(applied) == len(taken)

    labels = api.get("namespace", namespace)["metadata"]["labels"]
    assert "restricted" == labels["pod-security.kubernetes.io/enforce"]
    account = copy.deepcopy(ACCOUNT)
    account["metadata"]["namespace"] = namespace
    api.apply(_text(account))
    pods = [_pod(each, namespace) for each in applied if "template" in each.get("spec", {})]
    assert len(workloads(folder)) == len(pods)
    assert len(pods) == len(api.apply(_text(*pods)).splitlines())


@every_overlay
def test_applying_again_changes_nothing(folder: Path, api: KubernetesApi) -> None:
    """What GitOps does every few minutes rolls nothing out."""
    namespace = f"scops-again-{folder.name}"
    text = _text(*documents(composed(folder, namespace=namespace)))

    def generations() -> dict[str, tuple[Any, Any]]:
        found = api.get("--namespace", namespace, "deployments,statefulsets,networkpolicies")
        return {
            f"{each['kind']}/{each['metadata']['name']}": (
                each["metadata"]["generation"],
                each["metadata"]["resourceVersion"],
            )
            for each in found["items"]
        }

    api.apply(text)
    before = generations()
    api.apply(text)
    assert before == generations()


def test_the_secrets_are_taken_and_are_those_that_pods_ask_for(
    api: KubernetesApi, secrets: str
) -> None:
    """`bash deploy/secrets.sh | kubectl apply -f -`, and every key that a container names."""
    api.apply(secrets)
    items = api.get("secrets", "--namespace", "scops")["items"]
    made = {each["metadata"]["name"]: set(each["data"]) for each in items}
    for folder in OVERLAYS:
        for workload in workloads(folder):
            for name, key in references(workload["spec"]["template"]["spec"]):
                assert name in made, name
                assert not key or key in made[name], (name, key)


def references(value: Any) -> list[tuple[str, str]]:
    """Returns the secrets and keys that something names."""
    if isinstance(value, list):
        return [found for each in value for found in references(each)]
    if not isinstance(value, dict):
        return []
    found = [pair for each in value.values() for pair in references(each)]
    for field in ("secretKeyRef", "secretRef", "secret"):
        if isinstance(named := value.get(field), dict):
            name = named.get("name") or named["secretName"]
            keys = [item["key"] for item in named.get("items", ())] or [named.get("key", "")]
            found += [(name, key) for key in keys]
    return found


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("spec", "egress", 0, "to", 1, "ipBlock"), "IPv4-mapped"),
        (("spec", "egres"), "not declared in schema"),
    ],
)
def test_the_server_refuses_what_schemas_let_through(
    change: tuple[Any, ...], why: str, api: KubernetesApi
) -> None:
    """The check can fail: a mapped range as an exception, and a misspelt field."""
    (policy,) = [
        each
        for each in documents(composed(OVERLAYS[0], namespace="default"))
        if each["metadata"]["name"] == "fetcher-to-the-web"
    ]
    policy = copy.deepcopy(policy)
    place: Any = policy
    for step in change[:-1]:
        place = place[step]
    place[change[-1]] = {"cidr": "::/0", "except": ["::ffff:0:0/96"]}

    with pytest.raises(Refused, match=why):
        api.apply(_text(policy))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda pod: pod["spec"]["securityContext"].pop("runAsNonRoot"),
        lambda pod: pod["spec"].update(hostNetwork=True),
        lambda pod: pod["spec"]["containers"][0]["securityContext"].pop("capabilities"),
    ],
)
def test_a_pod_that_is_not_restricted_is_refused(spoil: Any, api: KubernetesApi) -> None:
    """The profile is enforced by the label that the overlay sets."""
    namespace = "scops-unrestricted"
    applied = documents(composed(OVERLAYS[0], namespace=namespace))
    homes = [each for each in applied if each["kind"] == "Namespace"]
    account = {**ACCOUNT, "metadata": {"name": "default", "namespace": namespace}}
    api.apply(_text(*homes, account))
    fetcher = next(each for each in applied if each["metadata"]["name"] == "fetcher")
    pod = _pod(fetcher, namespace)
    spoil(pod)

    with pytest.raises(Refused, match="violates PodSecurity"):
        api.apply(_text(pod))
