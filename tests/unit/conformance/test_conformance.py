"""Public suites on copies of their cases; `data/*/SOURCE.txt` says where they come from.

`python -m benchmarks.conformance --data DIR` runs the same on any folder of that shape.
"""

from pathlib import Path

import pytest

from benchmarks.conformance.__main__ import SETS, measure, summary
from tests.unit.conformance.deviations import DEVIATIONS

DATA = Path(__file__).parent / "data"
TOTALS = {
    "robotstxt": 147,
    "urltestdata": 891,
    "http_cache_conditional": 26,
    "html5lib_encoding": 83,
}


@pytest.mark.parametrize("name", SETS)
def test_suite_passes_but_for_what_is_explained(name: str) -> None:
    """Every deviation is known, and every known one is still one."""
    place, run = SETS[name]
    found = summary(run(DATA / place))

    assert TOTALS[name] == found["total"]
    assert sorted(DEVIATIONS[name]) == sorted(found["deviations"])
    assert TOTALS[name] - len(DEVIATIONS[name]) == found["passed"]


def test_absent_suite_is_null(tmp_path: Path) -> None:
    """What is not in the folder cannot be said."""
    assert dict.fromkeys(SETS) == measure(tmp_path)
