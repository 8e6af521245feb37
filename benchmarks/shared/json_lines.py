"""Reads text files, packed or not, and JSON Lines in them."""

import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}


def opened(path: Path) -> IO[str]:
    """Opens a text file; by its suffix, unpacks it."""
    file: IO[str] = OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8")
    return file


def json_lines(path: Path) -> Iterator[Any]:
    """Yields what each line of a file holds; empty lines hold nothing."""
    with opened(path) as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
