"""The official conformance suite of the Model Context Protocol against `/mcp` of `scops up`."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.system import System
from tests.fakes.servers.node import NODE, installed_folder

GUIDE = (Path(__file__).resolve().parents[3] / "docs/api/mcp.md").read_text()
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
SUITE_SECONDS = 120
# The others use tools, prompts and resources of the suite's own example server, or capabilities
# that are optional and that Scops does not declare.
APPLICABLE = [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
]


def suite(*words: str) -> "subprocess.CompletedProcess[str]":
    """Runs the suite's command."""
    folder = installed_folder("javascript-clients", target="setup-clients")
    return subprocess.run(
        [str(NODE), str(folder / SUITE), *words],
        capture_output=True,
        text=True,
        timeout=SUITE_SECONDS,
        check=False,
    )


@pytest.mark.parametrize("path", ["/mcp", "/mcp/read-only"])
@pytest.mark.parametrize("scenario", APPLICABLE)
def test_a_scenario_passes(shared: System, scenario: str, path: str, tmp_path: Path) -> None:
    """Every check of it, and at least one."""
    url = f"{shared.http_url}{path}"
    done = suite("server", "--url", url, "--scenario", scenario, "-o", str(tmp_path))
    (report,) = tmp_path.rglob("checks.json")
    checks: list[dict[str, Any]] = json.loads(report.read_text())
    marks = [check["status"] for check in checks if check["status"] != "INFO"]

    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr[-2000:]
    assert marks
    assert {"SUCCESS"} == set(marks), checks


def test_the_guide_names_every_scenario() -> None:
    """Those that pass, and the others with why they do not apply."""
    listed = re.findall(r"^  - ([a-z0-9-]+)", suite("list", "--server").stdout, re.MULTILINE)
    section = GUIDE.partition("## Conformance")[2]
    named = re.findall(r"`([a-z0-9-]+(?:…)?)`", section)
    exact = {name for name in named if not name.endswith("…")}
    beginnings = tuple(name[:-1] for name in named if name.endswith("…"))

    assert listed
    assert set(APPLICABLE) <= exact
    assert [] == [one for one in listed if one not in exact and not one.startswith(beginnings)]
