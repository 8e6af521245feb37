"""Versions of Scops side by side: each as its wheel, in an environment of its own by its lock.

An earlier version is a commit of this repository. Its environment is kept in the cache, for a
commit never changes; that of the working tree is made anew.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.deploy.manifests import ROOT
from tests.e2e.system import clean_environment

CACHE = Path(os.environ.get("SCOPS_CACHE_DIR") or Path.home() / ".cache" / "scops")
UV = CACHE / "uv" / "bin" / "uv"
# Variables of who runs the tests that would lead into this checkout's environment.
LEFT_OUT = ("VIRTUAL_ENV", "PYTHONPATH")
# Prints how a version extracts.
PIPELINE = "from scops.extractor.pipeline import PIPELINE_VERSION; print(PIPELINE_VERSION)"
# Prints where a version lies, from a folder that is no checkout.
WHERE = "import scops.standalone as found; print(found.__file__)"


def release(commit: str) -> Path:
    """Installs a version of the past, once; returns its python.

    Raises:
        RuntimeError: the clone does not have the commit.
    """
    kept = CACHE / "releases" / commit
    if not kept.exists():
        _require(commit)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as made:
            source, whole = Path(made) / "source", Path(made) / "whole"
            source.mkdir()
            archive = Path(made) / "source.tar"
            _run("git", "-C", str(ROOT), "archive", "--output", str(archive), commit)
            shutil.unpack_archive(archive, source, filter="data")
            _install(source, whole)
            # Whole or not at all, also where two install it at once.
            if not kept.exists():
                whole.rename(kept)
    return _python(kept)


def working_tree(folder: Path) -> Path:
    """Installs the version of this working tree into a folder; returns its python."""
    _install(ROOT, folder)
    return _python(folder)


def pipeline(python: Path) -> str:
    """Returns how a version of Scops extracts, as its texts are marked."""
    return _run(str(python), "-c", PIPELINE).strip()


def _install(source: Path, environment: Path) -> None:
    """Builds the wheel and installs it with the versions of its lock."""
    _run(str(UV), "venv", "--quiet", "--relocatable", "--python", "3.11", str(environment))
    _run(
        *(str(UV), "sync", "--quiet", "--frozen", "--no-dev", "--no-editable"),
        # A wheel that uv has built from this folder before may be of another day.
        *("--reinstall-package", "scops", "--project", str(source)),
        UV_PROJECT_ENVIRONMENT=str(environment),
    )


def _python(environment: Path) -> Path:
    python = environment / "bin" / "python"
    found = _run(str(python), "-c", WHERE).strip()
    assert Path(found).is_relative_to(environment), f"{python} runs {found}, not its own Scops"
    return python


def _require(commit: str) -> None:
    asked = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        raise RuntimeError(
            f"This clone has no commit {commit}, whose version is run beside this one; a shallow "
            f"clone lacks it. Run `git fetch --unshallow` or `git fetch origin {commit}`."
        )


def _run(*command: str, **variables: str) -> str:
    kept = {name: text for name, text in clean_environment().items() if name not in LEFT_OUT}
    done = subprocess.run(
        command, cwd="/", env=kept | variables, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, f"{' '.join(command)}: {done.stderr[-2000:]}"
    return done.stdout
