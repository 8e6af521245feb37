"""The wheel in an empty environment, without the lock and without a cache: up, crawl, ask.

Nothing of this checkout is on the path of what runs, and neither pip nor uv is.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from examples.site_server import SITE
from tests.deploy.manifests import ROOT
from tests.e2e.system import System, clean_environment
from tests.fakes.servers.origin import Origin, running

pytestmark = pytest.mark.long

UV = Path(os.environ.get("SCOPS_CACHE_DIR", Path.home() / ".cache" / "scops")) / "uv/bin/uv"
PAGE = "/policies/prices.html"
ASKED = "How much does the River plan cost?"
ANSWER = "The River plan costs 14 euros a month."
# Variables of who runs the tests that would tell the environment more than a user's does.
LEFT_OUT = ("VIRTUAL_ENV", "UV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it would be published."""
    folder = tmp_path_factory.mktemp("dist")
    _run(str(UV), "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """The example site."""
    with running(Origin([SITE / "edition-1"])) as served:
        yield served


def install_by_pip(wheel: Path, environment: Path) -> None:
    """As `python -m venv` and `pip install` do."""
    _run(sys.executable, "-m", "venv", str(environment))
    _run(str(environment / "bin" / "pip"), "install", "--quiet", "--no-compile", str(wheel))


def install_by_uv(wheel: Path, environment: Path) -> None:
    """As `uv tool install` does: the environment has no pip but what the wheel asks for."""
    _run(str(UV), "venv", "--quiet", "--python", sys.executable, str(environment))
    _run(str(UV), "pip", "install", "--quiet", "--python", str(environment), str(wheel))


@pytest.mark.parametrize("install", [install_by_pip, install_by_uv])
def test_an_empty_environment_answers_a_question(
    install: Callable[[Path, Path], None], wheel: Path, origin: Origin, tmp_path: Path
) -> None:
    """Every import is declared, and the model comes from the package index."""
    environment = tmp_path / "environment"
    install(wheel, environment)
    url = origin.url + PAGE
    variables = {"SCOPS_CACHE_DIR": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    system = System(tmp_path, python=environment / "bin" / "python", **variables)
    for name in LEFT_OUT:
        system.environment.pop(name, None)
    with system:
        created = system.run("scope", "create", "prices", url, "--include", f"page:{url}")
        crawled = system.run("crawl", "prices", "--wait")
        answered = system.run("ask", ASKED, "--scope", "prices")
    shutil.rmtree(environment)

    assert [0, 0, 0] == [one.code for one in (created, crawled, answered)], answered.err
    assert 1 == crawled.json["counts"]["indexed"]
    assert answered.json["statements"][0]["text"].startswith(ANSWER)
    assert url == answered.json["citations"][0]["uri"]
    assert (tmp_path / "cache" / "models").is_dir()


def _run(*command: str) -> None:
    environ = {name: text for name, text in clean_environment().items() if name not in LEFT_OUT}
    done = subprocess.run(
        command, cwd="/", env=environ, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr[-2000:]
