"""Records of one paper are joined by ids, then by title and authors with a confidence."""

import pytest

from scops.libraries.papers.likeness import CONFIDENCE_MIN, title_likeness
from scops.libraries.papers.merging import merged_papers
from scops.libraries.papers.names import said_ids
from scops.libraries.papers.record import (
    RETRACTION,
    PaperAuthor,
    PaperLocation,
    PaperNotice,
)
from tests.unit.standalone.commands.papers.builders import AUTHORS, record


def test_records_with_a_common_id_are_one_paper() -> None:
    """Also where two are joined by a third that has both of their ids."""
    records = [
        record("arxiv", ids={"arxiv": "2401.00001"}, title="Gauges, a preprint"),
        record("crossref"),
        record("semantic-scholar", ids={"doi": "10.1000/gauge", "arxiv": "2401.00001"}),
    ]
    (paper,) = merged_papers(records)

    assert {"doi": "10.1000/gauge", "arxiv": "2401.00001"} == paper.ids
    assert ("Levels of tidal gauges", "crossref") == paper.said["title"]
    assert {("id", 1.0), ("asked", 1.0)} == {(one.by, one.confidence) for one in paper.joined}


def test_papers_of_an_issue_are_told_apart_by_their_dois() -> None:
    """Those of SICI differ in angle brackets alone; a retraction of one is none of the other."""
    issue = "10.1002/(SICI)1097-4571(199806)49:8"
    first, second = (
        record(ids=said_ids(doi=f"{issue}{item}"), title=title, retracted=retracted)
        for item, title, retracted in (
            ("<693::AID-ASI4>3.0.CO;2-O", "Levels of tidal gauges", True),
            ("<702::AID-ASI5>3.0.CO;2-T", "Herons of the northern shore", False),
        )
    )

    assert [True, False] == [paper.retracted for paper in merged_papers([first, second])]


def test_records_without_a_common_id_are_joined_by_title_and_authors() -> None:
    """How sure that is stands with the record."""
    preprint = record("arxiv", ids={"arxiv": "2401.00001"}, published="2023-11-02")
    preprint_authors = (PaperAuthor("A. Heron"), PaperAuthor("Bo Grebe"))
    (paper,) = merged_papers([record(), record("core", ids={"core": "7"}), preprint])
    (other,) = merged_papers([record(), record("arxiv", ids={}, authors=preprint_authors)])

    assert [("asked", 1.0), ("title_authors", 1.0), ("title_authors", 0.975)] == [
        (one.by, one.confidence) for one in paper.joined
    ]
    assert other.joined[1].confidence >= CONFIDENCE_MIN


@pytest.mark.parametrize(
    "other",
    [
        {"ids": {"doi": "10.1000/other"}},
        {"ids": {}, "authors": (PaperAuthor("Cy Stork", "Stork", "Cy"),)},
        {"ids": {}, "authors": ()},
        {"ids": {}, "published": "2019"},
        {"ids": {}, "title": "Retraction: Levels of tidal gauges"},
        {"ids": {}, "title": "Levels of lunar gauges"},
    ],
)
def test_records_that_differ_are_two_papers(other: dict[str, object]) -> None:
    """Another DOI, other authors or none, years apart, a notice, another title."""
    assert 2 == len(merged_papers([record(), record("core", **other)]))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Levels of tidal gauges: part II", "Levels of tidal gauges: part III", False),
        ("Floods of the river in 2019", "Floods of the river in 2020", False),
        ("Modelling the tidal gauges", "Modeling the tidal gauges", True),
        ("Niveaux des marées: étude", "Niveaux des marees  Étude", True),
        ("Editorial", "Editorial", False),
    ],
)
def test_titles_are_alike_by_their_words(one: str, other: str, alike: bool) -> None:
    """Spelling and accents count for nothing, numbers and parts for all."""
    assert alike == (title_likeness(one, other) >= 0.95)


def test_one_word_of_a_retraction_suffices() -> None:
    """Other services know of it later, if at all."""
    notice = PaperNotice(RETRACTION, "10.1000/notice", "2025-01-02", "crossref by publisher")
    records = [record("openalex", retracted=False), record(retracted=True, notices=(notice,))]
    (paper,) = merged_papers(records)

    assert paper.retracted
    assert notice == paper.retraction


def test_paper_says_who_said_what_and_when() -> None:
    """In JSON, for each fact and each record."""
    place = PaperLocation(url="https://repository.test/1.pdf", kind="pdf", said_by="openalex")
    records = [record(), record("openalex", venue="Gauges", locations=(place,))]
    told = merged_papers(records)[0].as_json()

    assert "crossref" == told["said_by"]["title"]
    assert "openalex" == told["said_by"]["venue"]
    assert [author.name for author in AUTHORS] == told["authors"]
    assert ["2026-03-01T12:00:00+00:00"] * 2 == [one["asked"] for one in told["records"]]
