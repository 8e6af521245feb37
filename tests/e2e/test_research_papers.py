"""A question that a scope of papers cannot answer: papers are found, fetched and cited by page."""

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
from fpdf import FPDF

from scops.client import Scops
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar

ASKED = "How deep is the basin of the Tarn gauge?"
ANSWER = "The basin of the Tarn gauge is 41 metres deep at the lowest tide."
WRONG = "The basin of the Tarn gauge is 97 metres deep at the lowest tide."
UNKNOWN = "Which captain sank the lightship Godwit in the storm of 1911?"
HEADINGS = ("Introduction", "Measurements", "Discussion")
TEXTS = (
    "Gauges of the coast were read by hand until 1987, and twice a day. Their keepers wrote "
    "the level down together with the weather of the hour, so that floods can be compared.",
    f"{ANSWER} It was sounded from a boat in three nights of March, when the wind was calm.",
    "Floats that are made of cork rise with the years, since salt dries in their pores. "
    "Readings of old gauges have to be corrected for it before they are compared.",
)
TIDES, MOON = "10.1000/tides", "10.1000/moon"
OTHERS = 12
PAGES = 4
SERVICES = ("openalex", "crossref")


def _file(title: str, *texts: str) -> bytes:
    """Sets a paper, a text a page."""
    pdf = FPDF()
    pdf.set_title(title)
    for heading, text in zip(HEADINGS, texts, strict=False):
        pdf.add_page()
        pdf.set_font("Helvetica", "B", 16)
        pdf.cell(0, 12, heading, new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=11)
        pdf.multi_cell(0, 6, text)
    return bytes(pdf.output())


def _work(doi: str, title: str, abstract: str, *urls: str) -> dict[str, Any]:
    """Returns a paper as OpenAlex has it, which knows of no retraction."""
    places = [
        {"is_oa": True, "pdf_url": url, "license": "cc-by", "version": "publishedVersion"}
        for url in urls
    ]
    words = {word: [place] for place, word in enumerate(abstract.split())}
    said = {"id": f"https://openalex.org/W{crc32(doi.encode())}", "is_retracted": False}
    said |= {"doi": f"https://doi.org/{doi}", "title": title, "locations": places}
    return said | {"abstract_inverted_index": words}


class PaperField:
    """Services that know a paper that answers, one that is retracted, and others."""

    def __init__(self, origin: Origin) -> None:
        self.origin, self.scholar = origin, Scholar(origin)
        self.barred_url, self.file_url = f"{origin.url}/barred/tides.pdf", f"{origin.url}/tides.pdf"
        self.moon_url = f"{origin.url}/moon.pdf"
        origin.replace("/robots.txt", "User-agent: *\nDisallow: /barred/\n", type="text/plain")
        origin.replace("/tides.pdf", _file("Levels of tidal gauges", *TEXTS))
        origin.replace("/moon.pdf", _file("Depth of the Tarn gauge", WRONG))
        tides = _work(
            TIDES,
            "Levels of tidal gauges",
            "Soundings and readings of gauges, such as that on the river Tarn",
            self.barred_url,
            self.file_url,
        )
        moon = _work(MOON, "Depth of the basin of the Tarn gauge", WRONG, self.moon_url)
        works = [moon, tides]
        for number in range(OTHERS):
            path = f"/other-{number}.pdf"
            origin.replace(path, _file(f"Lightships, part {number}", TEXTS[0], TEXTS[2]))
            title = f"Captains and storms of the lightship Godwit, part {number}"
            works.append(
                _work(f"10.1000/other{number}", title, "Ships, storms", f"{origin.url}{path}")
            )
        self.scholar.answer("openalex", "works", {"results": works})
        notice = {"DOI": "10.1000/notice", "type": "retraction"}
        retracted = {"DOI": MOON, "title": [moon["title"]], "updated-by": [notice]}
        self.scholar.answer("crossref", f"works/{MOON}", {"message": retracted})
        self.scholar.answer("crossref", "works", {"message": {"items": []}})

    @property
    def setting(self) -> str:
        """Asks both services here."""
        return ",".join(f"{name}={self.scholar.url(name)}" for name in SERVICES)

    def asked_for(self, path: str) -> bool:
        """Says whether a file was requested."""
        return any(one.path == path for one in self.origin.requests)


@pytest.fixture(scope="module")
def field() -> Iterator[PaperField]:
    with running(Origin()) as origin:
        yield PaperField(origin)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, field: PaperField) -> Iterator[System]:
    """A system whose fetcher asks the stand-ins."""
    folder = tmp_path_factory.mktemp("research-papers")
    with System(folder, SCOPS_FETCHER_PAPER_SERVICES=field.setting) as running_system:
        yield running_system


@pytest.fixture(scope="module")
def scops(system: System) -> Iterator[Scops]:
    with Scops(system.address) as client:
        yield client


def _scope(system: System, name: str, *services: str) -> None:
    words = [word for one in services for word in ("--paper-service", one)]
    made = system.run("scope", "create", name, "--include", "prefix:file://paper-records", *words)
    assert 0 == made.code, made.err


def test_paper_is_found_fetched_and_cited_by_its_page(
    system: System, scops: Scops, field: PaperField
) -> None:
    """By the command: where robots.txt bars a place the next is asked; the record is a page."""
    _scope(system, "tides", *SERVICES)
    answer = system.run("ask", ASKED, "--scope", "tides", "--further")
    cited = answer.json["answer"]["citations"]
    run = next(iter(scops.list_researches()))
    pages = {page.uri: page for page in scops.get_research(run).research.pages}

    assert 0 == answer.code, answer.err
    assert (field.file_url, 2) in [
        (one["uri"], one.get("page_number")) for one in cited if ANSWER in one["quote"]
    ]
    assert "blocked" == pages[field.barred_url].outcome
    assert "robots" in pages[field.barred_url].reason
    record = f"file://paper-records/doi/{TIDES}"
    assert (record, "Levels of tidal gauges") == (
        pages[field.file_url].found_on_uri,
        pages[field.file_url].link_text,
    )
    read = system.run("page", "read", record).json["text"]
    assert f"Full text: {field.file_url}" in read
    assert "Licence: cc-by" in read


def test_retracted_paper_is_never_fetched(field: PaperField) -> None:
    """Although one service alone says so, and its title fits best."""
    assert not field.asked_for("/moon.pdf")
    assert f"works/{MOON}" in [one.path for one in field.scholar.asked["crossref"]]


def test_services_are_told_keyphrases_at_their_pace(field: PaperField) -> None:
    """Not the question."""
    searches = [
        one.params["search"] for one in field.scholar.asked["openalex"] if "search" in one.params
    ]

    assert searches
    assert all(ASKED not in words and "How" not in words for words in searches)
    assert min(field.scholar.gaps_seconds("crossref"), default=1.0) >= 0.99
    assert min(field.scholar.gaps_seconds("openalex"), default=0.1) >= 0.1


def test_budget_of_pages_holds_for_papers(system: System, scops: Scops) -> None:
    """By the client's API: no more are fetched."""
    _scope(system, "ships", *SERVICES)
    run = scops.wait_research(scops.research(UNKNOWN, scope="ships", pages=PAGES))

    assert "pages" == run.research.stop_reason
    assert PAGES == len(run.research.pages)


def test_nobody_is_asked_for_a_scope_that_names_no_service(
    system: System, scops: Scops, field: PaperField
) -> None:
    """Nor when it names them no more."""
    asked = {name: len(field.scholar.asked[name]) for name in SERVICES}
    _scope(system, "closed", *SERVICES)
    assert 0 == system.run("scope", "update", "closed", "--no-papers").code
    run = scops.wait_research(scops.research(ASKED, scope="closed"))

    assert "nothing_left" == run.research.stop_reason
    assert asked == {name: len(field.scholar.asked[name]) for name in SERVICES}
