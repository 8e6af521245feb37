"""Names of papers in a file of references: BibTeX, CSL-JSON or RIS, whichever it is."""

import json
from pathlib import Path
from typing import Any

from scops.common.contract.errors import InvalidInput
from scops.standalone.commands.papers.bibliography import Bibliography, read_bibtex
from scops.standalone.commands.papers.csl_items import csl_items, name_items
from scops.standalone.commands.papers.ris import is_ris, read_ris

BYTES_MAX = 20_000_000


def read_references(file: Path) -> Bibliography:
    """Reads a file; an entry that is damaged is named, and the others are read.

    Raises:
        InvalidInput: the file cannot be read, is too long, or says that it is JSON and is none.
    """
    text = _text(file)
    if text.lstrip()[:1] in ("[", "{"):
        return _read_json(file, text)
    return read_ris(text) if is_ris(text) else read_bibtex(text)


def _read_json(file: Path, text: str) -> Bibliography:
    found = Bibliography()
    try:
        said: Any = json.loads(text)
        name_items(csl_items(said), found)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} is no CSL-JSON: {error}") from error
    return found


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > BYTES_MAX:
            raise InvalidInput(f"{file} has more than {BYTES_MAX} bytes. Divide it.")
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror or error}") from error
