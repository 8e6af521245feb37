"""Settings that benchmarks turn: each of them exists."""

import re
from pathlib import Path

from scops.common.config.environment import check_environment
from scops.standalone.process.parts import PARTS
from scops.standalone.process.roles import settings_classes

NAME = re.compile(r'"(SCOPS_[A-Z_]+)"')


def test_every_setting_that_a_benchmark_names_exists() -> None:
    """A benchmark finds out at once that a setting is gone, not after an hour."""
    files = Path("benchmarks").rglob("*.py")
    names = {name: "" for file in files for name in NAME.findall(file.read_text())}

    assert "SCOPS_DATA_DIR" in names
    check_environment(names, settings_classes(PARTS))
