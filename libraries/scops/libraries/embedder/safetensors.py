"""Reads float32 tensors from a safetensors file with numpy alone.

Source: https://github.com/huggingface/safetensors, section "Format": eight bytes with the length
of the header (little endian), the header in JSON, then the tensors' bytes.
"""

import json
import struct
from pathlib import Path

import numpy as np

from scops.libraries.embedder.port import FloatArray

MAX_HEADER_BYTES = 100_000_000
"""The format's own bound."""


def read_float32_tensors(path: Path) -> dict[str, FloatArray]:
    """Returns the file's float32 tensors by name; tensors of other types are left out.

    Raises:
        ValueError: the file is not a safetensors file.
    """
    data = path.read_bytes()
    if len(data) < 8:
        raise ValueError(f"reading {path}: too short for a safetensors file; fetch it again")
    (header_length,) = struct.unpack("<Q", data[:8])
    if header_length > min(MAX_HEADER_BYTES, len(data) - 8):
        raise ValueError(f"reading {path}: its header does not fit the file; fetch it again")
    header = json.loads(data[8 : 8 + header_length])
    body = memoryview(data)[8 + header_length :]
    tensors: dict[str, FloatArray] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[start:end], dtype="<f4").reshape(entry["shape"])
    return tensors
