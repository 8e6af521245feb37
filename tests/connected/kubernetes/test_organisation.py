"""A second organisation beside the first one, taken by a real API server, with its secrets."""

import base64
from typing import Any

import pytest
import yaml

from scops.common.contract.organisations import MAIN, schema_name
from scops.libraries.index.weaviate.rights import rights_of
from tests.connected.kubernetes.conftest import drawn
from tests.connected.kubernetes.test_applied import references
from tests.deploy.manifests import BASE, DEPLOY, documents, workloads
from tests.fakes.servers.kubernetes_api import KubernetesApi

ROLES = DEPLOY / "k8s" / "overlays" / "organisation"
FOLDERS = (BASE, ROLES, ROLES / "servers")


@pytest.fixture(scope="module")
def made(
    api: KubernetesApi, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], dict[str, str]]:
    """The secrets of main and of acme, by namespace and name; main's are those from before."""
    folder = tmp_path_factory.mktemp("deploy")
    main = _secrets(drawn(folder))
    text = drawn(folder, organisations="acme")
    api.apply(text)
    both = _secrets(text)
    for where, held in main.items():
        if where[1] not in ("scops-nats-users", "scops-weaviate"):
            assert held == both[where], where
    return both


def _secrets(text: str) -> dict[tuple[str, str], dict[str, str]]:
    found: list[dict[str, Any]] = [each for each in yaml.safe_load_all(text) if each]
    return {
        (each["metadata"]["namespace"], each["metadata"]["name"]): {
            key: base64.b64decode(value).decode() for key, value in each["data"].items()
        }
        for each in found
        if each["kind"] == "Secret"
    }


def test_both_overlays_are_taken_and_every_secret_that_they_name_is_there(
    api: KubernetesApi, made: dict[tuple[str, str], dict[str, str]]
) -> None:
    """Beside main, in the order of the guide."""
    for folder in FOLDERS:
        text = yaml.safe_dump_all(documents(folder))
        assert len(documents(folder)) == len(api.apply(text).splitlines())
        for workload in workloads(folder):
            namespace = workload["metadata"]["namespace"]
            for name, key in references(workload["spec"]["template"]["spec"]):
                held = made[namespace, name]
                assert not key or key in held, (namespace, name, key)


def test_users_passwords_and_keys_fit_together(
    made: dict[tuple[str, str], dict[str, str]],
) -> None:
    """What a role of acme comes in with is what its provisioner and the servers know it by."""
    servers, logins = made["scops", "scops-weaviate"], made["scops", "scops-provision-acme"]
    users = servers["AUTHENTICATION_APIKEY_USERS"].split(",")
    keys = servers["AUTHENTICATION_APIKEY_ALLOWED_KEYS"].split(",")
    known = dict(zip(users, keys, strict=True))

    assert servers["api-key"] == known.pop("scops")
    assert known == {
        schema_name(organisation, role.value): made[namespace, f"scops-weaviate-{role}"]["api-key"]
        for organisation, namespace in ((MAIN, "scops"), ("acme", "scops-acme"))
        for role in rights_of(organisation)
    }
    for role in ("fetcher", "change-detector", "indexer", "retriever", "gateway"):
        held = made["scops-acme", f"scops-postgres-{role}"]
        login = f"{schema_name('acme', role)}:{logins[role]}"
        assert f"postgresql://{login}@postgres.scops:5432/scops" == held["url"]
    bus = made["scops", "scops-nats-users"]["users.conf"]
    assert '"acme.provisioner"' in bus
    assert "provisioner" not in made["scops-acme", "scops-nats-passwords"]


def test_no_password_of_one_organisation_opens_the_other(
    made: dict[tuple[str, str], dict[str, str]],
) -> None:
    """No value stands in both namespaces but what the servers must check."""
    ours = {
        value
        for (namespace, _), held in made.items()
        for value in held.values()
        if namespace == "scops-acme"
    }
    theirs = {
        value
        for (namespace, name), held in made.items()
        for value in held.values()
        if namespace == "scops" and name != "scops-provision-acme"
    }

    assert set() == ours & theirs
