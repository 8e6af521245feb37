"""An index of another embedder: what to set to go on, what to run to move."""

import pytest

from scops.common.config.settings import EmbedderName
from scops.libraries.embedder.port import identity, setting_of
from scops.libraries.index.other_embedder import other_embedder


@pytest.mark.parametrize("name", ["onnx-int8", "onnx-fp32", "torch-bf16", "e5-int8", "e5-fp32"])
def test_the_setting_of_an_embedder_is_known_by_its_id(name: EmbedderName) -> None:
    """An index tells which setting it was made with."""
    assert name == setting_of(identity(name).embedder_id)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (
            "minilm-l6-v2/int8/title-section",
            ". Set SCOPS_EMBEDDER=onnx-int8 to go on with it, or run ",
        ),
        ("nobody/int8/title-section", ". Set SCOPS_EMBEDDER back, or run "),
    ],
)
def test_who_meets_another_embedder_is_told_how_to_go_on(stored: str, expected: str) -> None:
    """Both ways are told: to keep the index, and to move it."""
    error = other_embedder(
        "chunks.db", stored=stored, stored_dimensions=384, configured="e5", dimensions=384
    )

    assert "EMBEDDER_MISMATCH" == error.reason
    assert expected in error.message
    assert "`scops rebuild`" in error.message
