"""The image's steps, done: what is copied installs from the lock and runs as the image's user."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from scops.common.contract.service_table import Role
from tests.deploy.manifests import ROOT, dockerfile
from tests.e2e.system import System, clean_environment
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.nats import nats_server

UV = Path(os.environ.get("SCOPS_CACHE_DIR", Path.home() / ".cache" / "scops")) / "uv/bin/uv"
USER = 10001
_, SECOND_STAGE, *_ = (place for place, each in enumerate(dockerfile()) if each.name == "FROM")
IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that anybody may pass; pytest's own ones are its user's."""
    with TemporaryDirectory(prefix="scops-image-", ignore_cleanup_errors=True) as name:
        made = Path(name)
        made.chmod(0o755)
        yield made


@pytest.fixture(scope="module")
def installed(folder: Path) -> Path:
    """Follows COPY and `uv sync` of the first stage."""
    source, target = folder / "src", folder / "opt"
    source.mkdir()
    environ = {**clean_environment(), "UV_PROJECT_ENVIRONMENT": str(target)}
    environ.pop("VIRTUAL_ENV", None)
    for step in dockerfile()[:SECOND_STAGE]:
        if step.name == "COPY" and not step.arguments.startswith("--from"):
            *names, place = step.words
            for name in names:
                _copy(ROOT / name, source / place / ("" if place != "./" else name))
        if step.name == "RUN" and step.words[:2] == ["uv", "sync"]:
            command = [str(UV), *step.words[1:], "--quiet", "--python", sys.executable]
            subprocess.run(command, cwd=source, env=environ, check=True)
    return target


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=IGNORED, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def test_the_environment_has_what_the_lock_says_and_no_tools_of_development(
    installed: Path,
) -> None:
    """Everything that is imported is there; nothing that only tests need."""
    packages = {path.name for path in (installed / "lib").glob("python3*/site-packages/*")}
    (ours,) = (installed / "lib").glob("python3*/site-packages/scops")

    assert {"faststream", "weaviate", "asyncpg", "grpc"} <= packages
    assert {"pytest", "mypy", "hypothesis", "kubernetes_validate"}.isdisjoint(packages)
    roots = {path.name for path in ours.iterdir()}
    assert {role.value.replace("-", "_") for role in Role} | {"common", "api"} <= roots


def test_a_role_runs_as_the_images_user_and_writes_below_tmp_alone(
    installed: Path, folder: Path
) -> None:
    """Uid 10001 owns nothing; with a folder for what it writes, every role becomes ready."""
    if os.getuid() != 0:
        pytest.fail("run as root, who alone can become uid 10001; CI does")
    writable = folder / "tmp"
    writable.mkdir()
    os.chown(writable, USER, USER)
    cache = Path(clean_environment().get("SCOPS_CACHE_DIR", Path.home() / ".cache" / "scops"))
    models = folder / "cache" / "models"
    # As published; the graphs are built as the Dockerfile builds them, by root.
    built = shutil.ignore_patterns("*.onnx", ".lock")
    shutil.copytree(cache / "models", models, ignore=built)
    build = [str(installed / "bin" / "python"), "-m", "scops.libraries.embedder.weights"]
    subprocess.run(build, env={"SCOPS_CACHE_DIR": str(models.parent)}, check=True)
    with nats_server(folder / "nats") as server:
        variables = {**server.settings, **_as_in_the_image(writable, models.parent)}
        system = System(folder / "system", **variables)
        # What is installed is to run, not this checkout.
        system.environment.pop("PYTHONPATH", None)
        scops = installed / "bin" / "scops"
        _run(scops, "provision", environ=system.environment)
        port = str(free_port())
        child = subprocess.Popen(
            [*_as_user(), str(scops), "run", *(role.value for role in Role)],
            env={**system.environment, "SCOPS_HEALTH_PORT": port},
            start_new_session=True,
        )
        try:
            system.wait_ready(f"http://127.0.0.1:{port}")
        finally:
            child.terminate()
            assert 0 == child.wait(60)
    owners = {path.stat().st_uid for path in writable.rglob("*")}

    assert {USER} == owners


def _as_in_the_image(writable: Path, cache: Path) -> dict[str, str]:
    return {
        "SCOPS_DATA_DIR": str(writable / "scops"),
        "SCOPS_CACHE_DIR": str(cache),
        "HOME": str(writable),
        "TMPDIR": str(writable),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _as_user() -> list[str]:
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs"]


def _run(scops: Path, *words: str, environ: dict[str, str]) -> None:
    done = subprocess.run(
        [*_as_user(), str(scops), *words], env=environ, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
