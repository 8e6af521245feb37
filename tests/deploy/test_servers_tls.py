"""The component `servers-tls`: servers show certificates that are made, and roles verify them."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr

from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from tests.deploy.manifests import (
    COMPONENTS,
    PRODUCTION,
    composed,
    containers,
    documents,
    environment,
    named,
    pod,
)

BY_NAME = {each.name: each for each in COMPONENTS}
SERVERS = ("nats", "postgres", "weaviate")
DEPLOYED = [("Deployment", role.value) for role in Role] + [("Job", "provision")]


@pytest.fixture(scope="module")
def folder() -> Path:
    return composed(PRODUCTION, BY_NAME["tls"], BY_NAME["servers-tls"])


def mounted(workload: dict[str, Any], container: dict[str, Any], path: str) -> dict[str, Any]:
    """Returns the secret behind a path of a container."""
    names = [one["name"] for one in container["volumeMounts"] if one["mountPath"] == path]
    (volume,) = [one for one in pod(workload)["volumes"] if one["name"] in names]
    return dict(volume["secret"])


@pytest.mark.parametrize(("kind", "name"), DEPLOYED)
def test_roles_ask_by_tls_and_hold_the_authority(folder: Path, kind: str, name: str) -> None:
    """Its certificate at the place that the settings say, and never its key."""
    workload = named(folder, kind, name)
    (container,) = containers(workload)
    values = environment(folder, container)
    ca = Path(values["SCOPS_SERVER_CA"])
    secret = mounted(workload, container, str(ca.parent))
    authority = named(folder, "Certificate", "scops-authority")["spec"]
    common = CommonSettings(
        nats_url=values["SCOPS_NATS_URL"],
        weaviate_url=values["SCOPS_WEAVIATE_URL"],
        database_url=SecretStr(values.get("SCOPS_DATABASE_URL", "")),
        server_ca=ca,
    )

    assert authority["secretName"] == secret["secretName"]
    assert [{"key": "tls.crt", "path": ca.name}] == secret["items"]
    assert ("tls", "https") == (
        urlsplit(common.nats_url).scheme,
        urlsplit(common.weaviate_url).scheme,
    )
    assert "sslmode=disable" not in common.database_url.get_secret_value()


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_shows_a_certificate_of_its_name(folder: Path, server: str) -> None:
    """By the name that roles ask it by, signed by the authority that they trust."""
    certificate = named(folder, "Certificate", f"scops-{server}")["spec"]
    workload = named(folder, "StatefulSet", server)
    names = {each["metadata"]["name"] for each in documents(folder, "Service")}
    authority = named(folder, "Issuer", certificate["issuerRef"]["name"])["spec"]
    for container in containers(workload):
        secret = mounted(workload, container, "/tls")
        assert certificate["secretName"] == secret["secretName"]

    assert server in names & set(certificate["dnsNames"])
    assert (
        named(folder, "Certificate", "scops-authority")["spec"]["secretName"]
        == (authority["ca"]["secretName"])
    )


@pytest.mark.parametrize("server", SERVERS)
def test_what_takes_renewals_up_is_of_the_server_s_own_image_and_tight(
    folder: Path, server: str
) -> None:
    """Restricted as every container, bounded, and with no program that is not there."""
    serving, renewal = containers(named(folder, "StatefulSet", server))

    assert ("renewal", serving["image"]) == (renewal["name"], renewal["image"])
    assert serving["securityContext"] == renewal["securityContext"]
    assert {"cpu", "memory", "ephemeral-storage"} == set(renewal["resources"]["requests"])
    assert {"memory", "ephemeral-storage"} == set(renewal["resources"]["limits"])


def test_weaviate_is_asked_by_tls_by_the_kubelet_too(folder: Path) -> None:
    """At the port that the policies open; nothing listens without TLS but its metrics."""
    serving, _ = containers(named(folder, "StatefulSet", "weaviate"))
    arguments = dict(zip(serving["args"][::2], serving["args"][1::2], strict=True))
    ports = {port["name"]: port["containerPort"] for port in serving["ports"]}
    values = {one["name"]: one.get("value") for one in serving["env"]}
    probes = [serving[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")]

    assert ("https", str(ports["http"])) == (arguments["--scheme"], arguments["--tls-port"])
    assert {"HTTPS"} == {probe["scheme"] for probe in probes}
    assert values["GRPC_CERT_FILE"] == arguments["--tls-certificate"] == "/tls/tls.crt"
    assert values["GRPC_KEY_FILE"] == arguments["--tls-key"] == "/tls/tls.key"


def test_postgres_takes_what_the_base_says_and_tls(folder: Path) -> None:
    """The number of connections is not lost."""
    plain = containers(named(PRODUCTION, "StatefulSet", "postgres"))[0]["args"]
    args = containers(named(folder, "StatefulSet", "postgres"))[0]["args"]

    assert plain == args[: len(plain)]
    assert ["ssl=on", "ssl_cert_file=/tls/tls.crt", "ssl_key_file=/tls/tls.key"] == (
        args[len(plain) + 1 :: 2]
    )


def test_a_cluster_of_postgres_shows_the_same_certificate() -> None:
    """Its operator reads it anew, by the label that it looks for."""
    names = ("cloudnative-pg", "servers-tls", "tls")
    folder = composed(PRODUCTION, *(BY_NAME[name] for name in names))
    cluster = named(folder, "Cluster", "postgres")["spec"]["certificates"]
    certificate = named(folder, "Certificate", "scops-postgres")["spec"]

    assert {certificate["secretName"]} == set(cluster.values())
    assert "cnpg.io/reload" in certificate["secretTemplate"]["labels"]
