"""Writes the table of outlier channels that the int8 graphs shrink before quantising.

Run it from the root of the checkout in the project's own environment:

    python -m benchmarks.reference.outliers

It runs the fp32 graph of each model over the golden texts of its tests and notes, for the input of
every quantised product, the channels whose largest value exceeds three times the median channel's,
with the power of two that brings them back. Source: SmoothQuant (arXiv 2211.10438), restricted to
outliers; channels are never enlarged, since what a few texts did not excite another may.
"""

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from scops.libraries.embedder.graph import OUTLIERS_PATH
from scops.libraries.embedder.models import E5, MINILM, EmbeddingModel
from scops.libraries.embedder.tokens import ModelTokens
from scops.libraries.embedder.weights import ensure_graph, ensure_tokenizer

FOLDER = Path("tests/unit/libraries/embedder")
TEXTS = ((MINILM, "golden.json"), (E5, "golden_e5.json"))
TOLERANCE = 3.0
"""Largest value of a channel that is no outlier, in medians over the channels."""


def main() -> None:
    tables = {
        model.folder: outliers(model, [row["text"] for row in json.loads(text)])
        for model, text in ((model, (FOLDER / name).read_text()) for model, name in TEXTS)
    }
    OUTLIERS_PATH.write_text(json.dumps(tables, indent=1) + "\n")
    for name, table in tables.items():
        print(f"{name}: {sum(map(len, table.values()))} outlier channels")


def outliers(model: EmbeddingModel, texts: list[str]) -> dict[str, dict[int, int]]:
    """Returns the exponents of a model's outlier channels by product and channel."""
    graph = onnx.load(ensure_graph("fp32", model=model))
    inputs = {
        node.output[0].removesuffix(".product"): node.input[0]
        for node in graph.graph.node
        if node.op_type == "MatMul" and not node.output[0].endswith("attention.dense.product")
    }
    for name in set(inputs.values()):
        graph.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    windows = ModelTokens(ensure_tokenizer(model=model), model).windows(texts)
    table: dict[str, dict[int, int]] = {}
    for product, name in inputs.items():
        runs = [session.run([name], {"input_ids": w.tokens[np.newaxis]})[0][0] for w in windows]
        largest = np.abs(np.concatenate(runs)).max(axis=0)
        exponents = np.rint(np.log2(largest / (TOLERANCE * np.median(largest)))).astype(int)
        table[product] = {int(i): int(exponents[i]) for i in np.flatnonzero(exponents > 0)}
    return table


if __name__ == "__main__":
    main()
