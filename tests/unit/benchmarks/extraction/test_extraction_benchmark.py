"""benchmarks.extraction: reads both archives, scores as the benchmarks do, compares in one run."""

import gzip
import json
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks.extraction import aeb, evaldata
from benchmarks.extraction.__main__ import measure
from benchmarks.extraction.comparison import compared
from benchmarks.extraction.rows import EXTRACTORS, OURS
from benchmarks.extraction.sets import Counts, Page, states_day

BODY = (
    "Tawny owls hunt at night. They listen for voles under the leaves and drop on them in silence, "
    "without a beat of their wings.",
    "They keep one wood for life. In autumn their calls tell every other owl that it is taken, and "
    "the young of the year are driven out.",
    "A pair raises three or four young. They leave the nest before they can fly, and climb back up "
    "the trunk with beak and claws.",
)
HTML = (
    "<html><head><title>Owls</title><meta property='article:published_time' content='2024-05-17'>"
    "</head><body><nav><a href='/a'>Home</a> <a href='/b'>Birds</a> <a href='/c'>Shop</a></nav>"
    f"<main><h1>Owls</h1>{''.join(f'<p>{part}</p>' for part in BODY)}</main>"
    "<footer>All rights reserved by the friends of owls</footer></body></html>"
)


def _archive(path: Path, members: Mapping[str, bytes]) -> None:
    path.parent.mkdir()
    with tarfile.open(path, "w:xz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, BytesIO(content))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that holds a page in the form of each benchmark."""
    truth = {"ab12": {"articleBody": "\n".join(("Owls", *BODY)), "url": "https://owl.example/"}}
    _archive(
        tmp_path / "article-extraction-benchmark" / "aeb.tar.xz",
        {
            "html/ab12.html.gz": gzip.compress(HTML.encode()),
            "ground-truth.json": json.dumps(truth).encode(),
        },
    )
    strings = {"file": "owl.html", "with": [BODY[0][:40], BODY[2][:40]], "without": ["All rights"]}
    entry = {"https://owl.example/": {**strings, "date": "2024-05-17"}}
    _archive(
        tmp_path / "trafilatura-eval" / "eval.tar.xz",
        {"tests/evaldata.json": json.dumps(entry).encode(), "tests/cache/owl.html": HTML.encode()},
    )
    return tmp_path


def test_both_sets_are_scored_with_every_extractor(data: Path) -> None:
    """Each set that is there has a row an extractor, and what only our extraction has."""
    result = measure(data, jobs=1, pages=None)

    assert set(result) == {"trafilatura_eval", "article_extraction_benchmark"}
    for rows in result.values():
        assert set(EXTRACTORS) <= set(rows)
        assert {"precision", "recall", "f1", "pages_per_second"} <= set(rows[OURS])
        assert rows["offsets_exact"] == rows[OURS]["f1"] == 1.0
    assert result["trafilatura_eval"]["published_date"] == 1.0
    assert result["article_extraction_benchmark"]["published_date"] is None


def test_a_set_is_read_unpacked_under_the_name_of_its_folder(tmp_path: Path) -> None:
    """A folder in the layout of article-extraction-benchmark is a set, alone or beside others."""
    folder = tmp_path / "owl-pages"
    (folder / "html").mkdir(parents=True)
    (folder / "html" / "ab12.html.gz").write_bytes(gzip.compress(HTML.encode()))
    truth = {"ab12": {"articleBody": "\n".join(("Owls", *BODY)), "url": "https://owl.example/"}}
    (folder / "ground-truth.json").write_text(json.dumps(truth))

    alone, beside = measure(folder, jobs=1, pages=None), measure(tmp_path, jobs=1, pages=None)

    assert set(alone) == set(beside) == {"owl_pages"}
    assert alone["owl_pages"][OURS]["f1"] == 1.0


def test_ours_is_compared_with_each_other_extractor_by_the_same_draws() -> None:
    """A difference that every site has has an interval of itself, and no chance of the other."""
    better, worse = Counts(4, 0, 0), Counts(3, 1, 1)
    counted = {OURS: [better] * 4, "other": [worse] * 4}

    figures = compared(counted, ["a", "a", "b", "c"], evaldata.scored, ours=OURS)

    assert set(figures) == {"other"}
    assert figures["other"]["f1"] == 0.25
    assert figures["other"]["f1_interval"] == [0.25, 0.25]
    assert figures["other"]["f1_p"] < 0.01


def test_pages_of_one_site_are_drawn_together() -> None:
    """One site is no evidence of another: all draws are that site."""
    mixed = [Counts(4, 0, 0), Counts(0, 4, 4)]

    figures = compared(
        {OURS: mixed, "other": [Counts(1, 1, 1)] * 2}, ["a", "a"], evaldata.scored, ours=OURS
    )

    assert figures["other"]["f1_interval"] == [0.0, 0.0]
    assert figures["other"]["f1_p"] == 1.0


def test_folder_without_data_is_an_error(tmp_path: Path) -> None:
    """Nothing measured is not a result."""
    with pytest.raises(SystemExit):
        measure(tmp_path, jobs=1, pages=None)


@pytest.mark.parametrize(
    ("truth", "output", "precision", "recall"),
    [
        ("a b c d e", "a b c d e", 1.0, 1.0),
        ("a b c d e", "x a b c d", 0.5, 0.5),
        ("a b c d e f", "a b c d", 1.0, 1 / 3),
        ("a b c d", "a b c d e f", 1 / 3, 1.0),
        ("a-b, C d", "a b C\nd", 1.0, 1.0),
        ("a b", "a b", 1.0, 1.0),
        ("a b c d", "", 0.0, 0.0),
        ("a b c d a b c d", "a b c d", 1.0, 0.2),
    ],
)
def test_shingles_are_counted_as_that_benchmark_does(
    truth: str, output: str, precision: float, recall: float
) -> None:
    """Multisets of four words, of the words there are where they are fewer."""
    page = Page(url="", body=b"", required=(truth,))

    assert aeb.scored([aeb.counts(page, output)]) == pytest.approx((precision, recall))


def test_strings_are_counted_over_all_pages() -> None:
    """White space does not matter; each string counts once a page."""
    pages = [
        Page(url="", body=b"", required=("a b", "c"), forbidden=("x",)),
        Page(url="", body=b"", required=("d",), forbidden=("y", "z")),
    ]

    counted = [evaldata.counts(*one) for one in zip(pages, ["a\n b", "d y z"], strict=True)]

    assert evaldata.scored(counted) == pytest.approx((2 / 4, 2 / 3))


@pytest.mark.parametrize(
    ("body", "states"),
    [
        ("2024-05-17T00:00", True),
        ("17. Mai 2024", True),
        ("May 17, 2024", True),
        ("17/05/2024", True),
        ("5/17/2024", True),
        ("17.05.24", False),
        ("2024-05-18", False),
    ],
)
def test_day_is_stated_where_it_stands_on_the_page(body: str, states: bool) -> None:
    """A recorded day that is not on the page cannot be found there."""
    page = Page(url="", body=body.encode(), required=(), published="2024-05-17")

    assert states_day(page) == states
