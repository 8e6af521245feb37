"""Services are asked at their pace, and what they answer is joined, whatever is damaged in it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scops.fetcher.adapters.apis.asking import PAUSE_SECONDS_MAX
from scops.libraries.papers.gathering import Gathered
from scops.libraries.papers.names import paper_name
from scops.libraries.papers.port import Years
from scops.standalone.commands.papers.services import SERVICES, PaperServices
from scops.standalone.terminal.exits import CommandError
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar

RECORDED = Path(__file__).parent / "recorded"
DOI = "10.1007/s40278-023-41815-2"
ENVIRONMENT = {"PAPERS_EMAIL": "test@example.org"}
ANY = Years()
# Requests a second that each service allows to whoever says who asks, without a key.
RATES = {"crossref": 3.0, "arxiv": 1 / 3, "semantic-scholar": 1 / 3, "openalex": 100.0}
RATES |= {"europe-pmc": 10.0, "unpaywall": 100_000 / 86_400}


@pytest.fixture
def scholar() -> Iterator[Scholar]:
    """Stand-ins for all services, with the recorded answers."""
    with running(Origin()) as origin:
        made = Scholar(origin)
        for file in sorted(RECORDED.glob("*doi-no-authors.json")):
            made.load(file)
        yield made


@pytest.fixture
def waits() -> list[float]:
    """How long was waited for what."""
    return []


@pytest.fixture
def services(scholar: Scholar, waits: list[float]) -> Iterator[PaperServices]:
    """All services, whose pauses take no time."""
    made = PaperServices((), scholar.servers(), environment=ENVIRONMENT, sleep=waits.append)
    with made as opened:
        yield opened


def _looked_up(services: PaperServices, words: str) -> Gathered:
    return services.gathering.look_up(paper_name(words))


def _alone(scholar: Scholar, name: str, waits: list[float], **env: str) -> PaperServices:
    environment = {**ENVIRONMENT, **env}
    return PaperServices([name], scholar.servers(), environment=environment, sleep=waits.append)


def test_recorded_answers_of_four_services_are_one_paper(services: PaperServices) -> None:
    """Each says when it said what; who does not know such ids is named."""
    (paper,) = _looked_up(services, f"https://doi.org/{DOI.upper()}").papers

    assert ["crossref", "openalex", "semantic-scholar", "unpaywall"] == [
        one.service for one in paper.records
    ]
    assert paper.fact("title").startswith("Convalescent-anti-sars-cov-2-plasma/immune-globulin")
    assert ("Reactions Weekly", "crossref") == paper.said["venue"]
    assert (DOI, "W4381738344") == (paper.ids["doi"], paper.ids["openalex"])
    assert () == paper.authors
    assert not paper.retracted


def test_pace_of_each_service_is_kept(scholar: Scholar) -> None:
    """By the times at which its stand-in was asked."""
    names = list(RATES)
    with PaperServices(names, scholar.servers(), environment=ENVIRONMENT) as services:
        for _ in range(2):
            services.gathering.search("gauges", years=ANY, limit=5)
            _looked_up(services, DOI)
            _looked_up(services, "arXiv:1605.08386")

    for name, rate in RATES.items():
        gaps = scholar.gaps_seconds(name)
        assert gaps, name
        assert min(gaps) >= 1 / rate, name


def test_rate_that_is_told_is_kept_and_shown(scholar: Scholar, waits: list[float]) -> None:
    """Crossref's interval, where it is longer than the pause that is usual."""
    told = {"X-Rate-Limit-Limit": "2", "X-Rate-Limit-Interval": "5s"}
    scholar.answer("crossref", "works", {"message": {"items": []}}, headers=told)
    with _alone(scholar, "crossref", waits) as services:
        for _ in range(2):
            services.gathering.search("gauges", years=ANY, limit=5)
        use = services.uses()["crossref"]

    assert [2.5] == waits
    assert {"requests": 2, "busy": 0, "waited_seconds": 2.5, "rate": "2 requests in 5 s"} == use


@pytest.mark.parametrize(
    ("limit", "interval"), [("100", "24h"), ("0.000001", "999999999999h"), ("1", "1h")]
)
def test_rate_that_is_told_is_kept_within_bounds(
    scholar: Scholar, waits: list[float], limit: str, interval: str
) -> None:
    """Whatever a service tells, the others are waiting."""
    told = {"X-Rate-Limit-Limit": limit, "X-Rate-Limit-Interval": interval}
    scholar.answer("crossref", "works", {"message": {"items": []}}, headers=told)
    with _alone(scholar, "crossref", waits) as services:
        for _ in range(2):
            services.gathering.search("gauges", years=ANY, limit=5)

    assert [PAUSE_SECONDS_MAX] == waits


def test_what_is_left_is_told_and_waited_for(scholar: Scholar, waits: list[float]) -> None:
    """Where nothing is left, until the reset; a day is not waited for."""
    none_left = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"}
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "39951"}
    for headers in (none_left, spent):
        scholar.answer("openalex", "works", {"results": []}, headers=headers)
    with _alone(scholar, "openalex", waits) as services:
        for _ in range(3):
            services.gathering.search("gauges", years=ANY, limit=5)
        use = services.uses()["openalex"]

    assert [30.0, 0.1] == waits
    assert "0 left for 39951 s" == use["rate"]


def test_service_that_is_busy_is_asked_again_when_it_says(
    scholar: Scholar, waits: list[float]
) -> None:
    """After Retry-After; without one after a second, then two."""
    scholar.busy["semantic-scholar"] = [7.0, None, None]
    with _alone(scholar, "semantic-scholar", waits) as services:
        found = _looked_up(services, DOI)
        use = services.uses()["semantic-scholar"]

    assert [7.0, 2.0, 4.0] == [wait for wait in waits if wait != 3.05]
    assert (4, 3) == (use["requests"], use["busy"])
    assert 1 == len(found.papers)


def test_service_that_stays_busy_keeps_nobody_else_from_answering(
    services: PaperServices, scholar: Scholar
) -> None:
    """It is named with how long it wants to be left alone."""
    scholar.busy["openalex"] = [3600.0] * 9
    found = _looked_up(services, DOI)

    assert {"crossref", "semantic-scholar", "unpaywall"} == {
        one.service for one in found.papers[0].records
    }
    assert "ask again in 3600 s" in found.faults["openalex"]
    assert 1 == len(scholar.asked["openalex"])


@pytest.mark.parametrize(
    ("service", "path", "body"),
    [
        ("openalex", "works", {"results": [{"id": 7, "authorships": "none"}, None, "x"]}),
        ("crossref", "works", {"message": {"items": [{"DOI": 1, "author": [7]}, None, []]}}),
        ("semantic-scholar", "paper/search", {"data": [None, {"title": 7}, {"externalIds": []}]}),
        ("europe-pmc", "search", {"resultList": {"result": [None, "x", {"authorList": 7}]}}),
        ("core", "search/works", {"results": [None, {"title": "Gauges"}, {"id": 1, "authors": 7}]}),
        (
            "arxiv",
            "",
            '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>x</id></entry>'
            "<entry><title>Gauges</title></entry><entry/></feed>",
        ),
    ],
)
def test_damaged_records_are_skipped_with_why(
    scholar: Scholar, waits: list[float], service: str, path: str, body: Any
) -> None:
    """None of them keeps the others from being read."""
    scholar.answer(service, path, body)
    with _alone(scholar, service, waits, CORE_API_KEY="key") as services:
        found = services.gathering.search("gauges", years=ANY, limit=5)

    assert 3 == len(found.skipped)
    assert {service} == {one.service for one in found.skipped}
    assert all("of another form" in one.why for one in found.skipped)
    assert {} == found.faults


@pytest.mark.parametrize(
    "body",
    ["{", "[]", '"x"', '{"results": 7, "message": {"items": 7}}', "[" * 99_999, '{"a":' * 99_999],
)
def test_answer_that_is_no_answer_is_a_fault(
    scholar: Scholar, waits: list[float], body: str
) -> None:
    """The service is named."""
    scholar.answer("openalex", "works", body)
    scholar.answer("crossref", "works", body)
    scholar.answer("arxiv", "", body)
    names = ["openalex", "crossref", "arxiv"]
    with PaperServices(names, scholar.servers(), sleep=waits.append) as services:
        found = services.gathering.search("gauges", years=ANY, limit=5)

    assert set(names) == set(found.faults)


def test_error_of_arxiv_is_no_paper(scholar: Scholar, waits: list[float]) -> None:
    """Its errors look like papers."""
    scholar.load(RECORDED / "arxiv-011-error-400-bad-id.json")
    with _alone(scholar, "arxiv", waits) as services:
        found = _looked_up(services, "arXiv:1605.08386")

    assert [] == found.papers
    assert "400" in found.faults["arxiv"]


def test_preprint_of_arxiv_is_looked_up_by_its_id(scholar: Scholar, waits: list[float]) -> None:
    """With its file, and without a licence, since arXiv tells none there."""
    scholar.load(RECORDED / "arxiv-005-id-new-style.json", id_list="1605.08386")
    with _alone(scholar, "arxiv", waits) as services:
        (paper,) = _looked_up(services, "https://arxiv.org/abs/1605.08386v1").papers

    assert "Heat-bath random walks with Markov bases" == paper.fact("title")
    assert ("v1", "2016-05-26") == (paper.fact("version"), paper.fact("published"))
    assert ["https://arxiv.org/abs/1605.08386v1", "https://arxiv.org/pdf/1605.08386v1"] == [
        place.url for place in paper.locations
    ]


def test_retraction_is_told_as_crossref_documents_it(scholar: Scholar, waits: list[float]) -> None:
    """`updated-by` of the work; `update-to` makes the notice none of itself."""
    updated = {"date-parts": [[2023, 5, 6]]}
    by = {"DOI": "10.1000/notice", "type": "retraction", "updated": updated}
    by |= {"source": "retraction-watch"}
    to = {"DOI": "10.1000/gauge", "type": "retraction", "updated": updated}
    work = {"DOI": "10.1000/gauge", "title": ["Gauges"], "updated-by": [by]}
    notice = {"DOI": "10.1000/notice", "title": ["Retraction: Gauges"], "update-to": [to]}
    scholar.answer("crossref", "works/10.1000/gauge", {"message": work})
    scholar.answer("crossref", "works/10.1000/notice", {"message": notice})
    with _alone(scholar, "crossref", waits) as services:
        (paper,) = _looked_up(services, "10.1000/gauge").papers
        (other,) = _looked_up(services, "10.1000/notice").papers

    assert paper.retracted
    assert ("10.1000/notice", "2023-05-06", "crossref by retraction-watch") == (
        paper.notices[0].doi,
        paper.notices[0].date,
        paper.notices[0].said_by,
    )
    assert (False, True) == (other.retracted, other.is_notice)


def test_retraction_is_told_as_pubmed_marks_it(scholar: Scholar, waits: list[float]) -> None:
    """By the kind of publication, and where the notice stands."""
    correction = {"type": "Retraction in", "reference": "Tides. 2023. doi: 10.1000/notice"}
    said = {
        "id": "7",
        "source": "MED",
        "pmid": "7",
        "title": "Gauges of the moon.",
        "pubTypeList": {"pubType": ["Journal Article", "Retracted Publication"]},
        "commentCorrectionList": {"commentCorrection": [correction]},
    }
    scholar.answer("europe-pmc", "search", {"resultList": {"result": [said]}})
    with _alone(scholar, "europe-pmc", waits) as services:
        (paper,) = _looked_up(services, "pmid:7").papers

    assert paper.retracted
    assert ["10.1000/notice"] == [notice.doi for notice in paper.notices]


@pytest.mark.parametrize("open_access", ["Y", "N"])
def test_what_is_open_access_is_given_by_its_structure(
    scholar: Scholar, waits: list[float], open_access: str
) -> None:
    """By Europe PMC's full texts, under the licence that it states."""
    said = {"id": "7", "source": "MED", "pmid": "7", "pmcid": "PMC7", "title": "Gauges."}
    said |= {"isOpenAccess": open_access, "license": "cc by"}
    scholar.answer("europe-pmc", "search", {"resultList": {"result": [said]}})
    with _alone(scholar, "europe-pmc", waits) as services:
        (paper,) = _looked_up(services, "pmid:7").papers

    url = "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC7/fullTextXML"
    assert ([("xml", url, "cc-by")] if open_access == "Y" else []) == [
        (place.kind, place.url, place.licence) for place in paper.locations
    ]


def test_search_reads_on_and_keeps_to_years_and_limit(scholar: Scholar, waits: list[float]) -> None:
    """Cursor by cursor; of what has no year nobody knows that it lies outside."""
    works = [
        {"id": f"https://openalex.org/W{number}", "title": f"Gauge number {number}"}
        | ({"publication_year": 2000 + number} if number else {})
        for number in range(6)
    ]
    first = {"results": works[:3], "meta": {"next_cursor": "more"}}
    scholar.answer("openalex", "works", first, cursor="*")
    scholar.answer("openalex", "works", {"results": works[3:]}, cursor="more")
    with _alone(scholar, "openalex", waits) as services:
        found = services.gathering.search("a:gauge, b", years=Years(2002, 2004), limit=6)

    assert [f"W{number}" for number in (0, 2, 3, 4)] == [
        paper.ids["openalex"] for paper in found.papers
    ]
    asked = scholar.asked["openalex"][0].params
    assert "from_publication_date:2002-01-01,to_publication_date:2004-12-31" == asked["filter"]
    assert "a gauge b" == asked["search"]


def test_references_are_told_page_by_page(scholar: Scholar, waits: list[float]) -> None:
    """Of Semantic Scholar, for which the recorded answer is the last part."""
    service = "semantic-scholar"
    scholar.answer(service, "paper/DOI:10.1000/gauge", {"paperId": "abc", "title": "Gauges"})
    cited = [{"citedPaper": {"paperId": str(number), "title": "T"}} for number in range(50)]
    part = {"data": cited, "next": 50}
    scholar.answer(service, "paper/abc/references", part, offset="0")
    last = RECORDED / "semantic-scholar-018-references-page-2-last.json"
    scholar.load(last, offset="50")
    answer = scholar.answers[service].pop()
    moved = {"path": "paper/abc/references", "params": answer.params, "body": answer.body}
    scholar.answer(service, moved["path"], moved["body"], offset="50")
    with _alone(scholar, service, waits) as services:
        (paper,) = _looked_up(services, "10.1000/gauge").papers
        found = services.gathering.related(paper, citations=False, limit=100)

    assert 67 == len(found.papers) + len(found.skipped)
    assert ["0", "50"] == [one.params["offset"] for one in scholar.asked[service][1:]]


def test_keys_are_sent_and_what_wants_one_says_so(scholar: Scholar, waits: list[float]) -> None:
    """As each service documents it; none is needed but of CORE and Unpaywall."""
    keys = {"OPENALEX_API_KEY": "o", "SEMANTIC_SCHOLAR_API_KEY": "s", "CORE_API_KEY": "c"}
    servers = scholar.servers()
    with PaperServices((), servers, environment=keys, sleep=waits.append) as services:
        told = services.gathering.search("gauges", years=ANY, limit=5)
        _looked_up(services, DOI)
    with PaperServices((), servers, environment={}, sleep=waits.append) as services:
        silent = _looked_up(services, DOI)

    assert "o" == scholar.asked["openalex"][0].params["api_key"]
    assert "s" == scholar.asked["semantic-scholar"][0].headers["x-api-key"]
    assert "Bearer c" == scholar.asked["core"][0].headers["Authorization"]
    assert "core" not in told.not_offered
    assert "CORE_API_KEY" in silent.not_offered["core"]
    assert "PAPERS_EMAIL" in silent.not_offered["unpaywall"]


def test_unknown_services_and_servers_are_refused() -> None:
    """By words that say which there are."""
    for names, servers in ((["scholar"], []), ([], ["google=https://x.test"]), ([], ["core=x"])):
        with pytest.raises(CommandError):
            PaperServices(names, servers)

    assert 7 == len(SERVICES)


def test_paper_that_nobody_knows_is_no_fault(scholar: Scholar, waits: list[float]) -> None:
    """As the services say it: 404 as text, HTML and JSON, and lists without hits."""
    path = "works/https://doi.org/10.1000/none"
    told = {"openalex": ("010-error-404-html", path)}
    told["crossref"] = ("022-error-404-doi", "works/10.1000/none")
    told["semantic-scholar"] = ("028-error-404-paper", "paper/DOI:10.1000/none")
    told["europe-pmc"] = ("005-search-no-result", "search")
    for service, (name, path) in told.items():
        answer = json.loads((RECORDED / f"{service}-{name}.json").read_text())["response"]
        scholar.answer(service, path, answer["body"], status=answer["status"])
    with PaperServices(list(told), scholar.servers(), sleep=waits.append) as services:
        found = _looked_up(services, "10.1000/none")

    assert ([], {}, []) == (found.papers, found.faults, found.skipped)
    assert set(told) == set(scholar.asked)


def test_recorded_refusal_is_waited_for(scholar: Scholar, waits: list[float]) -> None:
    """A 429 of Semantic Scholar, which does not say for how long."""
    name = "semantic-scholar-031-retry-1-of-3-error-429.json"
    answer = json.loads((RECORDED / name).read_text())["response"]
    search = ("semantic-scholar", "paper/search")
    scholar.answer(*search, answer["body"], status=answer["status"])
    scholar.answer(*search, {"data": [{"paperId": "1", "title": "Gauges"}]})
    with _alone(scholar, "semantic-scholar", waits) as services:
        found = services.gathering.search("gauges", years=ANY, limit=5)

    assert ["Gauges"] == [paper.fact("title") for paper in found.papers]
    assert 1.0 in waits


def test_title_is_looked_up_where_it_is_alike(scholar: Scholar, waits: list[float]) -> None:
    """Of what a service finds for it, the paper that has it; here one that is closed."""
    scholar.load(RECORDED / "unpaywall-006-search-title-one-hit.json")
    title = "Effect of native oxide layers on copper thin-film tensile properties"
    with _alone(scholar, "unpaywall", waits) as services:
        (paper,) = _looked_up(services, title).papers
        other = _looked_up(services, "Effect of oxide layers on copper")

    assert ("10.1063/1.4938384", ()) == (paper.ids["doi"], paper.locations)
    assert [] == other.papers
