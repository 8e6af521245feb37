"""Names of papers in a BibTeX file."""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scops.common.contract.errors import InvalidInput
from scops.libraries.papers.names import (
    ARXIV,
    DOI,
    PMID,
    TITLE,
    PaperName,
    arxiv_id,
    normal_doi,
)

BYTES_MAX = 20_000_000
# The fields that name a paper, the surest first.
FIELDS = ("doi", "eprint", "arxivid", "pmid", "url", "title")
UNNAMED = "it has no doi, eprint, pmid or title"


@dataclass
class Bibliography:
    """What a file names.

    Attributes:
        names: in their order, each once.
        unread: entries that name no paper or cannot be read, with why.
    """

    names: list[PaperName] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


def read_bibliography(file: Path) -> Bibliography:
    """Reads a BibTeX file; an entry that is damaged is named, and the others are read.

    Raises:
        InvalidInput: the file cannot be read, or is too long.
    """
    from bibtexparser import middlewares
    from bibtexparser.entrypoint import parse_string

    # It tells of damaged blocks in the log, too.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    library = parse_string(_text(file), append_middleware=[middlewares.LatexDecodingMiddleware()])
    found = Bibliography()
    for entry in library.entries:
        name = _name({one.key.lower(): str(one.value) for one in entry.fields})
        if name is None:
            found.unread[entry.key] = UNNAMED
        elif name not in found.names:
            found.names.append(name)
    for block in library.failed_blocks:
        found.unread[f"line {(block.start_line or 0) + 1}"] = _fault(block)
    return found


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > BYTES_MAX:
            raise InvalidInput(f"{file} has more than {BYTES_MAX} bytes. Divide it.")
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror or error}") from error


def _name(fields: dict[str, str]) -> PaperName | None:
    for name in FIELDS:
        value = " ".join(fields.get(name, "").replace("{", "").replace("}", "").split())
        found = _named(name, value) if value else None
        if found is not None:
            return found
    return None


def _named(field_name: str, value: str) -> PaperName | None:
    if field_name == "title":
        return PaperName(TITLE, value)
    if field_name == "pmid":
        return PaperName(PMID, value) if value.isdigit() else None
    if arxiv := arxiv_id(value):
        return PaperName(ARXIV, arxiv)
    doi = normal_doi(value) if field_name in ("doi", "url") else ""
    return PaperName(DOI, doi) if doi else None


def _fault(block: Any) -> str:
    error = getattr(block, "error", None)
    return " ".join(str(error or "it cannot be read").split())[:200]
