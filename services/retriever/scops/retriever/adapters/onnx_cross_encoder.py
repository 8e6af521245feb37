"""A cross-encoder on ONNX Runtime, from a folder as model hubs publish it.

The folder holds `model.onnx`, at its top or under `onnx/`, and `tokenizer.json`; the published
ms-marco-MiniLM cross-encoders do. One output of one number a pair is taken for its log-odds of
relevance, of two numbers their difference.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from scops.common.contract.errors import PermanentError

GRAPHS = ("model.onnx", "onnx/model.onnx")
TOKENIZER = "tokenizer.json"
TOKENS_MAX = 512
FEATURES = {
    "input_ids": lambda encoding: encoding.ids,
    "attention_mask": lambda encoding: encoding.attention_mask,
    "token_type_ids": lambda encoding: encoding.type_ids,
}


class OnnxCrossEncoder:
    """Implements the reranker port; see there for the contract."""

    def __init__(self, session: onnxruntime.InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = [entry.name for entry in session.get_inputs()]
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="reranker")

    @classmethod
    def load(cls, folder: Path, *, threads: int) -> Self:
        """Loads graph and tokenizer.

        Raises:
            PermanentError: a file is missing or cannot be read, or the graph wants another input.
        """
        graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
        if graph is None or not (folder / TOKENIZER).is_file():
            raise _unreadable(folder, f"it has no {GRAPHS[0]} (or onnx/) and {TOKENIZER}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            session = onnxruntime.InferenceSession(
                str(graph), options, providers=["CPUExecutionProvider"]
            )
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        # Both libraries raise bare exceptions of their own for any file they cannot read.
        except Exception as error:
            raise _unreadable(folder, str(error)) from error
        unknown = [entry.name for entry in session.get_inputs() if entry.name not in FEATURES]
        if unknown:
            raise _unreadable(folder, f"its graph wants {', '.join(unknown)}")
        # The question stays whole; what does not fit is the end of the passage.
        tokenizer.enable_truncation(TOKENS_MAX, strategy="only_second")
        tokenizer.enable_padding()
        return cls(session, tokenizer)

    async def log_odds(self, question: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._run, question, passages)

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _run(self, question: str, passages: Sequence[str]) -> list[float]:
        asked = self._short(question)
        encodings = self._tokenizer.encode_batch([(asked, passage) for passage in passages])
        inputs: dict[str, Any] = {
            name: np.array([FEATURES[name](one) for one in encodings], dtype=np.int64)
            for name in self._inputs
        }
        logits = np.asarray(self._session.run(None, inputs)[0], dtype=np.float64)
        logits = logits.reshape(len(passages), -1)
        odds = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return [float(value) for value in odds]

    def _short(self, question: str) -> str:
        """Returns a question that leaves at least half of the tokens to the passage."""
        # Only a second sequence may be cut, so the question is read as one here.
        encoding = self._tokenizer.encode("", question)
        places = zip(encoding.offsets, encoding.sequence_ids, strict=True)
        ends = [offsets[1] for offsets, sequence in places if sequence == 1]
        return question if len(ends) <= TOKENS_MAX // 2 else question[: ends[TOKENS_MAX // 2 - 1]]


def _unreadable(folder: Path, why: str) -> PermanentError:
    return PermanentError(
        f"The reranker in {folder} cannot be loaded: {why}. Point "
        "SCOPS_RETRIEVER_RERANKER_FOLDER at a cross-encoder exported to ONNX, or unset it.",
        reason="RERANKER_UNREADABLE",
    )
