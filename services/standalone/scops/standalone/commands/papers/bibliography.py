"""Names of papers in lists of references, and those of BibTeX."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scops.libraries.papers.names import (
    ARXIV,
    DOI,
    PMCID,
    PMID,
    TITLE,
    PaperName,
    arxiv_id,
    normal_doi,
)

# The fields that name a paper, the surest first.
FIELDS = ("doi", "eprint", "arxivid", "pmid", "pmcid", "url", "title")
# What is escaped in ids and URLs. As text of LaTeX a percent sign would begin a comment in them,
# and two hyphens would be a dash.
_ESCAPED = re.compile(r"\\([_%&#])")
UNNAMED = "it has no DOI, arXiv id, PubMed id or title"


@dataclass
class Bibliography:
    """What a list names.

    Attributes:
        names: in their order, each once.
        unread: entries that name no paper or cannot be read, with why.
    """

    names: list[PaperName] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    _seen: set[PaperName] = field(default_factory=set)

    def add(self, key: str, fields: Mapping[str, str]) -> None:
        """Adds what an entry names.

        Args:
            key: by which it is told where it names nothing.
            fields: as BibTeX calls them, in lower case.
        """
        name = _name(fields)
        if name is None:
            self.unread[key] = UNNAMED
        elif name not in self._seen:
            self._seen.add(name)
            self.names.append(name)


def read_bibtex(text: str) -> Bibliography:
    """Reads BibTeX; an entry that is damaged is named, and the others are read."""
    from bibtexparser import middlewares
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import Entry

    # It tells of damaged blocks in the log, too.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    library = parse_string(text)
    decoding = middlewares.LatexDecodingMiddleware()
    found = Bibliography()
    for entry in library.entries:
        titles = [one for one in entry.fields if one.key.lower() == TITLE]
        decoding.transform_entry(Entry(entry.entry_type, entry.key, titles), library)
        fields = {one.key.lower(): str(one.value) for one in entry.fields}
        found.add(entry.key, {name: _decoded(name, said) for name, said in fields.items()})
    for block in library.failed_blocks:
        found.unread[f"line {(block.start_line or 0) + 1}"] = _fault(block)
    return found


def _decoded(name: str, said: str) -> str:
    """Returns what a field says; titles come decoded."""
    return said if name == TITLE else _ESCAPED.sub(r"\1", said)


def _name(fields: Mapping[str, str]) -> PaperName | None:
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
    if field_name == "pmcid":
        digits = value.upper().removeprefix("PMC")
        return PaperName(PMCID, f"PMC{digits}") if digits.isdigit() else None
    if arxiv := arxiv_id(value):
        return PaperName(ARXIV, arxiv)
    doi = normal_doi(value) if field_name in ("doi", "url") else ""
    return PaperName(DOI, doi) if doi else None


def _fault(block: Any) -> str:
    error = getattr(block, "error", None)
    return " ".join(str(error or "it cannot be read").split())[:200]
