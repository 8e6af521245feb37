"""The tests that docs/reliability.md names for its scenarios are there."""

import re

import pytest

from tests.docs.test_pages import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text()
SCENARIOS = PAGE.partition("## Scenarios")[2].partition("\n## ")[0]
NAMED = re.findall(r"`(tests/[\w./]+\.py)::(\w+)`", SCENARIOS)


def test_every_scenario_has_a_row() -> None:
    """S0 to S20, each once."""
    assert [f"S{number}" for number in range(21)] == re.findall(r"^\| (S\d+) ", SCENARIOS, re.M)


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_test_that_a_scenario_names_is_there(path: str, name: str) -> None:
    """A test that is renamed or deleted is renamed here, or said to be missing."""
    assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.M)
