"""Every set here that is judged, in one form: passages, queries, what is relevant to each."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.derived_sets import derived_sets
from benchmarks.languages.folders import PARAGRAPHS, QUESTIONS, folder_names, needed_file
from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.judged.beir import Document, JudgedSet, read

SEED = 0
ENGLISH = "en"
# Sets that hold the same pages: in other languages, or with less of them.
FAMILIES = {"timeqa_bare": "timeqa"}
TRANSLATED = "xquad-"


@dataclass(frozen=True, slots=True)
class Collection:
    """A judged set.

    Attributes:
        language: of its passages and queries, as in `en`.
        family: the same for sets that hold the same pages; one is not held out without the others.
        units: by query, what must be drawn together: the page that it was asked of.
        scoped: it is judged inside synthetic scopes, too.
    """

    name: str
    language: str
    family: str
    judged: JudgedSet
    units: Mapping[str, str]
    scoped: bool


def collections_of(data: Path, *, queries: int) -> Iterator[Collection]:
    """Yields the sets under a folder: `retrieval/*`, those derived from others, and `qa/*`.

    Args:
        queries: at most, of a set, drawn by chance.
    """
    found = {path.name: read(path) for path in sorted((data / "retrieval").iterdir())}
    for name, judged in (found | derived_sets(data)).items():
        kept = drawn(judged, queries)
        family = FAMILIES.get(name, name)
        units = {one: one for one in kept.queries}
        yield Collection(name, ENGLISH, family, kept, units, scoped=True)
    for name in folder_names(data / "qa"):
        yield of_questions(data / "qa" / name, queries=queries)


def of_questions(folder: Path, *, queries: int) -> Collection:
    """Returns paragraphs with questions as a judged set: gold is what answers."""
    rows = list(json_lines(needed_file(folder, PARAGRAPHS)))
    pages = {row["id"]: row.get("title") or row["id"] for row in rows}
    documents = [Document(row["id"], row.get("title") or "", row["text"]) for row in rows]
    asked = [
        row for row in json_lines(needed_file(folder, QUESTIONS)) if row.get("answerable", True)
    ]
    judged = drawn(
        JudgedSet(
            documents,
            {row["id"]: row["question"] for row in asked},
            {
                row["id"]: dict.fromkeys(row.get("supporting_ids") or [row["paragraph_id"]], 1)
                for row in asked
            },
        ),
        queries,
    )
    units = {query: pages[next(iter(judged.qrels[query]))] for query in judged.queries}
    family = TRANSLATED if folder.name.startswith(TRANSLATED) else folder.name
    language = rows[0].get("language", "")
    return Collection(folder.name, language, family, judged, units, scoped=False)


def drawn(judged: JudgedSet, queries: int) -> JudgedSet:
    """Returns a set with at most so many of its queries, drawn by chance with one seed."""
    names = sorted(judged.queries)
    random.Random(SEED).shuffle(names)
    kept = sorted(names[:queries])
    return JudgedSet(
        judged.documents,
        {name: judged.queries[name] for name in kept},
        {name: judged.qrels[name] for name in kept},
    )
