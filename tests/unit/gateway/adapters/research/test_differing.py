"""Quotes that say different numbers of the same thing."""

import pytest

from scops.gateway.adapters.research.differing import differences_of
from scops.gateway.adapters.research.markdown import as_markdown
from scops.gateway.adapters.research.page import as_page
from scops.gateway.adapters.research.report import report_of
from scops.gateway.adapters.research.values import ReportDifference, ReportQuote
from tests.unit.gateway.adapters.research.runs import SITE, told_run

FIRST = "The Heron tariff of the ferry costs 14 euros a month."


def quote(number: int, text: str, *, page: str = "") -> ReportQuote:
    uri = f"{SITE}/{page or number}"
    return ReportQuote(number=number, uri=uri, link=uri, version="v", quote=text)


def test_two_prices_of_one_thing_differ() -> None:
    other = quote(2, "The Heron tariff of the ferry costs 17.50 euros a month.")

    assert [ReportDifference(quote=1, says=["14"], other_quote=2, other_says=["17.50"])] == list(
        differences_of([quote(1, FIRST), other])
    )


@pytest.mark.parametrize(
    "text",
    [
        FIRST,
        "The Heron tariff of the ferry is sold at the pier in month 17.",
        "The Heron tariff of the ferry costs euros a month.",
        "The Heron tariff of the ferry costs 14 euros a month, from 2027.",
    ],
)
def test_what_agrees_adds_or_speaks_of_something_else_does_not(text: str) -> None:
    assert [] == list(differences_of([quote(1, FIRST), quote(2, text)]))


def test_a_page_does_not_differ_from_itself() -> None:
    other = quote(2, "The Heron tariff of the ferry costs 17 euros a month.", page="1")

    assert [] == list(differences_of([quote(1, FIRST), other]))


def test_each_form_of_a_report_tells_of_them() -> None:
    found = told_run()
    found.answer.citations[0].quote = FIRST
    found.answer.citations[1].quote = FIRST.replace("14", "17")
    found.answer.citations[1].uri = f"{SITE}/plans"
    report = report_of(found)

    assert 1 == len(report.differences)
    assert "says 14; " in as_page(report)
    assert "says 17" in as_markdown(report)
