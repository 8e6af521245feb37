"""Times `SentenceTransformer.encode` on demand; a child process of `benchmarks.embed`.

    encode.py MODEL_DIR TEXTS.json VECTORS.npy THREADS torch|onnx-int8

`onnx-int8` is the library's own faster way: its ONNX backend, with weights that it quantises itself
(`export_dynamic_quantized_onnx_model`, for AVX-512 VNNI). Loads everything, writes the vectors of
all texts and prints `"ready"`. Then, for every line that it reads, a list of the places of texts in
JSON, it encodes these and prints the seconds that took.

Source: sentence-transformers, "Speeding up Inference", ONNX and Quantizing ONNX Models.
"""

import json
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from sentence_transformers import SentenceTransformer, export_dynamic_quantized_onnx_model

MAX_TOKENS = 512
QUANTISED_FOR = "avx512_vnni"


def main() -> None:
    model_dir, texts_path, vectors_path, threads, backend = sys.argv[1:]
    torch.set_num_threads(int(threads))
    model = (
        _quantised(Path(model_dir), Path(texts_path).parent / "onnx", int(threads))
        if backend == "onnx-int8"
        else SentenceTransformer(model_dir, device="cpu")
    )
    model.max_seq_length = MAX_TOKENS
    texts = json.loads(Path(texts_path).read_text())
    np.save(vectors_path, model.encode(texts, show_progress_bar=False))
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        chosen = [texts[index] for index in json.loads(line)]
        started = time.perf_counter()
        model.encode(chosen, show_progress_bar=False)
        print(time.perf_counter() - started, flush=True)


def _quantised(model_dir: Path, folder: Path, threads: int) -> SentenceTransformer:
    """Returns the model as the library exports and quantises it, in a copy of its folder."""
    left_out = shutil.ignore_patterns("*.onnx", "*.sha256", ".lock")
    shutil.copytree(model_dir, folder, ignore=left_out)
    exported = SentenceTransformer(str(folder), device="cpu", backend="onnx")
    exported.save_pretrained(str(folder))
    export_dynamic_quantized_onnx_model(exported, QUANTISED_FOR, str(folder))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return SentenceTransformer(
        str(folder),
        device="cpu",
        backend="onnx",
        model_kwargs={
            "file_name": f"onnx/model_qint8_{QUANTISED_FOR}.onnx",
            "session_options": options,
        },
    )


if __name__ == "__main__":
    main()
