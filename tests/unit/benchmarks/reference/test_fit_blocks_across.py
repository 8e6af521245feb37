"""The model of blocks, fitted on one set of made-up pages and judged on the other."""

import gzip
import json
import tarfile
from argparse import Namespace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reference.block_pages import pages_of_strings, pages_of_texts
from benchmarks.reference.fit_blocks_across import fit

PAGES = 6
SUBJECTS = ("owl", "otter", "lynx", "heron", "badger", "salmon")
MENU = "<nav><a href='/a'>Home</a> <a href='/b'>Animals</a> <a href='/c'>Shop</a></nav>"
FOOTER = "<footer>All rights reserved by the friends of animals</footer>"


def _parts(subject: str) -> tuple[str, ...]:
    return (
        f"The {subject} hunts at night. It listens for what moves under the leaves, waits for "
        "long, and comes down on it in silence, without a sound.",
        f"A {subject} keeps one place for life. In autumn its calls tell every other one that it "
        "is taken, and the young of the year are driven out.",
        f"A pair of the {subject} raises three or four young. They leave before they are grown, "
        "and come back along the bank or up the trunk.",
    )


def _html(subject: str) -> bytes:
    body = "".join(f"<p>{part}</p>" for part in _parts(subject))
    main = f"<main><h1>The {subject}</h1>{body}</main>"
    head = f"<html><head><title>{subject}</title></head>"
    return f"{head}<body>{MENU}{main}{FOOTER}</body></html>".encode()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with both sets, a page a subject in each."""
    strings = tmp_path / "extraction" / "trafilatura-eval"
    texts = tmp_path / "extraction" / "mozilla-readability"
    (texts / "html").mkdir(parents=True)
    strings.mkdir(parents=True)
    entries, truth = {}, {}
    with tarfile.open(strings / "eval.tar.xz", "w:xz") as tar:
        for subject in SUBJECTS:
            parts, url = _parts(subject), f"https://{subject}.example/"
            entries[url] = {
                "file": f"{subject}.html",
                "with": [parts[0][:40], parts[2][:40]],
                "without": ["All rights reserved"],
            }
            truth[subject] = {"articleBody": "\n".join(parts), "url": url}
            (texts / "html" / f"{subject}.html.gz").write_bytes(gzip.compress(_html(subject)))
            _add(tar, f"tests/cache/{subject}.html", _html(subject))
        _add(tar, "tests/evaldata.json", json.dumps(entries).encode())
    (texts / "ground-truth.json").write_text(json.dumps(truth))
    return tmp_path


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, BytesIO(content))


def test_both_sets_say_which_blocks_are_main_text(data: Path) -> None:
    """What neither string names says nothing, nor do few words that stand in the true text."""
    named = pages_of_strings(data / "extraction" / "trafilatura-eval")
    written = pages_of_texts(data / "extraction" / "mozilla-readability")

    assert [PAGES, PAGES] == [len(named), len(written)]
    for page in (named[0], written[0]):
        assert {0.0, 1.0} == set(page.labels[~np.isnan(page.labels)])
        assert np.isnan(page.labels).any()
    assert 3 == np.nansum(written[0].labels)


def test_what_one_set_teaches_holds_on_the_other(data: Path) -> None:
    """Paragraphs are kept and menus are not, as on the pages that were fitted."""
    found = fit(Namespace(data=data, pages=0))

    assert {"trafilatura-eval", "mozilla-readability"} == set(found)
    for judged in found.values():
        assert isinstance(judged, dict)
        assert judged["fitted"]["f1"] > 0.9
        assert {"f1", "f1_interval", "f1_p"} <= set(judged["against"]["trafilatura"])
        assert PAGES == judged["pages"]
