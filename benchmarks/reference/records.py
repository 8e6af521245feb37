"""Writes what was fitted into the record of an embedder."""

import json
from collections.abc import Mapping

from scops.libraries.embedder.calibration import PATH


def write_record(model: str, fitted: Mapping[str, object]) -> None:
    """Puts constants into the record of a model; the others stay as they are."""
    records = json.loads(PATH.read_text())
    records[model] |= fitted
    PATH.write_text(json.dumps(records, indent=1) + "\n")
