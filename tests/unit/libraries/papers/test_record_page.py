"""The page of a record says what it says to people, programs and those who cite."""

import json

import bibtexparser

from scops.libraries.papers.merging import merged_papers
from scops.libraries.papers.paper import Paper
from scops.libraries.papers.record import (
    RETRACTION,
    PaperAuthor,
    PaperLocation,
    PaperNotice,
    PaperRecord,
)
from scops.libraries.papers.record_page import (
    RecordPage,
    read_record,
    record_html,
    record_uris,
    same_facts,
    stated_lines,
)
from scops.standalone.commands.papers.scoped.citations import as_bibtex, as_csl_json, as_ris
from tests.unit.extractor.pages import extracted
from tests.unit.standalone.commands.papers.builders import record

PLACE = PaperLocation(
    url="https://repository.test/1.pdf",
    kind="pdf",
    licence="cc-by-4.0",
    status="green",
    version="accepted",
    said_by="unpaywall",
)
NOTICE = PaperNotice(RETRACTION, "10.1000/notice", "2025-01-02", "crossref")


def _paper(**said: object) -> Paper:
    (paper,) = merged_papers([record(**said)])
    return paper


def _read(paper: Paper, place: PaperLocation | None = PLACE) -> RecordPage:
    found = extracted(record_html(paper, place).decode())
    return read_record(found.document.title, found.text)


def _whole() -> PaperRecord:
    return record(
        venue="Tides & Gauges",
        volume="7",
        issue="2",
        pages="1–12",
        kind="article-journal",
        language="en",
        abstract="Gauges <were> read & written down: twice a day.",
        retracted=True,
        notices=(NOTICE,),
    )


def test_record_is_read_back_as_it_was_written() -> None:
    """By its clean text, as the extractor finds it."""
    (paper,) = merged_papers([_whole()])
    page = _read(paper)

    assert stated_lines(paper, PLACE) == {
        label: value for label, value in page.lines.items() if label != "Said by"
    }
    assert "crossref on 2026-03-01" == page.lines["Said by"]
    assert "yes on 2025-01-02 by 10.1000/notice, as crossref says" == page.lines["Retracted"]
    assert (
        "https://repository.test/1.pdf (accepted, green, as unpaywall says)"
        == (page.lines["Full text"])
    )
    assert paper.authors == page.authors


def test_record_states_its_facts_for_programs() -> None:
    """Authors, date and licence are facts of the page."""
    (paper,) = merged_papers([_whole()])
    document = extracted(record_html(paper, PLACE).decode()).document
    values = {(one.name, one.value) for one in document.values}

    assert ("author", "Ada Heron") in values
    assert ("license_url", "https://creativecommons.org/licenses/by/4.0/") in values
    assert ["2024-03-01"] == [one.day for one in document.stated]


def test_record_that_says_the_same_is_no_other() -> None:
    """Whoever said it when; a retraction is another."""
    paper, retracted = _paper(), _paper(retracted=True)
    page = _read(paper)

    assert same_facts(stated_lines(paper, PLACE), page)
    assert not same_facts(stated_lines(retracted, PLACE), page)
    assert not same_facts(stated_lines(paper, None), page)


def test_words_of_a_service_are_text_alone() -> None:
    """Markup and script of a title, and lines within an abstract, change no fact."""
    paper = _paper(title="</script><b>Gauges</b>", abstract="It was\nRetracted: yes")
    page = _read(paper)

    assert "Retracted" not in page.lines
    assert "</script><b>Gauges</b>" == page.title


def test_record_is_named_by_each_of_its_ids() -> None:
    """The DOI first."""
    paper = _paper(ids={"arxiv": "2401.00001", "doi": "10.1000/a?b#c"})

    assert [
        "file://paper-records/doi/10.1000/a%3Fb%23c",
        "file://paper-records/arxiv/2401.00001",
    ] == record_uris(paper)


def test_citations_say_the_same_in_all_formats() -> None:
    """As BibTeX, CSL-JSON and RIS have it; what is retracted is marked."""
    (paper,) = merged_papers([_whole()])
    page = _read(paper)
    (entry,) = bibtexparser.parse_string(as_bibtex([page])).entries
    fields = {one.key: one.value for one in entry.fields}
    (item,) = json.loads(as_csl_json([page]))
    ris = as_ris([page]).splitlines()

    assert ("article", "heron2024levels") == (entry.entry_type, entry.key)
    assert "RETRACTED: Levels of tidal gauges" == fields["title"] == item["title"]
    assert "Heron, Ada and Grebe, Bo" == fields["author"]
    assert (r"Tides \& Gauges", "1--12") == (fields["journal"], fields["pages"])
    assert [{"family": "Heron", "given": "Ada"}, {"family": "Grebe", "given": "Bo"}] == (
        item["author"]
    )
    assert [[2024, 3, 1]] == item["issued"]["date-parts"]
    assert ["TY  - JOUR", "TI  - RETRACTED: Levels of tidal gauges"] == ris[:2]
    assert {"SP  - 1", "EP  - 12", "DO  - 10.1000/gauge", "DA  - 2024/03/01"} <= set(ris)


def test_citations_of_poor_records_are_whole() -> None:
    """Without authors, date or journal; keys are given once."""
    names = (PaperAuthor("Tides and Gauges Group"),)
    pages = [
        _read(_paper(ids={"arxiv": "2401.00001"}, authors=names, published="", title="{100 %}")),
        RecordPage("", {}),
        RecordPage("", {}),
    ]
    entries = bibtexparser.parse_string(as_bibtex(pages)).entries

    assert ["group", "paper", "paper-2"] == [entry.key for entry in entries]
    assert r"title = {\{100 \%\}}" in as_bibtex(pages)
    assert "author = {{Tides and Gauges Group}}" in as_bibtex(pages)
    assert "https://arxiv.org/abs/2401.00001" == json.loads(as_csl_json(pages))[0]["URL"]
