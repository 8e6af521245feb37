"""Writes the table of outlier channels that the int8 graph shrinks before quantising.

Run it from the root of the checkout in the project's own environment:

    python -m benchmarks.reference.outliers

It runs the fp32 graph over the golden texts of the embedder's tests and notes, for the input of
every quantised product, the channels whose largest value exceeds three times the median channel's,
with the power of two that brings them back. Source: SmoothQuant (arXiv 2211.10438), restricted to
outliers; channels are never enlarged, since what a few texts did not excite another may.
"""

import json
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from scops.libraries.embedder.graph import MAX_TOKENS, OUTLIERS_PATH, build_graph
from scops.libraries.embedder.tokens import WordPiece
from scops.libraries.embedder.weights import ensure_model

TEXTS = Path("tests/unit/libraries/embedder/golden.json")
TOLERANCE = 3.0
"""Largest value of a channel that is no outlier, in medians over the channels."""


def main() -> None:
    folder = ensure_model()
    model = build_graph(load_file(folder / "model.safetensors"), "fp32")
    inputs = {
        node.output[0].removesuffix(".product"): node.input[0]
        for node in model.graph.node
        if node.op_type == "MatMul" and not node.output[0].endswith("attention.dense.product")
    }
    for name in set(inputs.values()):
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    windows = WordPiece(folder / "tokenizer.json", max_tokens=MAX_TOKENS).windows(
        [row["text"] for row in json.loads(TEXTS.read_text())]
    )
    table: dict[str, dict[int, int]] = {}
    for product, name in inputs.items():
        runs = [session.run([name], {"input_ids": w.tokens[np.newaxis]})[0][0] for w in windows]
        largest = np.abs(np.concatenate(runs)).max(axis=0)
        exponents = np.rint(np.log2(largest / (TOLERANCE * np.median(largest)))).astype(int)
        table[product] = {int(i): int(exponents[i]) for i in np.flatnonzero(exponents > 0)}
    OUTLIERS_PATH.write_text(json.dumps(table, indent=1) + "\n")
    print(f"{sum(map(len, table.values()))} outlier channels written to {OUTLIERS_PATH}")


if __name__ == "__main__":
    main()
