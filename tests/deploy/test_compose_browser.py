"""The compose file's second one: a browser beside, as confined as its pod in a cluster."""

from pathlib import Path

import pytest
import yaml

from scops.fetcher.adapters.browser.server import read_token
from scops.fetcher.settings import FetcherSettings
from tests.deploy.manifests import (
    COMPONENTS,
    DEPLOY,
    PRODUCTION,
    Document,
    compose,
    composed,
    named,
    pod,
)
from tests.deploy.test_compose import draw_secrets, places_of_secrets

BESIDE: Document = yaml.safe_load((DEPLOY / "compose.browser.yaml").read_text())
BROWSER = BESIDE["services"]["browser"]
(COMPONENT,) = (each for each in COMPONENTS if each.name == "browser")


@pytest.fixture(scope="module")
def in_a_cluster() -> Document:
    """The container of the browser's pod."""
    (container,) = pod(named(composed(PRODUCTION, COMPONENT), "Deployment", "browser"))[
        "containers"
    ]
    return dict(container)


def test_the_fetcher_is_told_of_the_browser_with_the_token_that_it_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of none where the second file is left out again."""
    without = places_of_secrets(compose()["services"]["secrets"])
    draw_secrets(tmp_path, without | places_of_secrets(BESIDE["services"]["secrets"]))
    of = tmp_path / "of"
    token = read_token(of / "browser" / "token")
    address = (of / "fetcher" / "SCOPS_FETCHER_BROWSER").read_text()
    monkeypatch.setenv("SCOPS_FETCHER_BROWSER", address)
    assert f"ws://browser:7400/{token}" == FetcherSettings.load().browser.get_secret_value()
    (of / "browser" / "token").unlink()
    (of / "browser").rmdir()
    draw_secrets(tmp_path, without)

    assert not (of / "fetcher" / "SCOPS_FETCHER_BROWSER").exists()
    assert ["secrets-browser:/secrets:ro"] == BROWSER["volumes"]
    assert {"secrets-browser"} == set(BESIDE["volumes"])


def test_it_is_started_as_in_a_cluster(in_a_cluster: Document) -> None:
    """The same program of the same image, and no more than the pod may take."""
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


def test_it_is_as_confined_as_every_role() -> None:
    """Read-only root, no capabilities, bounds; it is built, and comes from no registry."""
    fetcher = compose()["services"]["fetcher"]
    for name in ("restart", "read_only", "cap_drop", "security_opt", "pids_limit"):
        assert fetcher[name] == BROWSER[name], name
    (place,) = BROWSER["tmpfs"]

    assert {"mem_limit", "cpus", "pids_limit"} <= BROWSER.keys()
    # Engines mount it so that nothing there can be started, such as what starts Chromium.
    assert {"exec", "size=512m"} <= set(place.removeprefix("/tmp:").split(","))
    assert "browser" == BROWSER["build"]["target"]
    assert "environment" not in BROWSER


def test_it_reaches_the_fetcher_alone_and_nobody_else_reaches_it() -> None:
    """A network of the two, which leads nowhere; no port on the machine."""
    on_it = {
        name for name, each in BESIDE["services"].items() if "browser" in each.get("networks", ())
    }

    assert ["browser"] == BROWSER["networks"]
    assert {"browser": {"internal": True}} == BESIDE["networks"]
    assert {"browser", "fetcher"} == on_it
    assert "browser" not in compose()["networks"]
    assert "ports" not in BROWSER
