"""A cross-encoder in the files of a real one: each word of a passage has a weight."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WEIGHTS = {"[PAD]": 9.0, "[CLS]": 0.0, "[SEP]": 0.0, "[UNK]": 0.0, "fee": 2.0, "owls": -1.0}
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def written(folder: Path, *, labels: int = 1, graph: str = "model.onnx") -> Path:
    """Writes graph and tokenizer; of two labels the first is 0 for every passage."""
    (folder / graph).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(_model(labels), str(folder / graph))
    _tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer() -> Tokenizer:
    numbers = {word: number for number, word in enumerate(WEIGHTS)}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])],
    )
    return tokenizer


def _model(labels: int) -> onnx.ModelProto:
    """Returns the sum of the weights of what is a passage's and no padding."""
    table = np.zeros((len(WEIGHTS), labels), dtype=np.float32)
    table[:, -1] = list(WEIGHTS.values())
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["weights"]),
        helper.make_node("Mul", ["attention_mask", "token_type_ids"], ["counts"]),
        helper.make_node("Cast", ["counts"], ["shares"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["shares", "last"], ["columns"]),
        helper.make_node("Mul", ["weights", "columns"], ["terms"]),
        helper.make_node("ReduceSum", ["terms", "tokens"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "words",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in INPUTS],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", labels])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([-1], dtype=np.int64), "last"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens"),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
