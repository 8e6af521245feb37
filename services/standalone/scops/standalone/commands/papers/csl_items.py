"""Names of papers in CSL-JSON, as Zotero and other reference managers write it.

Source: https://docs.citationstyles.org/en/stable/specification.html; what has no field of its own,
such as an arXiv id, stands in `number`, or in lines of `note` (Zotero's field Extra).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from scops.standalone.commands.papers.bibliography import Bibliography

# What CSL calls the fields that name a paper, the surest first.
_FIELDS = {"DOI": "doi", "PMID": "pmid", "PMCID": "pmcid", "URL": "url"}
_NOTED = {"doi": "doi", "arxiv": "eprint", "pmid": "pmid", "pmcid": "pmcid"}
_ARXIV = "arxiv:"
NOTE_LINES_MAX = 50


def csl_items(said: Any) -> Sequence[Any]:
    """Returns the items of CSL-JSON: a list, an object that has one, or one item.

    Raises:
        ValueError: it is neither.
    """
    items = said.get("items", [said]) if isinstance(said, dict) else said
    if not isinstance(items, list):
        raise ValueError("it has no list of items")
    return items


def name_items(items: Sequence[Any], found: Bibliography) -> None:
    """Adds what items name."""
    for place, item in enumerate(items, start=1):
        fields = dict(_fields(item)) if isinstance(item, dict) else {}
        key = item.get("id") if isinstance(item, dict) else None
        found.add(str(key or f"item {place}"), fields)


def _fields(item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in _noted(item.get("note")):
        yield name, value
    for theirs, ours in _FIELDS.items():
        if value := _words(item.get(theirs)):
            yield ours, value
    number = _words(item.get("number"))
    # The number of a report may look like an arXiv id.
    if number.lower().startswith(_ARXIV):
        yield "eprint", number
    yield "title", _words(item.get("title"))


def _noted(note: Any) -> Iterator[tuple[str, str]]:
    for line in _lines(note):
        label, colon, value = line.partition(":")
        name = _NOTED.get(label.strip().lower())
        if colon and name and value.strip():
            # arXiv's ids stand before their subject: 2401.00001 [cs].
            yield name, value.split()[0]


def _lines(note: Any) -> list[str]:
    return note.splitlines()[:NOTE_LINES_MAX] if isinstance(note, str) else []


def _words(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""
