"""multilingual-e5-small against the engine that its weights were published for."""

import base64
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scops.common.contract.errors import PermanentError
from scops.libraries.embedder.e5_file import read_tensors, read_vocabulary
from scops.libraries.embedder.models import E5
from scops.libraries.embedder.onnx_embedder import OnnxEmbedder
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.tokens import POSITIONS, ModelTokens
from scops.libraries.embedder.weights import ensure_graph, ensure_tokenizer

GOLDEN = json.loads(Path(__file__).with_name("golden_e5.json").read_text())
TEXTS: list[str] = [row["text"] for row in GOLDEN]
COSINE_MIN = 0.99
MEMORY_MB_MAX = 60
LOADED = """
import sys
from pathlib import Path
import onnxruntime

def own():
    rows = map(str.split, Path("/proc/self/smaps_rollup").read_text().splitlines())
    return next(int(row[1]) for row in rows if row[0] == "Anonymous:") * 1024 / 1e6

before = own()
kept = onnxruntime.InferenceSession(sys.argv[1])
print(own() - before)
"""


def _golden(side: str) -> FloatArray:
    rows = [np.frombuffer(base64.b64decode(row[side]), "<f4") for row in GOLDEN]
    return np.stack(rows).astype(np.float32)


@pytest.mark.parametrize("side", ["passage", "query"])
async def test_vectors_are_those_of_the_published_engine(e5: OnnxEmbedder, side: str) -> None:
    """In ten languages, as passages and as queries, each with its prefix."""
    vectors = await e5.embed(TEXTS, as_queries=side == "query")

    assert (vectors * _golden(side)).sum(axis=1).min() >= COSINE_MIN


async def test_query_and_passage_are_told_apart(e5: OnnxEmbedder) -> None:
    """The same text asks or answers; only what is embedded as it should be is near its golden."""
    as_passages = await e5.embed(TEXTS)
    as_queries = await e5.embed(TEXTS, as_queries=True)
    golden = _golden("query")

    right, wrong = ((rows * golden).sum(axis=1) for rows in (as_queries, as_passages))
    assert (right > wrong).all()


async def test_question_finds_its_answer_in_another_language(e5: OnnxEmbedder) -> None:
    """One space for all languages."""
    (asked,) = await e5.embed(["How much does a replacement of a lost card cost?"], as_queries=True)
    near, far = await e5.embed(
        ["Ein Ersatz für einen verlorenen Ausweis kostet 30 Euro.", "Der Turm ist 40 Meter hoch."]
    )

    assert near @ asked > far @ asked


def test_prefix_leaves_room_in_every_window() -> None:
    """A window of the longest text is no longer than the model's positions."""
    tokens = ModelTokens(ensure_tokenizer(model=E5), E5)
    windows = tokens.windows(["eule " * 2000], as_queries=True)

    assert POSITIONS >= max(map(len, windows)) > POSITIONS - 10
    assert tokens.max_tokens < POSITIONS
    assert len({tuple(window.tokens[:4]) for window in windows}) == 1


def test_words_take_no_memory_of_a_process_s_own() -> None:
    """The table, 60 MB, is mapped: processes share what texts need of it."""
    command = [sys.executable, "-c", LOADED, str(ensure_graph("int8", model=E5))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    assert float(done.stdout) < MEMORY_MB_MAX


def test_child_process_counts_as_its_owner_does() -> None:
    """The tokenizer is read again by path, not sent."""
    tokens = ModelTokens(ensure_tokenizer(model=E5), E5)
    sent = pickle.dumps(tokens)

    assert len(sent) < 10_000
    assert [tokens.count(text) for text in TEXTS] == [
        pickle.loads(sent).count(text) for text in TEXTS
    ]


def test_other_file_is_refused(tmp_path: Path) -> None:
    """What is no file of weights is never read as one."""
    path = tmp_path / "e5.bin"
    path.write_bytes(b"GGUF" + bytes(100))

    for read in (read_tensors, read_vocabulary):
        with pytest.raises(PermanentError, match="not the file of weights"):
            read(path)
