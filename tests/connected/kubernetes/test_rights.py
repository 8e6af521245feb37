"""What service accounts may ask of the API server, asked of the server itself."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import OVERLAYS, ROOT, composed, documents
from tests.fakes.servers.kubernetes_api import KubernetesApi

every_overlay = pytest.mark.parametrize("folder", OVERLAYS, ids=lambda folder: folder.name)
PODS = {(verb, "", "pods") for verb in ("get", "list", "watch")}
# Beyond what every service account of every cluster may; whoever is missing may nothing more.
RIGHTS: dict[str, set[tuple[str, str, str]]] = {"prometheus": PODS}


def _rights(api: KubernetesApi, namespace: str, account: str) -> set[tuple[str, str, str]]:
    """Returns (verb, group, resource) of everything that an account may do in a namespace."""
    review = api.kubectl(
        "create",
        "--filename=-",
        "--output=json",
        # Checking it first would need a right to list definitions.
        "--validate=false",
        f"--as=system:serviceaccount:{namespace}:{account}",
        text=yaml.safe_dump(
            {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectRulesReview",
                "spec": {"namespace": namespace},
            }
        ),
    )
    status: dict[str, Any] = yaml.safe_load(review)["status"]
    assert not status["incomplete"], status
    return {
        (verb, group, "/".join([resource, *rule.get("resourceNames", ())]))
        for rule in status["resourceRules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


@every_overlay
def test_accounts_may_what_the_table_says_and_no_more(folder: Path, api: KubernetesApi) -> None:
    """Every account of the overlay and the one that pods get by themselves."""
    namespace = f"scops-rights-{folder.name}"
    applied = documents(composed(folder, namespace=namespace))
    api.apply(yaml.safe_dump_all(applied))
    nobody = _rights(api, "default", "nobody")
    made = {each["metadata"]["name"] for each in applied if each["kind"] == "ServiceAccount"}
    used = {
        each["spec"]["template"]["spec"].get("serviceAccountName", "default")
        for each in applied
        if "template" in each.get("spec", {})
    }

    assert used <= made | {"default"}
    for account in made | {"default"}:
        assert RIGHTS.get(account, set()) == _rights(api, namespace, account) - nobody, account
        assert set() == _rights(api, "kube-system", account) - nobody, account


@every_overlay
def test_nothing_is_granted_beyond_the_namespace(folder: Path) -> None:
    """No role of the cluster, no binding to one, no wildcard."""
    for each in documents(composed(folder, namespace="scops-grants")):
        assert each["kind"] not in ("ClusterRole", "ClusterRoleBinding"), each["metadata"]
        if each["kind"] == "RoleBinding":
            assert "Role" == each["roleRef"]["kind"], each["metadata"]
        for rule in each.get("rules", ()) if each["kind"] == "Role" else ():
            assert "*" not in [*rule["verbs"], *rule["resources"], *rule["apiGroups"]]


def test_rights_are_as_documented() -> None:
    """docs/deploy.md has a row for each account, with what it may."""
    text = (ROOT / "docs" / "deploy.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|$", text, re.MULTILINE))

    assert "nothing" == rows["default"]
    for account, rights in RIGHTS.items():
        verbs = {verb for verb, _, _ in rights}
        resources = {resource for _, _, resource in rights}
        words = set(re.findall(r"[a-z]+", rows[account]))
        assert verbs | resources <= words, account
