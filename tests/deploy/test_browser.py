"""The browser as deployed: a pod that reaches nothing, and its like beside the compose file."""

import shutil
from pathlib import Path

import pytest
import yaml

from scops.common.contract.service_table import Role
from scops.fetcher.adapters.browser.server import read_token
from scops.fetcher.settings import FetcherSettings
from tests.deploy.manifests import (
    COMPONENTS,
    DEPLOY,
    PRODUCTION,
    Document,
    compose,
    composed,
    documents,
    named,
    pod,
    workloads,
)
from tests.deploy.reach import Party, Policies, outside
from tests.deploy.test_compose import draw_secrets, places_of_secrets

BESIDE: Document = yaml.safe_load((DEPLOY / "compose.browser.yaml").read_text())
BROWSER = BESIDE["services"]["browser"]
(COMPONENT,) = (each for each in COMPONENTS if each.name == "browser")
FOLDER = composed(PRODUCTION, COMPONENT)
PORT = 7400


@pytest.fixture(scope="module")
def spec() -> Document:
    """The browser's pod."""
    return pod(named(FOLDER, "Deployment", "browser"))


def _party(name: str) -> Party:
    (found,) = (each for each in workloads(FOLDER) if each["metadata"]["name"] == name)
    return Party(namespace="scops", labels=found["spec"]["template"]["metadata"]["labels"])


def test_fetchers_alone_reach_it() -> None:
    """No other pod of the namespace, none of another, nobody outside."""
    policies = Policies(documents(FOLDER, "NetworkPolicy"))
    names = {each["metadata"]["name"] for each in workloads(FOLDER)}
    let_in = {name for name in names if policies.lets(_party(name), _party("browser"), PORT)}
    strangers = (Party(namespace="scops"), Party(namespace="elsewhere"), outside("10.0.0.1"))

    assert {role.value for role in Role} < names
    assert {"fetcher"} == let_in
    assert not [each for each in strangers if policies.lets(each, _party("browser"), PORT)]
    assert [PORT] == [one["port"] for one in named(FOLDER, "Service", "browser")["spec"]["ports"]]


def test_it_reaches_nothing() -> None:
    """Neither names, which every other pod resolves, nor the web, nor any pod."""
    policies = Policies(documents(FOLDER, "NetworkPolicy"))
    names = Party(namespace="kube-system", labels={"k8s-app": "kube-dns"})
    away = [outside(each) for each in ("93.184.216.34", "10.0.0.1", "169.254.169.254")]
    pods = [each["metadata"]["name"] for each in workloads(FOLDER)]
    for target in (names, *away, *(_party(name) for name in pods)):
        for port in (53, 80, 443, 4222, 5432, 7300, PORT, 8080, 9100):
            for protocol in ("TCP", "UDP"):
                assert not policies.lets(_party("browser"), target, port, protocol), (target, port)
    resolving = {name for name in pods if policies.lets(_party(name), names, 53, "UDP")}

    assert set(pods) - {"browser"} == resolving


def test_its_pod_and_the_fetcher_know_one_token(spec: Document) -> None:
    """By a secret; the pod has no service account, both have the image with the browser."""
    (container,) = spec["containers"]
    (fetcher,) = pod(named(FOLDER, "Deployment", "fetcher"))["containers"]
    (address,) = [one for one in fetcher["env"] if one["name"] == "SCOPS_FETCHER_BROWSER"]

    assert spec["automountServiceAccountToken"] is False
    assert container["image"] == fetcher["image"] == "scops-browser:0.1.0"
    assert "scops-browser" == spec["volumes"][0]["secret"]["secretName"]
    assert {"name": "scops-browser", "key": "url"} == address["valueFrom"]["secretKeyRef"]


def test_the_fetcher_beside_the_compose_file_knows_the_token_that_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of no browser where the second file is left out again."""
    without = places_of_secrets(compose()["services"]["secrets"])
    draw_secrets(tmp_path, without | places_of_secrets(BESIDE["services"]["secrets"]))
    of = tmp_path / "of"
    token = read_token(of / "browser" / "token")
    address = (of / "fetcher" / "SCOPS_FETCHER_BROWSER").read_text()
    monkeypatch.setenv("SCOPS_FETCHER_BROWSER", address)
    assert f"ws://browser:{PORT}/{token}" == FetcherSettings.load().browser.get_secret_value()
    shutil.rmtree(of / "browser")
    draw_secrets(tmp_path, without)

    assert not (of / "fetcher" / "SCOPS_FETCHER_BROWSER").exists()
    assert ["secrets-browser:/secrets:ro"] == BROWSER["volumes"]
    assert {"secrets-browser"} == set(BESIDE["volumes"])


def test_beside_the_compose_file_it_is_started_as_in_a_cluster(spec: Document) -> None:
    """The same program of the same image, and no more than the pod may take."""
    (in_a_cluster,) = spec["containers"]
    command = [*in_a_cluster["command"], *in_a_cluster["args"]]
    limits = in_a_cluster["resources"]["limits"]

    assert [each.replace("/token/token", "/secrets/token") for each in command] == BROWSER[
        "entrypoint"
    ]
    assert in_a_cluster["image"] == BROWSER["image"] == BESIDE["services"]["fetcher"]["image"]
    assert limits == {
        "cpu": str(BROWSER["cpus"]),
        "memory": BROWSER["mem_limit"].replace("g", "Gi"),
        "ephemeral-storage": "1Gi",
    }
    assert in_a_cluster["readinessProbe"]["httpGet"]["port"] == "browser"
    assert f":{in_a_cluster['ports'][0]['containerPort']}/" in BROWSER["healthcheck"]["test"]


def test_beside_the_compose_file_it_is_as_confined_as_every_role() -> None:
    """Read-only root, no capabilities, bounds; it is built, and comes from no registry."""
    fetcher = compose()["services"]["fetcher"]
    for name in ("restart", "read_only", "cap_drop", "security_opt", "pids_limit"):
        assert fetcher[name] == BROWSER[name], name
    (place,) = BROWSER["tmpfs"]

    assert {"mem_limit", "cpus", "pids_limit"} <= BROWSER.keys()
    # Docker mounts it so that nothing there can be started, such as what starts Chromium.
    assert {"exec", "size=512m"} <= set(place.removeprefix("/tmp:").split(","))
    assert "browser" == BROWSER["build"]["target"]
    assert "environment" not in BROWSER


def test_beside_the_compose_file_it_reaches_the_fetcher_alone_and_nobody_else_reaches_it() -> None:
    """A network of the two, which leads nowhere; no port on the machine."""
    on_it = {
        name for name, each in BESIDE["services"].items() if "browser" in each.get("networks", ())
    }

    assert ["browser"] == BROWSER["networks"]
    assert {"browser": {"internal": True}} == BESIDE["networks"]
    assert {"browser", "fetcher"} == on_it
    assert "browser" not in compose()["networks"]
    assert "ports" not in BROWSER
