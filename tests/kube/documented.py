"""The commands of docs/deploy.md, "On a cluster", run as written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.deploy.manifests import ROOT
from tests.kube.cluster import KUBECTL, Cluster

GUIDE = ROOT / "docs" / "deploy.md"
SHIMS = Path(__file__).parent / "bin"
# What a reader is told to change: the overlay, and the site.
OVERLAY = ("deploy/k8s/overlays/dev", "tests/kube/overlay")
SITE = ("https://www.postgresql.org/docs/15/", "http://10.96.0.80/docs/15/")
COMMAND_SECONDS = 1500.0


def checkout(folder: Path) -> Path:
    """Copies what git would have of the working tree, so that commands write into a copy."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def loading() -> str:
    """Returns the line that builds the image and gives it to a cluster on one machine."""
    (line,) = re.findall(r"^With kind: `(.+)`\.$", _section(), re.M)
    return str(line)


def step(number: int) -> str:
    """Returns the indented lines below a numbered step."""
    parts = re.split(r"^\*\*(\d)\. ", _section(), flags=re.M)
    text = parts[parts.index(str(number)) + 1]
    return "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))


def _section() -> str:
    return GUIDE.read_text().split("\n## On a cluster\n")[1].split("\n## ")[0]


def run(lines: str, *, made: Cluster, folder: Path) -> str:
    """Runs lines of the guide in a shell as a reader's; returns what they printed.

    Raises:
        AssertionError: a line failed; with everything that was printed.
    """
    for written, ours in (OVERLAY, SITE):
        lines = lines.replace(written, ours)
    path = f"{SHIMS}:{KUBECTL.parent}:{os.environ['PATH']}"
    environ = {**os.environ, "KUBECONFIG": str(made.config), "PATH": path}
    done = subprocess.run(
        ["bash", "-O", "expand_aliases", "-euo", "pipefail"],
        input=lines,
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    assert 0 == done.returncode, f"{lines}\n{done.stdout}\n{done.stderr}"
    print(done.stdout, done.stderr, file=sys.stderr)
    return done.stdout
