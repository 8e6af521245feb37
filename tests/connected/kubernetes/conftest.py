"""One API server for all tests of this folder, with the definitions of custom resources."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.manifests import KUBECTL, ROOT
from tests.fakes.servers.kubernetes_api import KubernetesApi, kubernetes_api

# Takes a folder of deploy/k8s and a namespace; returns what it renders to there.
Render = Callable[[Path, str], list[dict[str, Any]]]


def definitions() -> list[Path]:
    """Returns the files that `make setup-servers` fetches."""
    cache = Path(os.environ.get("SCOPS_CACHE_DIR") or "~/.cache/scops").expanduser()
    found = sorted((cache / "kube" / "crds").glob("*.yaml"))
    assert found, f"No definitions in {cache / 'kube' / 'crds'}: run `make setup-servers`."
    return found


@pytest.fixture(scope="session")
def api() -> Iterator[KubernetesApi]:
    """An API server that knows the custom resources which components use."""
    with kubernetes_api() as server:
        for path in definitions():
            server.kubectl("apply", "--server-side", "--filename", str(path))
        server.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
        yield server


@pytest.fixture
def render(tmp_path: Path) -> Render:
    """Renders into a namespace of a test's own, by kustomize itself."""

    def rendered(folder: Path, namespace: str) -> list[dict[str, Any]]:
        way = os.path.relpath(folder, tmp_path)
        content = yaml.safe_dump({"namespace": namespace, "resources": [way]})
        (tmp_path / "kustomization.yaml").write_text(content)
        done = subprocess.run(
            [str(KUBECTL), "kustomize", str(tmp_path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return [each for each in yaml.load_all(done.stdout, yaml.CSafeLoader) if each]

    return rendered


@pytest.fixture
def secrets(tmp_path: Path) -> str:
    """What `deploy/secrets.sh` prints, drawn into a folder of its own."""
    folder = tmp_path / "deploy"
    folder.mkdir()
    script = folder / "secrets.sh"
    script.write_text((ROOT / "deploy" / "secrets.sh").read_text())
    scops = KUBECTL.with_name("scops")
    environment = {**os.environ, "SCOPS": str(scops), "KUBECTL": str(KUBECTL)}
    done = subprocess.run(
        ["bash", str(script)], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
