"""The report of a research, of what the API says of the run."""

from scops.api.v1alpha1 import research_service_pb2 as pb
from scops.gateway.adapters.research.report import report_of
from scops.gateway.adapters.research.values import PageUse, ReportLink
from tests.unit.gateway.adapters.research.runs import HOSTILE, SITE, told_run


def test_each_page_says_what_it_was_good_for() -> None:
    """And why it was no more."""
    pages = {page.uri.removeprefix(SITE): page for page in report_of(told_run()).pages}

    assert {
        "/": PageUse.FAR,
        "/plans": PageUse.NEAR,
        "/price": PageUse.CITED,
        "/far": PageUse.FAR,
        "/gone": PageUse.ABSENT,
        "/open": PageUse.ABSENT,
    } == {path: page.use for path, page in pages.items()}
    assert f"there is no such page ({HOSTILE})" == pages["/gone"].why
    assert "has not been fetched" in pages["/open"].why


def test_a_cited_page_has_its_way_and_its_times_once() -> None:
    """However often it is cited."""
    (cited,) = report_of(told_run()).cited_pages

    assert [
        ReportLink(on_uri=f"{SITE}/", text=HOSTILE, uri=f"{SITE}/plans"),
        ReportLink(on_uri=f"{SITE}/plans", text="click here", uri=f"{SITE}/price"),
    ] == cited.way
    assert ("2026-03-01T12:00:00Z", "2026-03-01T12:02:00Z") == (
        cited.fetch_time,
        cited.verified_time,
    )


def test_it_says_why_it_stopped_and_what_it_cost() -> None:
    """Pages that were known are not fetched, and those still open were not."""
    report = report_of(told_run())

    assert ("covered", "what it found suffices") == (report.stop_reason, report.stopped)
    assert (4, 25, 7.5, 120) == (
        report.cost.pages,
        report.cost.pages_budget,
        report.cost.seconds,
        report.cost.seconds_budget,
    )
    assert (900, 30) == (report.cost.input_tokens, report.cost.output_tokens)
    assert [(1, 0.1), (3, 0.2), (5, 0.84)] == [(one.fetched, one.coverage) for one in report.looks]
    assert (0.84, ["captain", HOSTILE]) == (report.coverage, report.missing_words)


def test_a_run_that_goes_on_has_a_report() -> None:
    """Without an end, an answer or a look."""
    found = pb.GetResearchResponse()
    found.research.name, found.research.state = "researches/1", pb.Research.STATE_RUNNING
    report = report_of(found)

    assert ("running", "", "") == (report.state, report.stopped, report.end_time)
    assert (0.0, [], [], False) == (
        report.coverage,
        report.looks,
        report.cited_pages,
        report.answered,
    )


def test_links_in_a_circle_are_a_way_that_ends() -> None:
    """As where a page was joined to one before it."""
    found = told_run()
    found.research.pages[1].found_on_uri = f"{SITE}/price"
    (cited,) = report_of(found).cited_pages

    assert [f"{SITE}/plans", f"{SITE}/price"] == [one.uri for one in cited.way]
