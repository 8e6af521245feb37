"""Indexes that the search of a static site reads: what they say, and how pages are ranked."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput
from scops.fetcher.discovery.mkdocs_index import read_mkdocs
from scops.fetcher.discovery.search_index import (
    SearchHit,
    SearchIndex,
    packed,
    question_words,
    ranked,
    unpacked,
)
from scops.fetcher.discovery.search_task import FOUND, REFUSED, answer
from scops.fetcher.discovery.sphinx_index import read_sphinx

SPHINX, MKDOCS = "https://a.test/doc/searchindex.js", "https://a.test/doc/search/search_index.json"
ROOT = "https://a.test/doc/"


def _sphinx_body(**changes: Any) -> bytes:
    """A manual of three pages, as Sphinx 5.3 writes it."""
    values = {
        "docnames": ["index", "guide/index", "guide/pool"],
        "filenames": ["index.rst", "guide/index.rst", "guide/pool.rst"],
        "titles": ["Manual", "<span>2. </span>Guide", "Pooling &amp; <code>Engine</code>"],
        "terms": {"connect": [1, 2], "recycl": 2, "welcom": 0, "default": [0, 1, 2]},
        "titleterms": {"manual": 0, "guid": 1, "pool": 2, "engin": [2]},
        "objects": {"": [[2, 0, 1, "", "recycle"]]},
        **changes,
    }
    return f"Search.setIndex({json.dumps(values)})".encode()


def _sphinx(body: bytes, *seen: str) -> SearchIndex:
    return read_sphinx(body, url=SPHINX, seen=frozenset(seen))


def _mkdocs(docs: Iterable[tuple[str, str, str]], question: str, **config: Any) -> SearchIndex:
    sections = [{"location": at, "title": title, "text": text} for at, title, text in docs]
    body = json.dumps({"config": config, "docs": sections}).encode()
    return read_mkdocs(body, url=MKDOCS, wanted=question_words(question))


def _urls(index: SearchIndex, question: str) -> list[str]:
    return [hit.url.removeprefix(ROOT) for hit in ranked(index, question, limit=9)]


def test_stems_and_words_of_titles_find_pages() -> None:
    """Words of a title are not among the terms."""
    hits = ranked(_sphinx(_sphinx_body()), "How are connections recycled by the pool?", limit=9)

    assert [f"{ROOT}guide/pool.html", f"{ROOT}guide/index.html"] == [hit.url for hit in hits]
    assert ["Pooling & Engine", "2. Guide"] == [hit.title for hit in hits]
    assert 1.0 > hits[0].score > hits[1].score > 0.0


def test_a_rare_word_counts_more_and_a_long_page_less() -> None:
    """As BM25 has it."""
    index = _sphinx(
        _sphinx_body(
            docnames=["common", "rare", "long"],
            titles=["", "", ""],
            terms={"a1": [0, 2], "b1": [1], **{f"t{n}": 2 for n in range(50)}},
            titleterms={},
        )
    )

    assert ["rare.html", "common.html", "long.html"] == _urls(index, "a1 b1")


def test_a_question_that_the_site_does_not_speak_of_finds_nothing() -> None:
    """Nor does one of words that say nothing."""
    index = _sphinx(_sphinx_body())

    assert [] == _urls(index, "lightship godwit") == _urls(index, "how do I do it")
    assert 1 == len(ranked(index, "connect default", limit=1))


@pytest.mark.parametrize(
    ("seen", "urls"),
    [
        ((), ["index.html", "guide/index.html", "guide/pool.html"]),
        ((f"{ROOT}guide/pool.html",), ["index.html", "guide/index.html", "guide/pool.html"]),
        ((f"{ROOT}guide/", f"{ROOT}guide/pool/"), ["", "guide/", "guide/pool/"]),
        ((f"{ROOT}guide/pool",), ["index", "guide/index", "guide/pool"]),
        # A server shows an index page as its folder.
        ((f"{ROOT}guide/pool.html", ROOT), ["", "guide/index.html", "guide/pool.html"]),
    ],
)
def test_names_become_urls_as_the_site_writes_them(seen: tuple[str, ...], urls: list[str]) -> None:
    """The index does not say by which builder it was made."""
    assert [ROOT + url for url in urls] == list(_sphinx(_sphinx_body(), *seen).urls)


def test_names_without_quotes_are_read() -> None:
    """As Sphinx before 5.3 wrote them; what stands in strings stays."""
    body = (
        b'Search.setIndex({docnames:["a","b"],titles:["{x:1, y:2}","Say \\"b:\\""],envversion:'
        b'{"sphinx.domains.c":2},terms:{owl:[0,1],"default":1, $x:0},titleterms:{say:1}})'
    )
    index = _sphinx(body)

    assert ["{x:1, y:2}", 'Say "b:"'] == list(index.titles)
    assert ["b.html", "a.html"] == _urls(index, "owl default")


def test_words_are_stemmed_as_the_languages_of_sphinx_are() -> None:
    """An index does not say its own."""
    index = _sphinx(
        _sphinx_body(
            docnames=["a", "b"], titles=["A", "B"], terms={"verbind": 0, "vogel": 1}, titleterms={}
        )
    )

    assert ["a.html"] == _urls(index, "Welche Verbindungen gibt es?")


def test_titles_without_words_are_none() -> None:
    """Neither is what no message takes a title, nor a URL."""
    broken = "\ud800\x00Owl"
    index = _sphinx(
        _sphinx_body(docnames=["a", "b", broken], titles=["&lt;no title&gt;", broken, "C"])
    )

    assert ["", "Owl", "C"] == list(index.titles)
    assert all(hit.url.isprintable() for hit in ranked(index, "default", limit=9))


SECTIONS = (
    ("", "Home", "<p>Welcome to the <b>owls</b></p>"),
    ("pool/", "Pool", "Connections"),
    ("pool/#recycle", "Recycling", "A connection is recycled after an hour, and recycled again."),
    ("../../etc/x", "Escaped", "recycle"),
    ("https://elsewhere.example/x", "Other", "recycle recycle recycle"),
)


def test_sections_of_mkdocs_are_gathered_by_page() -> None:
    """A page has the title of its first section, and no fragment; other hosts have none."""
    question = "When is a connection recycled?"
    hits = ranked(_mkdocs(SECTIONS, question, lang=["en"]), question, limit=9)

    assert ("Pool", f"{ROOT}pool/") == (hits[0].title, hits[0].url)
    assert ["https://a.test/etc/x"] == [hit.url for hit in hits[1:]]
    assert [ROOT] == [hit.url for hit in ranked(_mkdocs(SECTIONS, "owl"), "owl", limit=9)]


@pytest.mark.parametrize("lang", [["de"], "de"])
def test_mkdocs_says_its_language(lang: object) -> None:
    """Its words are stemmed by it; one that nobody knows is read as English."""
    docs = [("a/", "Vögel", "Die Verbindung"), ("b/", "Owls", "connections")]
    question = "Welche Verbindungen?"

    assert ["a/"] == _urls(_mkdocs(docs, question, lang=lang), question)
    assert ["b/"] == _urls(_mkdocs(docs, "connection", lang=[7]), "connection")


@pytest.mark.parametrize(
    ("url", "body"),
    [
        (SPHINX, b""),
        (SPHINX, b"alert('x')"),
        (SPHINX, b"Search.setIndex()"),
        (SPHINX, b")Search.setIndex("),
        (SPHINX, b"Search.setIndex(fetch('https://elsewhere.example'))"),
        (SPHINX, b'Search.setIndex({"docnames":["a"]})'),
        (SPHINX, _sphinx_body(docnames=["a"])),
        (SPHINX, _sphinx_body(titles=[1, 2, 3])),
        (SPHINX, _sphinx_body(terms=[])),
        (SPHINX, _sphinx_body(titleterms=None)),
        (SPHINX, b"Search.setIndex(" + b"[" * 200_000 + b")"),
        (MKDOCS, b"<html>Not here.</html>"),
        (MKDOCS, b"[]"),
        (MKDOCS, b'{"docs": {}}'),
        (MKDOCS, b"[" * 200_000),
        ("https://a.test/other.js", b"{}"),
    ],
)
def test_what_is_no_index_is_refused(url: str, body: bytes) -> None:
    """With why, and what happens then."""
    outcome, said = answer((url.encode(), b"owls", b"", body))

    assert REFUSED == outcome
    assert b"found by their links" in said


@pytest.mark.parametrize("value", [-1, 3, 10**400, "1", None, [[0]], {"0": 1}, 1.5, [0, -7, "x"]])
def test_numbers_that_are_no_page_are_left_out(value: object) -> None:
    """A table may hold anything."""
    index = _sphinx(_sphinx_body(terms={"owl": value}))

    assert set(_urls(index, "owl")) <= {"index.html"}


def test_an_index_of_nothing_finds_nothing() -> None:
    """Without a division by its pages."""
    empty = _sphinx_body(docnames=[], titles=[], terms={"owl": [0]}, titleterms={})

    assert [] == _urls(_sphinx(empty), "owl") == _urls(_mkdocs((), "owl"), "owl")


def test_the_task_gives_hits() -> None:
    """As bytes, as they were."""
    outcome, said = answer((SPHINX.encode(), b"recycle", b"", _sphinx_body()))
    hit = SearchHit("https://a.test/ü", "Ü", 0.5)

    assert FOUND == outcome
    assert ["Pooling & Engine"] == [hit.title for hit in unpacked(said)]
    assert [hit] == unpacked(packed([hit]))


def test_error_of_a_broken_index_is_the_callers() -> None:
    """It has a reason for programs."""
    with pytest.raises(InvalidInput) as raised:
        _sphinx(b"")

    assert "INVALID_SEARCH_INDEX" == raised.value.reason
