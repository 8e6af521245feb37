"""The table of fitted constants: what it names is there, and every script is named."""

import importlib.util
import json
import re
from collections.abc import Iterator

import pytest

from scops.libraries.embedder.calibration import PATH
from tests.docs.test_pages import DOCS, ROOT

TEXT = (DOCS / "fitting.md").read_text()
MODULE = re.compile(r"`(benchmarks(?:\.\w+)+)")
NAME = re.compile(r"`(\w+)`")


def rows() -> Iterator[tuple[str, str, str]]:
    """Yields constants, file and script of each row."""
    for line in TEXT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            yield cells[0], cells[1].strip("`"), cells[2]


@pytest.mark.parametrize(("constants", "file", "script"), list(rows()))
def test_constants_stand_in_their_file_and_scripts_are_there(
    constants: str, file: str, script: str
) -> None:
    text = (ROOT / file).read_text()

    assert [] == [name for name in NAME.findall(constants) if not re.search(rf"\b{name}\b", text)]
    assert MODULE.findall(script)
    for module in MODULE.findall(script):
        assert importlib.util.find_spec(module) is not None


def test_every_script_that_fits_is_named() -> None:
    scripts = {path.stem for path in (ROOT / "benchmarks" / "reference").glob("fit_*.py")}
    # Half of `fit_ranking`.
    scripts.discard("fit_timed")

    assert scripts <= {module.rpartition(".")[2] for module in MODULE.findall(TEXT)}


def test_every_constant_of_an_embedder_is_named() -> None:
    """Whoever adds one to a record says which script gives it again."""
    named = {name for constants, _, _ in rows() for name in NAME.findall(constants)}
    kept = {key for record in json.loads(PATH.read_text()).values() for key in record}

    assert kept <= named
