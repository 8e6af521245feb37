"""The reference pages say what the code says."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["settings.md", "events.md", "metrics.md", "errors.md"])
def test_the_committed_page_is_what_make_docs_writes(name: str) -> None:
    """A changed setting, event, metric or error is documented in the same change."""
    expected = reference().pages()[name]

    assert expected == (ROOT / "docs" / "reference" / name).read_text(), "run `make docs`"


def test_every_service_has_its_readme() -> None:
    """Contract, state, knobs and central modules stand beside the code."""
    folders = [path for path in (ROOT / "services").iterdir() if path.is_dir()]
    missing = [
        str(path) for path in (*folders, ROOT / "gateway") if not (path / "README.md").exists()
    ]

    assert missing == []
