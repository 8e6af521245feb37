"""Files that documents name by their path are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = re.compile(
    r"(?<![\w/.-])((?:services|libraries|gateway|tests|proto|tools|benchmarks|examples|deploy|docs)"
    r"/[\w./-]*\w)"
)
PAGES = ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/style.md")


@pytest.mark.parametrize("name", PAGES)
def test_paths_that_a_document_names_are_there(name: str) -> None:
    """A path is written from the root of the repository."""
    paths = PATH.findall((ROOT / name).read_text())
    gone = [
        path for path in paths if not (ROOT / path).exists() and not (ROOT / "docs" / path).exists()
    ]

    assert [] == gone
