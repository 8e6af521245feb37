"""Judged sets in the BEIR layout, made of data with other labels: nobody fitted a ranking to them.

    python -m benchmarks.derived_sets --data ../shared/data --out DIR

Writes a folder each for `benchmarks.retrieval`:
    timeqa: questions of TimeQA over a third of its pages; what answers counts 1, gold 2.
    timeqa_bare: the same without title and heading before each paragraph.
    headings: headings of documentation pages; the paragraphs below them, which do not hold them.
    identifiers: "what does NAME do" for names in code quotes that one to four paragraphs hold.
    halves: first halves of long paragraphs; the corpus holds the second ones.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.shared.command import command_parser
from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.judged.beir import Document, JudgedSet
from benchmarks.shared.judged.timeqa import read as read_timeqa
from benchmarks.shared.splits import part_of

SEED = 1
QUERIES = 300
OTHERS = 5000
PAGES_KEPT_ONE_IN = 3
PARAGRAPH_WORDS = range(12, 301)
LONG_WORDS = 80
HEADING_WORDS_MIN = 3
NAME_PARAGRAPHS_MAX = 4
FRONT_MATTER = re.compile(r"^---\n.*?\n---\n", re.DOTALL)
HASH_HEADING = re.compile(r"#+\s+(.+?)[#\s]*")
RULED_HEADING = re.compile(r"(.{5,100})\n[=\-~]{4,}")
CODE_NAME = re.compile(r"``?([A-Za-z_][\w.]{4,40})(?:\(\))?``?")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph of a documentation page and where it stands."""

    id: str
    page: str
    heading: str
    text: str


def main() -> None:
    parser = command_parser(__doc__, data="folder with temporal, changes", json_option=False)
    parser.add_argument("--out", type=Path, required=True, help="where the sets are written")
    args = parser.parse_args()
    for name, judged in derived_sets(args.data).items():
        _write(args.out / name, judged)
        print(f"{name}: {len(judged.documents)} passages, {len(judged.queries)} queries")


def derived_sets(data: Path) -> dict[str, JudgedSet]:
    """Returns the sets by their names.

    Args:
        data: folder with `temporal` and `changes`.
    """
    timeqa = data / "temporal" / "timeqa-train"
    paragraphs = list(_paragraphs(data / "changes" / "docs-md"))
    return {
        "timeqa": _of_timeqa(timeqa, headers=True),
        "timeqa_bare": _of_timeqa(timeqa, headers=False),
        "headings": _of_headings(paragraphs),
        "identifiers": _of_names(paragraphs),
        "halves": _of_halves(paragraphs),
    }


def _of_timeqa(folder: Path, *, headers: bool) -> JudgedSet:
    held = read_timeqa(folder)
    documents = [
        Document(one.id, one.header if headers else "", one.text)
        for one in held.paragraphs
        if part_of(one.link, PAGES_KEPT_ONE_IN) == 0
    ]
    known = {one.id for one in documents}
    asked = [
        one for one in held.questions if one.kind == "original" and known & set(one.answered_by)
    ]
    qrels = {
        f"q{number}": {found: 1 + (found in one.gold) for found in {*one.gold, *one.answered_by}}
        for number, one in enumerate(asked[:QUERIES])
    }
    queries = {f"q{number}": one.text for number, one in enumerate(asked[:QUERIES])}
    return JudgedSet(documents, queries, qrels)


def _of_headings(paragraphs: Sequence[_Paragraph]) -> JudgedSet:
    below: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in paragraphs:
        if len(one.heading.split()) >= HEADING_WORDS_MIN:
            below[one.page, one.heading].append(one.id)
    pages = Counter(heading.lower() for _, heading in below)
    keys = _drawn([key for key in below if pages[key[1].lower()] == 1])
    relevant = [below[key] for key in keys]
    return _judged(paragraphs, [heading for _, heading in keys], relevant)


def _of_names(paragraphs: Sequence[_Paragraph]) -> JudgedSet:
    holding: dict[str, set[str]] = defaultdict(set)
    for one in paragraphs:
        for name in CODE_NAME.findall(one.text):
            holding[name].add(one.id)
    names = _drawn([name for name, ids in holding.items() if len(ids) <= NAME_PARAGRAPHS_MAX])
    asked = [f"what does {name} do" for name in names]
    return _judged(paragraphs, asked, [sorted(holding[name]) for name in names])


def _of_halves(paragraphs: Sequence[_Paragraph]) -> JudgedSet:
    chosen = _drawn([one for one in paragraphs if len(one.text.split()) >= LONG_WORDS])
    halves = {one.id: _halved(one.text) for one in chosen}
    rest = [
        _Paragraph(one.id, one.page, one.heading, halves[one.id][1]) if one.id in halves else one
        for one in paragraphs
    ]
    return _judged(rest, [first for first, _ in halves.values()], [[one.id] for one in chosen])


def _halved(text: str) -> tuple[str, str]:
    words = text.split()
    return " ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])


def _drawn(entries: Sequence[T]) -> list[T]:
    return random.Random(SEED).sample(entries, min(QUERIES, len(entries)))


def _judged(
    paragraphs: Sequence[_Paragraph], queries: Sequence[str], relevant: Sequence[Sequence[str]]
) -> JudgedSet:
    """Returns a set of what is relevant and of others drawn by lot."""
    needed = {found for ids in relevant for found in ids}
    others = [one for one in paragraphs if one.id not in needed]
    kept = {one.id for one in random.Random(SEED).sample(others, min(OTHERS, len(others)))}
    documents = [Document(one.id, "", one.text) for one in paragraphs if one.id in needed | kept]
    return JudgedSet(
        documents,
        {f"q{number}": query for number, query in enumerate(queries)},
        {f"q{number}": dict.fromkeys(ids, 1) for number, ids in enumerate(relevant)},
    )


def _paragraphs(folder: Path) -> Iterator[_Paragraph]:
    """Yields the paragraphs of each page's last text; headings are none."""
    newest: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        for row in json_lines(path):
            held = newest.get(row["url"])
            if row["text1"] and (held is None or held["t1"] < row["t1"]):
                newest[row["url"]] = row
    count = 0
    for url, row in newest.items():
        heading = ""
        for block in re.split(r"\n\s*\n", FRONT_MATTER.sub("", row["text1"])):
            text = block.strip()
            named = HASH_HEADING.fullmatch(text) or RULED_HEADING.fullmatch(text)
            if named:
                heading = named[1].strip()
            elif len(text.split()) in PARAGRAPH_WORDS:
                yield _Paragraph(f"d{count}", url, heading, text)
                count += 1


def _write(folder: Path, judged: JudgedSet) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    corpus = [{"_id": one.id, "title": one.title, "text": one.text} for one in judged.documents]
    asked = [{"_id": key, "text": text} for key, text in judged.queries.items()]
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", asked)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    gains = [(key, found, gain) for key, one in judged.qrels.items() for found, gain in one.items()]
    lines = [f"{key}\t{found}\t{gain}\n" for key, found, gain in sorted(gains)]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))


if __name__ == "__main__":
    main()
