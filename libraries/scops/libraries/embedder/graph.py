"""Builds the ONNX graphs of the models, pooling and normalisation included, from their weights.

All are BERT encoders of the same width, of as many layers as they have weights for. A graph takes
`input_ids`, shape (n, length), int32: texts of one and the same length, therefore without padding
and without a mask. Its output `embedding` has shape (n, 384), rows of unit length; `states` has
shape (n, length, 384), what the last layer makes of each token, of which `embedding` is the mean.
Token types are all zero and folded into the position table.

What makes it quick on a CPU, and is exact:
- no padding: every token that is computed is one of the text;
- query, key and value are one product; MultiHeadAttention, without a mask, takes its tiled path;
- a layer normalisation is written as "centre, then RMS-normalise": onnxruntime's kernels for
  LayerNormalization and SkipLayerNormalization sum in scalar code and take 4 times as long;
- its shift is folded into the biases that follow it, so it costs nothing.

In int8 the weights of the products are rounded per output column, symmetrically; activations are
quantised at run time over the whole input of a product. With one text a run, a vector therefore
depends on its own text only. A few channels carry values many times as large as the others' and
would cost these their resolution; `outliers.json` names them. They are divided by a power of two
before quantising and the weight's rows multiplied by it, which halves the loss of cosine and more.
Tables, attention and normalisations stay in float32.

A table of words that is published in blocks of four bits (`block_weights`) stays as it is: the
rows that a text needs are read out of it, and 250,000 words take 60 MB instead of 384. It lies in
a file of its own, which ONNX Runtime maps: words that no text has take no memory, and those that
texts have take it once for all processes.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from scops.libraries.embedder.block_weights import BLOCK, BlockTable
from scops.libraries.embedder.port import DIMENSIONS, FloatArray

GraphPrecision = Literal["int8", "fp32"]
Tensors = Mapping[str, FloatArray | BlockTable]

GRAPH_REVISION = 5
"""Raised with every change to this module that changes the file; part of the file's name."""

WORDS_FILE = f"words-{GRAPH_REVISION}.bin"
"""What `words_data` makes; graphs of all precisions name it."""

HEADS = 12
EPSILON = 1e-12

OUTLIERS_PATH = Path(__file__).with_name("outliers.json")
"""Model → product → channel of its input → exponent of two, by `benchmarks.reference.outliers`."""

_MICROSOFT = "com.microsoft"
_OPSET = 20
# Tensors of four bits came with this one.
_OPSET_BLOCKS = 21
_IR_VERSION = 10


def build_graph(tensors: Tensors, precision: GraphPrecision, *, name: str) -> onnx.ModelProto:
    """Returns the graph of the model whose BERT weights are `tensors`.

    Args:
        name: of the model, as the file tells it.

    Raises:
        KeyError: a weight is missing.
    """
    builder = _Builder(precision, name)
    read = _Tensors(tensors)
    hidden = _embeddings(builder, read)
    for layer in range(read.layers):
        hidden = _layer(builder, read, layer, hidden)
    _pooling(builder, hidden)
    return builder.model()


def words_data(tensors: Tensors) -> bytes:
    """Returns what stands in `WORDS_FILE` beside the graph of a model with words in blocks."""
    words = _Tensors(tensors).words
    assert isinstance(words, BlockTable)
    return words.packed().tobytes() + words.scales.astype("<f4").tobytes()


def quantise_columns(
    weight: FloatArray,
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int8]], FloatArray]:
    """Rounds a weight to int8, symmetrically for each column.

    Args:
        weight: shape (inputs, outputs).

    Returns:
        The rounded weight in [-127, 127] and the scale of every column, shape (outputs,).
    """
    scale = np.maximum(np.abs(weight).max(axis=0) / 127, np.finfo(np.float32).tiny)
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


class _Tensors:
    """The weights of a model by their names."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors

    @property
    def layers(self) -> int:
        """How many layers the encoder has."""
        return sum(name.endswith("attention.self.query.bias") for name in self._tensors)

    def floats(self, name: str) -> FloatArray:
        """Returns a tensor that is all floats."""
        found = self._tensors[name]
        assert not isinstance(found, BlockTable), name
        return found

    def weight(self, names: Sequence[str]) -> FloatArray:
        """Returns the weight of a product, shape (inputs, outputs); several side by side."""
        return np.concatenate([self.floats(f"{name}.weight").T for name in names], axis=1)

    def bias(self, names: Sequence[str]) -> FloatArray:
        """Returns the bias of a product; several one after another."""
        return np.concatenate([self.floats(f"{name}.bias") for name in names])

    @property
    def words(self) -> FloatArray | BlockTable:
        """The table of words."""
        return self._tensors["embeddings.word_embeddings.weight"]


class _Hidden:
    """A normalised state whose shift has not been added yet: the state is `name` + `shift`."""

    def __init__(self, name: str, shift: FloatArray) -> None:
        self.name = name
        self.shift = shift


class _Builder:
    def __init__(self, precision: GraphPrecision, model: str) -> None:
        self._precision = precision
        self._model = model
        self._opset = _OPSET
        self._outliers: dict[str, dict[str, int]] = (
            json.loads(OUTLIERS_PATH.read_text()).get(model, {}) if precision == "int8" else {}
        )
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._last_axis = self.constant("last_axis", np.array([-1], dtype=np.int64))

    def constant(
        self, name: str, value: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]"
    ) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, op: str, inputs: list[str], outputs: str | list[str], **attributes: Any) -> str:
        """Adds an operator and returns the name of its first output."""
        names = [outputs] if isinstance(outputs, str) else outputs
        self._nodes.append(
            helper.make_node(op, inputs, names, name=f"{names[0]}.{op}", **attributes)
        )
        return names[0]

    def linear(self, name: str, x: str, weight: FloatArray, bias: FloatArray) -> str:
        """Adds x @ weight + bias; `weight` has shape (inputs, outputs)."""
        bias_name = self.constant(f"{name}.bias", bias)
        if self._precision == "fp32":
            product = self.node(
                "MatMul", [x, self.constant(f"{name}.weight", weight)], f"{name}.product"
            )
            return self.node("Add", [product, bias_name], name)
        shrunk, grown = self._shrink_outliers(name, x, weight)
        rounded, scale = quantise_columns(grown)
        inputs = [
            shrunk,
            self.constant(f"{name}.weight", rounded),
            self.constant(f"{name}.scale", scale),
            "",  # The zero points are all zero.
            bias_name,
        ]
        return self.node("DynamicQuantizeMatMul", inputs, name, domain=_MICROSOFT)

    def block_rows(self, table: BlockTable) -> str:
        """Adds the rows of the table at `input_ids`."""
        self._opset = _OPSET_BLOCKS
        half = table.codes.size // 2
        codes = self._outside("words", TensorProto.INT4, table.codes.shape, (0, half))
        scales = self._outside(
            "words.scale", TensorProto.FLOAT, table.scales.shape, (half, table.scales.size * 4)
        )
        return self.node(
            "GatherBlockQuantized",
            [codes, "input_ids", scales],
            "rows",
            domain=_MICROSOFT,
            gather_axis=0,
            quantize_axis=1,
            block_size=BLOCK,
        )

    def _outside(self, name: str, kind: int, shape: Sequence[int], place: tuple[int, int]) -> str:
        """Adds what stands in `WORDS_FILE`; `place` is its first byte there and its length."""
        tensor = TensorProto(
            name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL
        )
        entries = {"location": WORDS_FILE, "offset": str(place[0]), "length": str(place[1])}
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)
        self._constants.append(tensor)
        return name

    def _shrink_outliers(self, name: str, x: str, weight: FloatArray) -> tuple[str, FloatArray]:
        channels = self._outliers.get(name)
        if not channels:
            return x, weight
        factors = np.ones(len(weight), dtype=np.float32)
        for channel, exponent in channels.items():
            factors[int(channel)] = 2.0**exponent
        divisors = self.constant(f"{name}.outliers", 1 / factors)
        return self.node("Mul", [x, divisors], f"{name}.shrunk"), weight * factors[:, np.newaxis]

    def normalise(self, name: str, x: str, scale: FloatArray) -> str:
        """Adds a layer normalisation without its shift."""
        mean = self.node("ReduceMean", [x, self._last_axis], f"{name}.mean")
        centred = self.node("Sub", [x, mean], f"{name}.centred")
        inputs = [centred, self.constant(f"{name}.scale", scale)]
        return self.node("SimplifiedLayerNormalization", inputs, name, epsilon=EPSILON)

    def model(self) -> onnx.ModelProto:
        """Returns what was added as a model."""
        graph = helper.make_graph(
            self._nodes,
            self._model,
            [helper.make_tensor_value_info("input_ids", TensorProto.INT32, ["n", "length"])],
            [
                helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", DIMENSIONS]),
                helper.make_tensor_value_info(
                    "states", TensorProto.FLOAT, ["n", "length", DIMENSIONS]
                ),
            ],
            self._constants,
        )
        opsets = [helper.make_opsetid("", self._opset), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


def _embeddings(builder: _Builder, tensors: _Tensors) -> _Hidden:
    token_type = tensors.floats("embeddings.token_type_embeddings.weight")[0]
    table = tensors.floats("embeddings.position_embeddings.weight") + token_type
    shift = tensors.floats("embeddings.LayerNorm.bias")
    scale = tensors.floats("embeddings.LayerNorm.weight")
    if isinstance(tensors.words, BlockTable):
        rows = _positioned(builder, builder.block_rows(tensors.words), table)
        return _Hidden(builder.normalise("embeddings", rows, scale), shift)
    inputs = [
        "input_ids",
        "",
        builder.constant("words", tensors.words),
        builder.constant("positions", table),
        "",
        builder.constant("embeddings.scale", scale),
        builder.constant("embeddings.shift", np.zeros_like(shift)),
    ]
    name = builder.node(
        "EmbedLayerNormalization",
        inputs,
        ["embeddings", "embeddings.mask_index"],
        domain=_MICROSOFT,
        epsilon=EPSILON,
    )
    return _Hidden(name, shift)


def _positioned(builder: _Builder, rows: str, table: FloatArray) -> str:
    """Adds the first rows of the position table to those of the words."""
    length = builder.node("Shape", ["input_ids"], "length", start=1)
    start = builder.constant("first", np.array([0], dtype=np.int64))
    parts = [builder.constant("positions", table), start, length, start]
    return builder.node("Add", [rows, builder.node("Slice", parts, "places")], "placed")


def _layer(builder: _Builder, tensors: _Tensors, layer: int, hidden: _Hidden) -> _Hidden:
    def path(name: str) -> str:
        return f"encoder.layer.{layer}.{name}"

    def tensor(name: str) -> FloatArray:
        return tensors.floats(path(name))

    def linear(name: str, x: _Hidden, dense: Sequence[str], before: FloatArray) -> str:
        names = [path(one) for one in dense]
        weight, bias = tensors.weight(names), tensors.bias(names) + before
        return builder.linear(f"{layer}.{name}", x.name, weight, bias + x.shift @ weight)

    def add_and_normalise(name: str, x: _Hidden, dense: str, norm: str, before: _Hidden) -> _Hidden:
        # The shift of the state before reaches the sum through the bias of the product.
        change = linear(f"{name}.dense", x, [dense], before.shift)
        total = builder.node("Add", [change, before.name], f"{layer}.{name}.sum")
        scaled = builder.normalise(f"{layer}.{name}", total, tensor(f"{norm}.weight"))
        return _Hidden(scaled, tensor(f"{norm}.bias"))

    none = np.zeros(1, dtype=np.float32)
    projections = ("query", "key", "value")
    projected = linear("projections", hidden, [f"attention.self.{p}" for p in projections], none)
    parts = [f"{layer}.{p}" for p in projections]
    builder.node("Split", [projected], parts, axis=-1, num_outputs=len(parts))
    context = builder.node(
        "MultiHeadAttention", parts, f"{layer}.context", domain=_MICROSOFT, num_heads=HEADS
    )
    unshifted = _Hidden(context, np.zeros(DIMENSIONS, dtype=np.float32))
    attended = add_and_normalise(
        "attention", unshifted, "attention.output.dense", "attention.output.LayerNorm", hidden
    )
    inner = linear("inner", attended, ["intermediate.dense"], none)
    active = builder.node("Gelu", [inner], f"{layer}.active", domain=_MICROSOFT)
    width = len(tensor("intermediate.dense.bias"))
    unshifted = _Hidden(active, np.zeros(width, dtype=np.float32))
    return add_and_normalise("output", unshifted, "output.dense", "output.LayerNorm", attended)


def _pooling(builder: _Builder, hidden: _Hidden) -> None:
    axis = builder.constant("token_axis", np.array([1], dtype=np.int64))
    mean = builder.node("ReduceMean", [hidden.name, axis], "mean", keepdims=0)
    shift = builder.constant("shift", hidden.shift)
    shifted = builder.node("Add", [mean, shift], "shifted_mean")
    builder.node("LpNormalization", [shifted], "embedding", axis=-1, p=2)
    builder.node("Add", [hidden.name, shift], "states")
