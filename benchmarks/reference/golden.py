"""Writes the golden vectors of the embedder's tests with sentence-transformers, fp32.

Run it in the reference environment after `setup_torch.sh`, from the root of the checkout:

    ~/.cache/scops/venv-torch/bin/python benchmarks/reference/golden.py MODEL_DIR

`golden.json` holds each text with its vector as base64 of little-endian float32.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

FOLDER = Path("tests/unit/libraries/embedder")
MAX_TOKENS = 512


def main() -> None:
    paragraphs = (FOLDER / "golden_texts.txt").read_text().strip().split("\n\n")
    # Texts of 250 to 500 tokens, so that positions beyond the model card's 256 are tested.
    joined = ["\n\n".join(paragraphs[start : start + 4]) for start in (5, 8, 11, 13)]
    texts = [*paragraphs, *joined, "\n\n".join(paragraphs[-2:]), ""]
    model = SentenceTransformer(sys.argv[1], device="cpu")
    model.max_seq_length = MAX_TOKENS
    vectors = np.asarray(model.encode(texts), dtype="<f4")
    rows = [
        {"text": text, "vector": base64.b64encode(vector.tobytes()).decode()}
        for text, vector in zip(texts, vectors, strict=True)
    ]
    (FOLDER / "golden.json").write_text(json.dumps(rows, indent=0, ensure_ascii=False) + "\n")
    lengths = [len(ids) for ids in model.tokenizer(texts)["input_ids"]]
    print(f"{len(texts)} texts of {sorted(lengths)} tokens")


if __name__ == "__main__":
    main()
