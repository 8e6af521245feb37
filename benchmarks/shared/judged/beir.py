"""Reads a retrieval set in the BEIR layout: corpus, queries and judgements."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.shared.json_lines import json_lines, opened


@dataclass(frozen=True, slots=True)
class Document:
    """A passage of the corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A corpus with judged queries.

    Attributes:
        queries: text by id; those without a relevant document are left out.
        qrels: gain by document by query.
    """

    documents: list[Document]
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]


def read(folder: Path) -> JudgedSet:
    """Returns the set in a folder; files may be packed with gzip."""
    documents = [
        Document(str(row["_id"]), row.get("title") or "", row.get("text") or "")
        for row in _rows(folder, "corpus.jsonl")
    ]
    known = {document.id for document in documents}
    qrels: dict[str, dict[str, int]] = {}
    for query, document, gain in _judgements(folder):
        if gain > 0 and document in known:
            qrels.setdefault(query, {})[document] = gain
    queries = {
        str(row["_id"]): row["text"]
        for row in _rows(folder, "queries.jsonl")
        if str(row["_id"]) in qrels
    }
    return JudgedSet(documents, queries, {query: qrels[query] for query in queries})


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    yield from json_lines(_path(folder, name))


def _judgements(folder: Path) -> Iterator[tuple[str, str, int]]:
    with opened(_path(folder, "qrels.tsv", "qrels/test.tsv")) as lines:
        for row in csv.reader(lines, delimiter="\t"):
            if len(row) >= 3 and row[-1].lstrip("-").isdigit():
                yield row[0], row[-2], int(row[-1])


def _path(folder: Path, *names: str) -> Path:
    """Returns the first file that is there under one of the names, packed or not."""
    paths = [folder / f"{name}{packed}" for name in names for packed in ("", ".gz")]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        raise SystemExit(f"benchmarks: {folder} has none of {', '.join(names)} (nor with .gz)")
    return found
