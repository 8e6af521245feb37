"""The compose file, up on this machine, and what is asked of its containers."""

import functools
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker

from tests.deploy.manifests import ROOT

NAME = "scops-compose-test"
FILE, BESIDE = "deploy/compose.yaml", "tests/compose/site.yaml"
BROWSER = "deploy/compose.browser.yaml"
GUIDE = ROOT / "docs" / "deploy.md"
SHIMS = Path(__file__).parent / "bin"
COMMAND_SECONDS = 1500.0
HEALTHY_SECONDS = 300.0
# `docker compose down` for containers that are not looked at again.
AT_ONCE = ("--timeout", "5")


@dataclass(frozen=True, slots=True)
class Project:
    """A project of compose in a clean copy of the working tree."""

    folder: Path
    manual: Path

    def shell(self, lines: str) -> str:
        """Runs lines of the guide as a reader's shell does, with the example site beside.

        Raises:
            AssertionError: a line failed; with everything that was printed.
        """
        lines = lines.replace(f"-f {FILE}", f"-f {FILE} -f {BESIDE}")
        path = os.environ["PATH"] if _has_compose() else f"{SHIMS}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-O", "expand_aliases", "-euo", "pipefail", "-c", lines],
            # Not the lines: `exec` hands on what it reads.
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": path,
                "COMPOSE_PROJECT_NAME": NAME,
                "MANUAL": str(self.manual),
            },
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert 0 == done.returncode, f"{lines}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def compose(self, *words: str, file: str = "") -> str:
        """Runs `docker compose` on the shipped file, and on another one beside it."""
        beside = ["-f", file] if file else []
        return self.shell(" ".join(["docker", "compose", "-f", FILE, *beside, *words]))

    def containers(self, service: str) -> list[Any]:
        """Returns the running containers of a service."""
        labels = [f"com.docker.compose.project={NAME}", f"com.docker.compose.service={service}"]
        with_engine = docker.from_env(timeout=120)
        return list(with_engine.containers.list(filters={"label": labels}))

    def inside(self, service: str, command: Sequence[str]) -> str:
        """Returns what a command printed in the container of a service.

        Raises:
            AssertionError: it failed; with what it said.
        """
        (container, *_) = self.containers(service)
        code, said = container.exec_run(list(command))
        text = str(said.decode(errors="replace"))
        assert 0 == code, f"{service}: {command}: {text}"
        return text


@functools.cache
def _has_compose() -> bool:
    """Returns whether this machine's own `docker` knows `docker compose`."""
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    return asked.returncode == 0


def guide() -> list[str]:
    """Returns the indented lines of the guide's part on one machine."""
    part = GUIDE.read_text().split("\n## On one machine\n")[1].split("\n## ")[0]
    return [line[4:] for line in part.splitlines() if line.startswith("    ")]


def is_healthy(container: Any) -> bool:
    """Returns whether a container is well, by its own check where it has one."""
    container.reload()
    health = container.attrs["State"].get("Health") or {}
    return container.status == "running" and health.get("Status") in ("healthy", "", None)


def until(holds: Callable[[], bool], what: str) -> float:
    """Waits until something holds; returns the seconds it took."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() < begun + HEALTHY_SECONDS, what
        time.sleep(0.5)
    return time.monotonic() - begun
