"""Papers are found by services, taken into a scope, asked, cited by page, and exported."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fpdf import FPDF

from tests.e2e.system import Ended, System
from tests.fakes.files.jats import ARTICLE
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar
from tests.fakes.servers.zotero import Zotero

TIDES, MOON, CLOSED = "10.1000/tides", "10.1000/moon", "10.1000/closed"
SOUNDED = "10.1000/sounded"
ASKED = "How deep is the basin of the Tarn gauge?"
ANSWER = "The basin of the Tarn gauge is 41 metres deep at the lowest tide."
PAGES = (
    (
        "Introduction",
        "Gauges of the coast were read by hand until 1987, and twice a day. Their keepers wrote "
        "the level down together with the weather of the hour, so that floods can be compared.",
    ),
    (
        "Measurements",
        f"{ANSWER} It was sounded from a boat in three nights of March, when the wind was calm.",
    ),
    (
        "Discussion",
        "Floats that are made of cork rise with the years, since salt dries in their pores. "
        "Readings of old gauges have to be corrected for it before they are compared.",
    ),
)


def _file() -> bytes:
    """Sets a paper of three pages."""
    pdf = FPDF()
    pdf.set_title("Levels of tidal gauges")
    for title, text in PAGES:
        pdf.add_page()
        pdf.set_font("Helvetica", "B", 16)
        pdf.cell(0, 12, title, new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=11)
        pdf.multi_cell(0, 6, text)
    return bytes(pdf.output())


class Field:
    """A field of research: services that know three papers, and a repository that has one."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.scholar = Scholar(origin)
        self.zotero = Zotero(origin)
        self.file_url = f"{origin.url}/files/tides.pdf"
        self.barred_url = f"{origin.url}/barred/tides.pdf"
        origin.replace("/robots.txt", "User-agent: *\nDisallow: /barred/\n", type="text/plain")
        origin.replace("/files/tides.pdf", _file())
        origin.replace("/barred/tides.pdf", _file())
        self.jats_url = f"{origin.url}/rest/PMC7/fullTextXML"
        origin.replace("/rest/PMC7/fullTextXML", ARTICLE, type="application/xml")
        self._tell_crossref()
        self._tell_openalex()

    def _tell_crossref(self) -> None:
        dates = {"issued": {"date-parts": [[2023, 4, 1]]}, "type": "journal-article"}
        people = [{"family": "Heron", "given": "Ada"}, {"family": "Grebe", "given": "Bo"}]
        tides = {
            "DOI": TIDES,
            "title": ["Levels of tidal gauges"],
            "author": people,
            "container-title": ["Tides & Gauges"],
            "volume": "7",
            "page": "1-12",
            **dates,
        }
        by = {"DOI": "10.1000/notice", "type": "retraction", "updated": dates["issued"]}
        moon = {"DOI": MOON, "title": ["Gauges of the moon"], "author": people[:1], **dates}
        moon |= {"updated-by": [by]}
        closed = {"DOI": CLOSED, "title": ["A paper behind a wall"], "author": people[1:], **dates}
        for work in (tides, moon, closed):
            self.scholar.answer("crossref", f"works/{work['DOI']}", {"message": work})
        found = {"message": {"items": [tides, {"title": 7, "author": "damaged"}]}}
        self.scholar.answer("crossref", "works", found)

    def _tell_openalex(self) -> None:
        places = [
            _place(self.barred_url, "publishedVersion", "cc-by"),
            _place(self.file_url, "submittedVersion", "cc-by"),
        ]
        work = {"id": "https://openalex.org/W1", "doi": f"https://doi.org/{TIDES}"}
        work |= {"title": "Levels of tidal gauges", "is_retracted": False, "locations": places}
        self.scholar.answer("openalex", f"works/https://doi.org/{TIDES}", work)
        self.scholar.answer("openalex", "works", {"results": [work]})
        self.tell_place(SOUNDED, self.jats_url)

    def tell_place(self, doi: str, url: str) -> None:
        """Has OpenAlex know a paper with one place."""
        work = {"id": f"https://openalex.org/{doi}", "doi": f"https://doi.org/{doi}"}
        work |= {"title": doi, "locations": [_place(url, "publishedVersion", "")]}
        self.scholar.answer("openalex", f"works/https://doi.org/{doi}", work)


def _place(url: str, version: str, licence: str) -> dict[str, Any]:
    said = {"is_oa": True, "pdf_url": url, "license": licence, "version": version}
    return said | {"source": {"type": "repository"}}


class Taken:
    """What the commands said."""

    def __init__(self, system: System, field: Field, folder: Path) -> None:
        self.field = field
        self.system = system
        bib = folder / "field.bib"
        bib.write_text(f"@article{{m, title={{Moon}}, doi={{{MOON}}}}}\n@misc{{broken", "utf-8")
        words = ("papers", "add", "--scope", "tides", "--service", "crossref")
        self.words = (*words, "--service", "openalex", *field.scholar.words())
        self.searched = self.run("papers", "search", "tidal gauges", "--years", "2019-2024")
        self.added = system.run(*self.words, TIDES, f"https://doi.org/{CLOSED}", "--bib", str(bib))
        self.again = system.run(*self.words, "--query", "tidal gauges")

    def run(self, *words: str) -> Ended:
        """Runs a command that asks the stand-ins."""
        some = ("--service", "crossref", "--service", "openalex")
        return self.system.run(*words, *some, *self.field.scholar.words())

    @property
    def papers(self) -> dict[str, Any]:
        """What was added, by name."""
        return {one["name"]: one for one in self.added.json["papers"]}


@pytest.fixture(scope="module")
def taken(shared: System, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    """Three papers taken into a scope, then the one that a search finds."""
    with running(Origin()) as origin:
        yield Taken(shared, Field(origin), tmp_path_factory.mktemp("papers"))


def test_search_joins_what_services_say(taken: Taken) -> None:
    """One paper, of two services; a damaged record is skipped with why."""
    (paper,) = taken.searched.json["papers"]

    assert [("openalex", "asked"), ("crossref", "id")] == [
        (one["service"], one["by"]) for one in paper["joined"]
    ]
    assert ["crossref"] == [one["service"] for one in taken.searched.json["skipped"]]


def test_a_question_is_searched_by_its_keyphrases(taken: Taken) -> None:
    """They are shown, and each service is asked for them alone."""
    found = taken.run("papers", "search", ASKED, "--keyphrases", "2")
    crossref = taken.field.scholar.asked["crossref"][-1].params

    assert ["Levels of tidal gauges"] == [one["title"] for one in found.json["papers"]]
    assert "searched by: " in found.err
    (words,) = (one for one in crossref.values() if "Tarn gauge" in one)
    assert {"Tarn", "gauge", "deep", "basin"} >= set(words.split())
    assert words in found.err


def test_text_comes_from_the_best_place_that_robots_allow(taken: Taken) -> None:
    """The published version is barred, so the manuscript is read; licence and source are told."""
    tides = taken.papers[f"doi:{TIDES}"]

    assert taken.field.file_url == tides["text"]
    assert ("cc-by", "openalex", "submitted") == (
        tides["licence"],
        tides["said_by"],
        tides["version"],
    )
    assert [taken.field.barred_url] == [one["url"] for one in tides["tried"]]
    assert "robots" in tides["tried"][0]["why"]


def test_what_has_no_text_says_why(taken: Taken) -> None:
    """A retracted paper, one that is closed, and an entry that is damaged."""
    moon, closed = taken.papers[f"doi:{MOON}"], taken.papers[f"doi:{CLOSED}"]

    assert (True, "") == (moon["retracted"], moon["text"])
    assert "retracted" in moon["why"]
    assert "everybody may read" in closed["why"]
    assert ["line 2"] == list(taken.added.json["unread"])


def test_answer_cites_the_page_of_the_paper(taken: Taken) -> None:
    """Asked, and answered with the page on which it stands."""
    answer = taken.system.run("ask", ASKED, "--scope", "tides").json
    citation = answer["citations"][0]

    assert ANSWER in answer["statements"][0]["text"]
    assert (taken.field.file_url, 2) == (citation["uri"], citation["page_number"])


def test_answer_cites_the_section_of_an_article_in_jats(taken: Taken) -> None:
    """Fetched as XML, read by its structure."""
    added = taken.run("papers", "add", SOUNDED, "--scope", "sounded")
    asked = "In how many nights was the basin sounded?"
    answer = taken.system.run("ask", asked, "--scope", "sounded").json
    (citation,) = (one for one in answer["citations"] if "three nights" in one["quote"])

    assert [taken.field.jats_url] == [one["text"] for one in added.json["papers"]]
    assert ["1 Methods", "1.1 Sounding"] == citation["section_path"][-2:]


@pytest.mark.parametrize("status", [301, 302])
def test_place_that_moved_to_another_host_is_followed_there(taken: Taken, status: int) -> None:
    """As a place of its own, hop by hop; what gave no text is no page of the scope."""
    scope, doi = f"moved-{status}", f"10.1000/moved.{status}"
    with running(Origin()) as elsewhere, running(Origin()) as library:
        library.replace("/tides.pdf", _file())
        elsewhere.redirect("/tides.pdf", f"{library.url}/tides.pdf", status)
        taken.field.origin.redirect(f"/{scope}.pdf", f"{elsewhere.url}/tides.pdf", status)
        taken.field.tell_place(doi, f"{taken.field.origin.url}/{scope}.pdf")
        added = taken.run("papers", "add", doi, "--scope", scope)
        again = taken.run("papers", "add", doi, "--scope", scope)
        rules = taken.system.run("scope", "show", scope).json["rules"]

        (paper,) = added.json["papers"]
        assert f"{library.url}/tides.pdf" == paper["text"], added.out
        assert [
            f"{taken.field.origin.url}/{scope}.pdf",
            f"{elsewhere.url}/tides.pdf",
        ] == [one["url"] for one in paper["tried"]]
        assert [(True, paper["text"], [])] == [
            (one["unchanged"], one["text"], one["tried"]) for one in again.json["papers"]
        ]
        assert ["file://paper-records", f"{library.url}/tides.pdf"] == [
            one["pattern"] for one in rules
        ]


def test_a_question_has_papers_looked_for_until_it_is_answered(taken: Taken) -> None:
    """By its keyphrases, into the scope; asked again it needs none, and the paper is exported."""
    words = ("papers", "ask", ASKED, "--scope", "asked")
    first = taken.run(*words, "--papers", "2")
    again = taken.run(*words)
    exported = taken.system.run("papers", "export", "--scope", "asked", "--format", "bib")

    assert 0 == first.code, first.err
    assert "covered" == first.json["stop_reason"]
    assert ["searched_by"] == [key for key in first.json["looks"][0] if key == "searched_by"]
    assert [TIDES] == [
        one["name"].removeprefix("doi:") for one in first.json["looks"][-1]["papers"]
    ]
    (citation,) = (one for one in first.json["answer"]["citations"] if ANSWER in one["quote"])
    assert 2 == citation["page_number"]
    assert "searched by: " in first.err
    assert ([], 0) == (again.json["looks"], again.code)
    assert TIDES in exported.out


def test_what_no_paper_answers_is_said(taken: Taken) -> None:
    """With what was searched, and why no more is."""
    question = "Which captain sank the lightship Godwit in the storm of 1911?"
    asked = taken.run("papers", "ask", question, "--scope", "unasked", "--search", "tidal gauges")

    assert 5 == asked.code
    assert "nothing_left" == asked.json["stop_reason"]
    assert ["tidal gauges"] == [look["searched_by"] for look in asked.json["looks"]]
    assert not asked.json["answer"]["answered"]


def test_record_states_what_services_said(taken: Taken) -> None:
    """Authors, journal, date and retraction are answered from the record's page."""
    uri = taken.papers[f"doi:{MOON}"]["record"]
    read = taken.system.run("page", "read", uri).json["text"]

    assert "file://paper-records/doi/10.1000/moon" == uri
    assert "Retracted: yes on 2023-04-01 by 10.1000/notice, as crossref says" in read
    assert "Authors: Heron, Ada" in read


def test_search_that_every_service_refuses_is_no_success(shared: System) -> None:
    """With nothing taken, and beside a paper that was named and found."""
    with running(Origin()) as origin:
        scholar = Scholar(origin)
        work = {"DOI": TIDES, "title": ["Levels of tidal gauges"]}
        scholar.answer("crossref", f"works/{TIDES}", {"message": work})
        for service in ("crossref", "openalex"):
            scholar.answer(service, "works", "refused", status=403)
        some = ("--service", "crossref", "--service", "openalex", *scholar.words())
        words = ("papers", "add", "--scope", "refused", *some, "--query", "tidal gauges")
        alone = shared.run(*words)
        beside = shared.run(*words, TIDES)

    # What was found is said first, then what is wrong.
    nothing, _ = map(json.loads, alone.out.splitlines())
    found, wrong = map(json.loads, beside.out.splitlines())
    assert (4, []) == (alone.code, nothing["papers"])
    assert "crossref" in nothing["faults"]
    assert (6, [f"doi:{TIDES}"]) == (beside.code, [one["name"] for one in found["papers"]])
    assert "'tidal gauges'" in wrong["error"]["message"]


def test_references_that_nobody_tells_are_no_empty_list(shared: System) -> None:
    """The service that refused them is named."""
    with running(Origin()) as origin:
        scholar = Scholar(origin)
        work = {"DOI": TIDES, "title": ["Levels of tidal gauges"]}
        scholar.answer("crossref", f"works/{TIDES}", {"message": work})
        scholar.answer("crossref", f"works/{TIDES}", "refused", status=403)
        words = ("papers", "show", TIDES, "--references", "5", "--service", "crossref")
        shown = shared.run(*words, *scholar.words())

    assert ([], ["crossref"]) == (shown.json["references"], list(shown.json["faults"]))


def test_paper_that_is_here_is_taken_once(taken: Taken) -> None:
    """What a search finds again changes nothing."""
    (paper,) = taken.again.json["papers"]

    assert paper["unchanged"]
    assert taken.field.file_url == paper["text"]
    assert {"added": 0, "changed": 0, "unchanged": 1} == {
        name: taken.again.json["records"][name] for name in ("added", "changed", "unchanged")
    }


def test_papers_of_a_library_of_zotero_are_taken(taken: Taken) -> None:
    """Over two parts; a collection by its key, and what names no paper told."""
    library = "groups/7/collections/ABCD2345"
    items = [{"id": f"heron/{doi}", "DOI": doi} for doi in (TIDES, MOON)]
    taken.field.zotero.items[library] = [*items, {"id": "heron/note"}]
    server = f"zotero={taken.field.zotero.url}"
    found = taken.run("papers", "add", "--scope", "tides", "--zotero", library, "--server", server)

    assert [f"doi:{TIDES}", f"doi:{MOON}"] == [one["name"] for one in found.json["papers"]]
    assert ["heron/note"] == list(found.json["unread"])


def test_papers_are_exported_as_citations(taken: Taken) -> None:
    """In BibTeX, CSL-JSON and RIS; the retracted one is marked."""
    formats = ("bib", "csl", "ris")
    bib, csl, ris = (
        taken.system.run("papers", "export", "--scope", "tides", "--format", one).out
        for one in formats
    )

    assert 3 == bib.count("@article{")
    assert r"journal = {Tides \& Gauges}" in bib
    assert "author = {Heron, Ada and Grebe, Bo}" in bib
    assert "RETRACTED: Gauges of the moon" in bib
    assert '"DOI": "10.1000/tides"' in csl
    assert "AU  - Heron, Ada" in ris
