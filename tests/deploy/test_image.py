"""The Dockerfile's steps hold together, as far as that can be seen without an engine."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from itertools import pairwise

import pytest

from scops.common.config.environment import check_environment
from scops.common.config.settings import CommonSettings
from scops.standalone.process.parts import PARTS, settings_classes
from tests.deploy.manifests import ROOT, Instruction, dockerfile

STAGES = [place for place, each in enumerate(dockerfile()) if each.name == "FROM"]


def _stage(name: str) -> tuple[Instruction, ...]:
    """The instructions of a stage."""
    for begin, end in pairwise((*STAGES, len(dockerfile()))):
        if dockerfile()[begin].words[1:] == ["AS", name]:
            return dockerfile()[begin:end]
    raise AssertionError(f"{name} is no stage")


def _named(name: str, *, stage: str = "") -> list[Instruction]:
    return [each for each in (_stage(stage) if stage else dockerfile()) if each.name == name]


def _pairs(instruction: Instruction) -> dict[str, str]:
    return dict(word.split("=", 1) for word in instruction.words)


def _copied() -> list[str]:
    return [
        source
        for each in _named("COPY")
        if not each.arguments.startswith("--from")
        for source in each.words[:-1]
    ]


def test_every_stage_begins_with_one_pinned_image_of_our_python() -> None:
    """What was built is run by the same interpreter, of the version that the tests run."""
    stages = {each.words[-1] for each in _named("FROM")}
    (image,) = {each.words[0] for each in _named("FROM")} - stages
    (default,) = (each for each in _named("ARG") if each.words[0].startswith("PYTHON_IMAGE"))

    assert "${PYTHON_IMAGE}" == image
    assert "role" == _named("FROM")[-1].arguments, "what is built where no stage is named"
    by_digest = r"PYTHON_IMAGE=python:3\.11\.\d+-slim-bookworm@sha256:[0-9a-f]{64}"
    assert re.fullmatch(by_digest, default.arguments)


def test_what_is_copied_exists_and_is_sent_to_the_builder() -> None:
    """.dockerignore lets in exactly what the Dockerfile names."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    let_in = [line[1:] for line in lines if line.startswith("!")]
    for source in _copied():
        assert (ROOT / source).exists(), source
        assert any(fnmatch(source, each) or source.startswith(f"{each}/") for each in let_in)
    assert all(any(each in source for source in _copied()) for each in let_in), let_in


def test_every_source_root_of_the_distribution_is_copied() -> None:
    """A package that is not copied is missing in the wheel, without a word."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    for package in build["targets"]["wheel"]["packages"]:
        assert any(package.startswith(f"{source}/") for source in _copied()), package


def test_the_lock_is_installed_frozen_and_without_tools_of_development() -> None:
    """The versions that were tested, and nothing else."""
    syncs = [each.arguments for each in _named("RUN") if "uv sync" in each.arguments]
    makefile = re.search(r"^UV_VERSION := (.+)$", (ROOT / "Makefile").read_text(), re.M)
    assert makefile is not None

    assert 3 == len(syncs)
    assert all("--frozen --no-dev" in each for each in syncs)
    assert all("--no-editable" in each for each in syncs[1:])
    by_digest = "--require-hashes --requirement tools/uv.txt"
    assert any(by_digest in each.arguments for each in _named("RUN"))
    assert f"\nuv=={makefile[1]} " in (ROOT / "tools" / "uv.txt").read_text()


def test_the_image_runs_a_role_as_nobody_in_particular() -> None:
    """Non-root by number, so that Kubernetes can see it; roles are the arguments."""
    begin, *_, user = _stage("role")
    (entry,) = _named("ENTRYPOINT", stage="base")

    assert ["base", "AS", "role"] == begin.words
    assert ("USER", "10001:10001") == (user.name, user.arguments)
    assert '["scops", "run"]' == entry.arguments
    assert not _named("CMD")


def test_the_image_with_a_browser_is_the_same_with_more_in_it() -> None:
    """The extra by the lock, and Debian's Chromium; it runs as the same nobody."""
    (built,) = _named("RUN", stage="build-browser")
    begin, *_, user = _stage("browser")
    (copied,) = _named("COPY", stage="browser")

    assert "--extra browser" in built.arguments
    # Not of the role: the same environment would be there twice.
    assert ["base", "AS", "browser"] == begin.words
    assert "--from=build-browser /opt/scops /opt/scops" == copied.arguments
    assert any("chromium" in each.words for each in _named("RUN", stage="browser"))
    assert ("USER", "10001:10001") == (user.name, user.arguments)


def test_its_variables_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """With values that the settings take; what a role writes goes below /tmp."""
    variables = _pairs(_named("ENV", stage="base")[0])
    ours = {name: text for name, text in variables.items() if name.startswith("SCOPS_")}
    check_environment(ours, settings_classes(PARTS))
    for name, text in ours.items():
        monkeypatch.setenv(name, text)
    common = CommonSettings.load()
    built = next(each.arguments for each in _named("RUN") if "embedder.weights" in each.arguments)

    assert str(common.data_dir).startswith("/tmp/")
    assert f"SCOPS_CACHE_DIR={common.cache_dir}" in built
    exposed = {int(port) for each in _named("EXPOSE", stage="base") for port in each.words}
    assert {7300, 7301, common.health_port} == exposed


@pytest.mark.parametrize("step", _named("RUN"), ids=lambda step: step.arguments[:24])
def test_every_step_is_a_line_that_a_shell_reads(step: Instruction) -> None:
    """`sh -n` parses it."""
    subprocess.run(["sh", "-n", "-c", step.arguments], check=True)
