"""What a model costs where none is configured."""

import subprocess
import sys

CODE = "import sys, scops.explainer.service; print('openai' in sys.modules)"


def test_without_a_model_its_package_is_not_imported() -> None:
    """The extra may be missing, and costs no memory where it is there."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=True
    )

    assert "False" == done.stdout.strip()
