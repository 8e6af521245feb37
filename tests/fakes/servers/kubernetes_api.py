"""A real API server of Kubernetes with its etcd, and nothing that schedules or runs a pod.

    with kubernetes_api() as api:                      # some eight seconds, 0.4 GiB
        api.apply(manifests)                           # server-side, strict, warnings are errors
        api.kubectl("get", "networkpolicies", "--all-namespaces")

Admission is the server's own: Pod Security, priority classes, service accounts, limits. Without
controllers nothing is made for a namespace, so `new_namespace` makes the service account that pods
get. A missing binary is an error that names the command; tests never skip it.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.fakes.servers.machine import free_ports

VERSION = "1.37.2"
KUBECTL = Path(sys.executable).with_name("kubectl")
READY_SECONDS_MAX = 120.0
POLL_SECONDS = 0.2
LOG_CHARACTERS = 3000


class Refused(AssertionError):
    """The API server took something not, or not without a warning."""


class KubernetesApi:
    """An API server that answers.

    Attributes:
        environment: what makes kubectl ask this one.
    """

    def __init__(self, folder: Path) -> None:
        self.environment = {**os.environ, "KUBECONFIG": str(folder / "admin.conf")}

    def kubectl(self, *words: str, text: str = "") -> str:
        """Runs kubectl as the administrator.

        Raises:
            Refused: it failed; with what it said.
        """
        done = subprocess.run(
            [str(KUBECTL), *words],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
        )
        if done.returncode:
            raise Refused(f"kubectl {' '.join(words[:3])}: {done.stderr}")
        return done.stdout

    def apply(self, manifests: str) -> str:
        """Applies manifests for real; unknown fields and warnings are refusals."""
        return self.kubectl(
            "apply",
            "--server-side",
            "--validate=strict",
            "--warnings-as-errors",
            "--filename=-",
            text=manifests,
        )

    def get(self, *words: str) -> dict[str, Any]:
        """Returns what `kubectl get` finds."""
        return dict(json.loads(self.kubectl("get", *words, "--output=json")))

    def answers(self) -> bool:
        """Says whether the server is ready."""
        asked = subprocess.run(
            [str(KUBECTL), "get", "--raw", "/readyz"],
            capture_output=True,
            check=False,
            env=self.environment,
        )
        return asked.returncode == 0


@contextmanager
def kubernetes_api() -> Iterator[KubernetesApi]:
    """Runs a server of its own on free ports, empty at first."""
    binaries = (_etcd(), find_api_server())
    folder = Path(tempfile.mkdtemp(prefix="scops-kubernetes-", dir="/tmp"))
    started: list[subprocess.Popen[bytes]] = []
    try:
        store, peers, port = free_ports(3)
        _keys(folder, port)
        started.append(_start(folder, "etcd", _etcd_command(binaries[0], store, peers)))
        started.append(_start(folder, "apiserver", _api_command(binaries[1], store, port)))
        api = KubernetesApi(folder)
        _wait(api, folder, started)
        yield api
    finally:
        # Nothing here is worth a stop in order, which can take ten seconds.
        for process in reversed(started):
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def find_api_server() -> Path:
    """Returns the binary that `make setup-kube-apiserver` builds."""
    cache = Path(os.environ.get("SCOPS_CACHE_DIR") or "~/.cache/scops").expanduser()
    binary = cache / "kube" / VERSION / "kube-apiserver"
    assert binary.exists(), f"There is no {binary}: run `make setup-kube-apiserver`."
    return binary


def _etcd() -> Path:
    found = shutil.which("etcd")
    assert found, "There is no etcd: run `make setup-kube-apiserver`, or install etcd-server."
    return Path(found)


def _keys(folder: Path, port: int) -> None:
    """Makes the key of service accounts and the administrator's token."""
    token = secrets.token_hex(16)
    make = ["openssl", "genrsa", "-out", str(folder / "accounts.key"), "2048"]
    subprocess.run(make, check=True, capture_output=True)
    (folder / "tokens.csv").write_text(f'{token},admin,1,"system:masters"\n')
    (folder / "admin.conf").write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "it",
                "contexts": [{"name": "it", "context": {"cluster": "it", "user": "admin"}}],
                "users": [{"name": "admin", "user": {"token": token}}],
                "clusters": [
                    {
                        "name": "it",
                        "cluster": {
                            "server": f"https://127.0.0.1:{port}",
                            "certificate-authority": str(folder / "pki" / "apiserver.crt"),
                        },
                    }
                ],
            }
        )
    )


def _etcd_command(binary: Path, store: int, peers: int) -> list[str]:
    clients = f"http://127.0.0.1:{store}"
    return [
        str(binary),
        "--data-dir=etcd",
        "--unsafe-no-fsync",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls=http://127.0.0.1:{peers}",
    ]


def _api_command(binary: Path, store: int, port: int) -> list[str]:
    return [
        str(binary),
        f"--etcd-servers=http://127.0.0.1:{store}",
        "--cert-dir=pki",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        # Nobody looks for it by the Service `kubernetes`, which takes no address of loopback.
        "--endpoint-reconciler-type=none",
        "--service-account-key-file=accounts.key",
        "--service-account-signing-key-file=accounts.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--token-auth-file=tokens.csv",
        "--authorization-mode=RBAC",
    ]


def _start(folder: Path, name: str, command: list[str]) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)


def _wait(api: KubernetesApi, folder: Path, started: list[subprocess.Popen[bytes]]) -> None:
    limit = time.monotonic() + READY_SECONDS_MAX
    while not api.answers():
        ended = any(process.poll() is not None for process in started)
        if ended or time.monotonic() > limit:
            logs = "".join(
                (folder / f"{name}.log").read_text(errors="replace")[-LOG_CHARACTERS:]
                for name in ("etcd", "apiserver")
            )
            raise AssertionError(f"The API server did not start: {logs}")
        time.sleep(POLL_SECONDS)
