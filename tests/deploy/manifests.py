"""What is deployed as whoever deploys it reads it: rendered manifests, compose, Dockerfile."""

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
BASE = DEPLOY / "k8s" / "base"
DEV, PRODUCTION = (DEPLOY / "k8s" / "overlays" / name for name in ("dev", "production"))
# What runs as it stands; overlays/scaled needs KEDA.
OVERLAYS = (BASE, DEV, PRODUCTION)
SCALED = DEPLOY / "k8s" / "overlays" / "scaled"
COMPONENTS = tuple(sorted((DEPLOY / "k8s" / "components").iterdir()))
KUBECTL = Path(sys.executable).with_name("kubectl")
Document = dict[str, Any]
INTERPOLATION = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


@cache
def rendered(folder: Path) -> str:
    """Returns what `kubectl apply -k` would apply."""
    done = subprocess.run(
        [str(KUBECTL), "kustomize", str(folder)], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


@cache
def composed(overlay: Path, *components: Path, namespace: str = "scops") -> Path:
    """Returns a folder that renders to an overlay with some components, as an operator's would."""
    folder = Path(tempfile.mkdtemp(prefix="scops-overlay-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    content = {
        "namespace": namespace,
        "resources": [os.path.relpath(overlay, folder.resolve())],
        "components": [os.path.relpath(each, folder.resolve()) for each in components],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(content))
    return folder


def documents(folder: Path, kind: str = "") -> list[Document]:
    """Returns the rendered documents, of one kind or all."""
    return [each for each in _parsed(folder) if kind in ("", each["kind"])]


@cache
def _parsed(folder: Path) -> tuple[Document, ...]:
    """Reads the rendered text once; whoever takes a document must not change it."""
    return tuple(each for each in yaml.load_all(rendered(folder), yaml.CSafeLoader) if each)


def named(folder: Path, kind: str, name: str) -> Document:
    """Returns one document; generated names match without their hash."""
    pattern = re.compile(re.escape(name) + r"(-[a-z0-9]{10})?")
    (found,) = [
        each for each in documents(folder, kind) if pattern.fullmatch(each["metadata"]["name"])
    ]
    return found


def workloads(folder: Path) -> list[Document]:
    """Returns everything that makes pods."""
    return [
        each for each in documents(folder) if each["kind"] in ("Deployment", "StatefulSet", "Job")
    ]


def pod(workload: Document) -> Document:
    """Returns the pod of a workload."""
    return dict(workload["spec"]["template"]["spec"])


def containers(workload: Document) -> list[Document]:
    """Returns the containers of a workload, those before the start included."""
    spec = pod(workload)
    return [*spec.get("initContainers", ()), *spec["containers"]]


def environment(folder: Path, container: Document) -> dict[str, str]:
    """Returns the variables of a container; a secret's value is its key, which is long enough."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        if "configMapRef" in source:
            found |= named(folder, "ConfigMap", _plain(source["configMapRef"]["name"]))["data"]
    for variable in container.get("env", ()):
        secret = variable.get("valueFrom", {}).get("secretKeyRef")
        found[variable["name"]] = variable.get("value") or _secret(secret)
    return found


def _secret(reference: dict[str, str]) -> str:
    if reference["key"] == "url":
        return "postgresql://scops:secret@postgres:5432/scops"
    return f"{reference['name']}/{reference['key']}"


def _plain(name: str) -> str:
    return re.sub(r"-[a-z0-9]{10}$", "", name)


@cache
def compose() -> Document:
    """Returns the compose file with its anchors and the defaults of its variables put in."""
    return dict(_interpolated(yaml.safe_load((DEPLOY / "compose.yaml").read_text())))


def _interpolated(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _interpolated(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_interpolated(each) for each in value]
    if isinstance(value, str):
        return INTERPOLATION.sub(lambda match: match[2] or "", value)
    return value


@dataclass(frozen=True, slots=True)
class Instruction:
    """A line of a Dockerfile, continued lines joined."""

    name: str
    arguments: str

    @property
    def words(self) -> list[str]:
        """Its arguments as a shell splits them."""
        return shlex.split(self.arguments)


@cache
def dockerfile() -> tuple[Instruction, ...]:
    """Returns the instructions of the Dockerfile."""
    text = (DEPLOY / "Dockerfile").read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return tuple(Instruction(*line.split(maxsplit=1)) for line in joined.splitlines())
