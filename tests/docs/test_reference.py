"""The reference pages say what the code says."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scops.common.contract.service_table import CONSUMER_ROLES

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("settings.md", "events.md", "metrics.md", "errors.md", "asyncapi.yaml")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Writes the pages in a process of its own: tests declare metrics and settings, too."""
    folder = tmp_path_factory.mktemp("reference")
    command = [sys.executable, str(ROOT / "tools" / "reference.py"), "--out", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT)
    return folder


@pytest.mark.parametrize("name", PAGES)
def test_the_committed_page_is_what_make_docs_writes(name: str, written: Path) -> None:
    """A changed setting, event, metric or error is documented in the same change."""
    expected = (written / name).read_text()

    assert expected == (ROOT / "docs" / "reference" / name).read_text(), "run `make docs`"


def test_the_asyncapi_document_has_a_channel_for_each_durable() -> None:
    """The routers consume what the service table says, no more and no less."""
    document = yaml.safe_load((ROOT / "docs" / "reference" / "asyncapi.yaml").read_text())

    assert set(CONSUMER_ROLES) == set(document["channels"])


def test_every_service_has_its_readme() -> None:
    """Contract, state, knobs and central modules stand beside the code."""
    folders = [path for path in (ROOT / "services").iterdir() if path.is_dir()]
    missing = [
        str(path)
        for path in (*folders, ROOT / "gateway", ROOT / "libraries")
        if not (path / "README.md").exists()
    ]

    assert missing == []
