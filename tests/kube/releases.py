"""Images of two releases and of none: what an update goes from, to, and must not get to."""

import os
import subprocess
from pathlib import Path

from tests.deploy.manifests import ROOT
from tests.kube import documented
from tests.kube.installation import Installation

THIS = "scops:0.1.0"
PREVIOUS = "scops:previous"
# Nobody has it, and it is of a registry that no machine reaches.
BAD = "localhost/scops:nobody-built-this"


def load_previous(scops: Installation) -> None:
    """Builds the image of the last landed commit and gives it to the nodes.

    With uncommitted changes that is HEAD, otherwise the commit before; `SCOPS_KUBE_FROM` names
    another one.
    """
    folder = scops.folder.with_name("previous")
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", _commit()], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    # Its Dockerfile may not yet know another base.
    (folder / "deploy" / "Dockerfile").write_bytes((ROOT / "deploy" / "Dockerfile").read_bytes())
    line = f"docker build -f deploy/Dockerfile -t {PREVIOUS} . && kind load docker-image {PREVIOUS}"
    documented.run(line, made=scops.cluster, folder=Path(folder))


def _commit() -> str:
    if named := os.environ.get("SCOPS_KUBE_FROM"):
        return named
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode
    return "HEAD" if changed else "HEAD~1"
