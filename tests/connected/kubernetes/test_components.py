"""Components are taken by a real API server that knows their custom resources as published."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import COMPONENTS, DEPLOY, DEV, PRODUCTION, SCALED, composed, documents
from tests.fakes.servers.kubernetes_api import KubernetesApi, Refused

BY_NAME = {each.name: each for each in COMPONENTS}
# What an organisation with every operator takes together.
ALL = [each for each in COMPONENTS if each.name != "monitoring-plain"]


def _custom(folder: Path) -> list[dict[str, Any]]:
    known = {each["apiVersion"] for each in documents(DEV)} | {"scheduling.k8s.io/v1"}
    return [each for each in documents(folder) if each["apiVersion"] not in known]


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: each.name)
def test_a_component_is_taken_on_top_of_production(component: Path, api: KubernetesApi) -> None:
    """Everything, custom resources included: definitions check fields and rules alike."""
    folder = composed(PRODUCTION, component, namespace=f"with-{component.name}")
    found = documents(folder)

    assert len(found) == len(api.apply(yaml.safe_dump_all(found)).splitlines())


def test_all_of_them_are_taken_together(api: KubernetesApi) -> None:
    """No two make the same thing, none deletes what another one needs."""
    found = documents(composed(PRODUCTION, *ALL, namespace="with-all"))

    assert len(found) == len(api.apply(yaml.safe_dump_all(found)).splitlines())


def test_the_overlay_that_scales_takes_over_what_production_applied(api: KubernetesApi) -> None:
    """The second step of docs/deploy.md; applied once more it leaves replicas to KEDA."""
    first = documents(composed(PRODUCTION, namespace="to-scale"))
    second = documents(composed(SCALED, namespace="to-scale"))
    api.apply(yaml.safe_dump_all(first))
    api.apply(yaml.safe_dump_all(second))
    scale = ("--namespace", "to-scale", "deployment/indexer", "--replicas=4")
    api.kubectl("scale", *scale)
    api.apply(yaml.safe_dump_all(second))

    indexer = api.get("deployment", "indexer", "--namespace", "to-scale")
    assert 4 == indexer["spec"]["replicas"]


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: each.name)
def test_a_field_that_a_custom_resource_lacks_is_refused(
    component: Path, api: KubernetesApi
) -> None:
    """The check can fail, for every kind that a component makes."""
    folder = composed(PRODUCTION, component, namespace="default")
    for kind, each in {each["kind"]: each for each in _custom(folder)}.items():
        spoilt = copy.deepcopy(each)
        spoilt["spec"]["bogusField"] = 1
        with pytest.raises(Refused, match="bogusField"):
            api.apply(yaml.safe_dump(spoilt))
        assert kind


def test_every_definition_that_is_fetched_is_used(api: KubernetesApi) -> None:
    """And every custom resource has one."""
    names = api.get("customresourcedefinitions")["items"]
    known = {each["spec"]["names"]["kind"] for each in names}
    used = {each["kind"] for each in _custom(composed(PRODUCTION, *ALL))}

    assert known == used


def test_external_secrets_are_those_of_the_script() -> None:
    """The same names; the bucket of overlays/dev is not for production."""
    script = (DEPLOY / "secrets.sh").read_text()
    made = set(re.findall(r"^ *(?:\w+=\w+ )?secret (scops[a-z-]+)", script, re.M))
    made -= {"scops-archive"}
    secrets = documents(composed(PRODUCTION, BY_NAME["external-secrets"]), "ExternalSecret")

    assert made == {each["metadata"]["name"] for each in secrets}
    for each in secrets:
        (source,) = each["spec"]["dataFrom"]
        assert f"scops/{each['metadata']['name']}" == source["extract"]["key"]
