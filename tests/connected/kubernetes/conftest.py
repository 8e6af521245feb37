"""One API server for all tests of this folder, with the definitions of custom resources."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.manifests import KUBECTL, ROOT
from tests.fakes.servers.kubernetes_api import KubernetesApi, kubernetes_api


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
def secrets(tmp_path: Path) -> str:
    """What `deploy/secrets.sh` prints, drawn into a folder of its own."""
    return drawn(tmp_path / "deploy")


def drawn(folder: Path, *, organisations: str = "") -> str:
    """Returns what `deploy/secrets.sh` prints.

    Args:
        organisations: those beside main, with blanks between.
    """
    folder.mkdir(exist_ok=True)
    script = folder / "secrets.sh"
    script.write_text((ROOT / "deploy" / "secrets.sh").read_text())
    scops = KUBECTL.with_name("scops")
    environment = {
        **os.environ,
        "SCOPS": str(scops),
        "KUBECTL": str(KUBECTL),
        "ORGANISATIONS": organisations,
    }
    done = subprocess.run(
        ["bash", str(script)], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
