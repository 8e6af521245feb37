"""The images, built as docs/deploy.md says, and a pod's container run with the bounds of its pod.

Podman does it: no cluster, and nothing of the pod's network but one wire, by which this machine
reaches the container and the container nobody else.
"""

import fcntl
import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.manifests import ROOT, Document

GUIDE = ROOT / "docs" / "deploy.md"
DOCKER = ROOT / "tests" / "kube" / "bin" / "docker"
# The one of tests/compose, whose networks are made alike whatever else the machine has.
CONFIG = ROOT / "tests" / "compose" / "containers.conf"
CACHE = Path(os.environ.get("SCOPS_CACHE_DIR") or Path.home() / ".cache" / "scops")
SUBNET, GATEWAY = "10.212.8.0/24", "10.212.8.1"
COMMAND_SECONDS = 120.0
BUILD_SECONDS = 1500.0


def build(image: str) -> str:
    """Builds an image by the line of the guide; returns the name that podman has it under.

    Raises:
        AssertionError: it does not build; with what was said.
    """
    lines = re.findall(r"`(docker build [^`]+)`|^ +(docker build .+)$", GUIDE.read_text(), re.M)
    line = next(
        text.partition(" && ")[0].replace("REGISTRY/", "")
        for text in (first or second for first, second in lines)
        if f"/{image} " in text
    )
    words = line.split()[1:]
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / ".images.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run(str(DOCKER), *words, seconds=BUILD_SECONDS)
    return f"docker.io/library/{image}"


def size_bytes(image: str) -> int:
    """Returns how much an image holds, its layers unpacked."""
    return int(podman("image", "inspect", "--format", "{{.Size}}", image))


def podman(*words: str) -> str:
    """Returns what a command of podman printed.

    Raises:
        AssertionError: it failed; with what it said.
    """
    assert shutil.which("podman"), "podman is missing: run make setup-kube"
    return _run("podman", *words, seconds=COMMAND_SECONDS)


def _run(*words: str, seconds: float) -> str:
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "CONTAINERS_CONF": str(CONFIG)},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert 0 == done.returncode, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


@dataclass(frozen=True, slots=True)
class Container:
    """A container that runs."""

    name: str

    @property
    def address(self) -> str:
        """Where this machine reaches it."""
        (network,) = self._inspected["NetworkSettings"]["Networks"].values()
        return str(network["IPAddress"])

    @property
    def is_running(self) -> bool:
        """Whether its first process is there."""
        return bool(self._inspected["State"]["Running"])

    @property
    def _inspected(self) -> Document:
        (found,) = json.loads(podman("container", "inspect", self.name))
        return dict(found)

    def inside(self, script: str) -> str:
        """Returns what a shell printed in it."""
        return podman("exec", self.name, "sh", "-c", script)

    def logs(self) -> str:
        """Returns what it said so far, errors included."""
        done = subprocess.run(
            ["podman", "logs", self.name], capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr


@contextmanager
def running(spec: Document, image: str, *, mounted: dict[str, Path]) -> Iterator[Container]:
    """Runs the container of a pod as its kubelet would.

    Args:
        spec: of the pod, with one container.
        mounted: files in place of secrets, by their path inside.
    """
    (container,) = spec["containers"]
    name = f"scops-test-{secrets.token_hex(4)}"
    # This machine has the first address of the wire.
    wire = ("--internal", "--disable-dns", "--subnet", SUBNET, "--gateway", GATEWAY)
    podman("network", "create", *wire, name)
    try:
        podman(
            *("run", "--detach", "--name", name, "--network", name),
            *_bounds(spec, container),
            *(f"--volume={file}:{path}:ro" for path, file in mounted.items()),
            f"--entrypoint={json.dumps(container['command'])}",
            *(image, *container["args"]),
        )
        yield Container(name)
    finally:
        podman("rm", "--force", "--time", "5", "--ignore", name)
        podman("network", "rm", "--force", name)


def _bounds(spec: Document, container: Document) -> list[str]:
    """Returns what holds a container as its manifest says, in podman's words."""
    user, own, limits = (
        spec["securityContext"],
        container["securityContext"],
        container["resources"]["limits"],
    )
    # What both take where nothing else is named.
    assert {"type": "RuntimeDefault"} == user["seccompProfile"]
    words = [
        f"--user={user['runAsUser']}:{user['runAsGroup']}",
        *(f"--cap-drop={each}" for each in own["capabilities"]["drop"]),
        f"--memory={limits['memory'].removesuffix('i').lower()}",
        f"--memory-swap={limits['memory'].removesuffix('i').lower()}",
        f"--cpus={limits['cpu']}",
    ]
    if own["readOnlyRootFilesystem"]:
        # Without the folders that podman would let it write to.
        words += ["--read-only", "--read-only-tmpfs=false"]
    if not own["allowPrivilegeEscalation"]:
        words.append("--security-opt=no-new-privileges")
    sizes = {
        each["name"]: each["emptyDir"]["sizeLimit"].removesuffix("i").lower()
        for each in spec["volumes"]
        if "emptyDir" in each
    }
    for mount in container["volumeMounts"]:
        if mount["name"] in sizes:
            options = f"rw,exec,nosuid,nodev,mode=1777,size={sizes[mount['name']]}"
            words.append(f"--tmpfs={mount['mountPath']}:{options}")
    return words
