"""The reader of safetensors files."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from scops.libraries.embedder.safetensors import read_float32_tensors


def write(path: Path, header: dict[str, object], body: bytes) -> Path:
    """Writes a safetensors file."""
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + body)
    return path


def test_float32_tensors_are_read_and_others_left_out(tmp_path: Path) -> None:
    """Shapes come from the header, values from the bytes behind it."""
    values = np.arange(6, dtype="<f4")
    header: dict[str, object] = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "table": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }

    tensors = read_float32_tensors(write(tmp_path / "x", header, bytes(8) + values.tobytes()))

    assert list(tensors) == ["table"]
    assert values.reshape(2, 3).tolist() == tensors["table"].tolist()


@pytest.mark.parametrize("data", [b"", b"1234567", struct.pack("<Q", 99) + b"{}"])
def test_truncated_file_is_refused(tmp_path: Path, data: bytes) -> None:
    """A broken download is named as such."""
    path = tmp_path / "x"
    path.write_bytes(data)

    with pytest.raises(ValueError, match="fetch it again"):
        read_float32_tensors(path)
