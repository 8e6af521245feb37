"""The table of docs/sizing.md is what its formula gives."""

import math
import re

from tests.docs.test_pages import DOCS

CHANGED, USED = 0.02, 0.6
CHUNKS_A_PAGE = 10
PEAK = 3
ROW = re.compile(r"^\| ([\d,]+) \| ([\d,]+) \| (\d+) \| ([\d, ]+) \| (.+) \|$", re.MULTILINE)


def sized(fetches: int, chunks: int, searches: int) -> tuple[list[int], list[str]]:
    """Returns replicas of fetcher, extractor, indexer, retriever; then cores and gigabytes."""
    fresh = fetches * (0.005 * (1 - CHANGED) + 0.24 * CHANGED) / 86_400 / USED
    search = searches * 0.034 / USED
    pages_a_second = fetches / 86_400 * PEAK
    databases = chunks / CHUNKS_A_PAGE * 2_100 + chunks * 3_390 + fetches * (8 * 1_150 + 60 * 550)
    replicas = [
        math.ceil(pages_a_second / 170),
        math.ceil(pages_a_second / 33),
        math.ceil(fresh / 2),
        max(2, math.ceil(search)),
    ]
    sizes = (fresh + search, chunks * 3_100 / 1e9, databases / 1e9, chunks * 6_000 / 1e9)
    return replicas, [f"{size:.1f}" for size in sizes]


def test_the_table_is_what_the_formula_gives() -> None:
    """Whoever changes a figure changes the rows."""
    rows = ROW.findall((DOCS / "sizing.md").read_text())

    assert 4 == len(rows)
    for fetches, chunks, searches, replicas, sizes in rows:
        numbers = [int(text.replace(",", "")) for text in (fetches, chunks, searches)]
        said = [int(text) for text in replicas.split(", ")], sizes.split(" | ")
        assert sized(*numbers) == said
