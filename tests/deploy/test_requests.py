"""What pods ask their node for follows from docs/sizing.md, and is what the manifests hold."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from scops.common.contract.service_table import Role
from tests.deploy.manifests import OVERLAYS, ROOT, containers, named

PAGE = ROOT / "docs" / "sizing.md"
HEADING = "## Requests of a pod"
ROOM = 1.4
BUSY = 0.6
MEBIBYTES_STEP, MILLICORES_STEP = 256, 50
MEBIBYTE, MEGABYTE = 2**20, 1e6


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of a role."""

    rest_mb: float
    peak_mb: float
    memory: str
    piece_ms: float
    a_second: float
    cpu: str


def table() -> dict[str, Row]:
    """Returns the rows of the section's table, by role."""
    section = PAGE.read_text().partition(HEADING)[2].partition("\n## ")[0]
    rows = {}
    for line in re.findall(r"^\| ([a-z].*) \|$", section, re.MULTILINE):
        role, rest, peak, memory, piece_ms, _, a_second, cpu = line.split(" | ")
        if role != "role":
            rows[role] = Row(
                float(rest), float(peak), memory, float(piece_ms), float(a_second), cpu
            )
    return rows


def rounded_up(value: float, step: int) -> int:
    return math.ceil(value / step) * step


def millicores(text: str) -> int:
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def test_every_role_has_a_row() -> None:
    """One that is added needs a measurement."""
    assert {role.value for role in Role} == set(table())


@pytest.mark.parametrize("role", [role.value for role in Role])
def test_requests_follow_from_what_was_measured(role: str) -> None:
    """By the two formulas of the page."""
    row = table()[role]
    memory = rounded_up(row.peak_mb * ROOM * MEGABYTE / MEBIBYTE, MEBIBYTES_STEP)
    cpu = rounded_up(row.piece_ms * row.a_second / BUSY, MILLICORES_STEP)

    assert row.rest_mb <= row.peak_mb
    assert (f"{memory}Mi", cpu) == (row.memory, millicores(row.cpu))


@pytest.mark.parametrize("folder", OVERLAYS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("role", [role.value for role in Role])
def test_pods_request_what_the_page_says(folder: Path, role: str) -> None:
    """In every overlay."""
    (scops,) = [
        one for one in containers(named(folder, "Deployment", role)) if one["name"] == "scops"
    ]
    row, requests = table()[role], scops["resources"]["requests"]

    assert (row.memory, millicores(row.cpu)) == (
        requests["memory"],
        millicores(str(requests["cpu"])),
    )
    assert "cpu" not in scops["resources"]["limits"]
