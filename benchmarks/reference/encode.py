"""Times `SentenceTransformer.encode` on demand; a child process of `benchmarks.embed`.

    encode.py MODEL_DIR TEXTS.json VECTORS.npy THREADS

Loads everything, writes the vectors of all texts and prints `"ready"`. Then, for every line that it
reads, a list of the places of texts in JSON, it encodes these and prints the seconds that took.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

MAX_TOKENS = 512


def main() -> None:
    model_dir, texts_path, vectors_path, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    model = SentenceTransformer(model_dir, device="cpu")
    model.max_seq_length = MAX_TOKENS
    texts = json.loads(Path(texts_path).read_text())
    np.save(vectors_path, model.encode(texts, show_progress_bar=False))
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        chosen = [texts[index] for index in json.loads(line)]
        started = time.perf_counter()
        model.encode(chosen, show_progress_bar=False)
        print(time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    main()
