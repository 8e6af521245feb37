"""Cited pages are checked before an answer goes out where that is wanted; and demand is told."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.bus.ports import Outgoing
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    PageRisk,
    PageRisksRequest,
    PageRisksResponse,
    VerifiedPage,
    VerifyOutcome,
    VerifyRequest,
    VerifyResponse,
)
from scops.common.contract.messages.explanation import CitedPage, PageCited, Revalidate
from scops.common.query.ports import PAGE_RISKS, VERIFY
from scops.explainer.citations.cited_pages import CitedPages
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import Explaining
from tests.fakes.worlds.indexed_pages import page_of

URL = "https://docs.example.org/fees"
OLD = page_of(URL, "The yearly fee is 24 euros.", title="Fees")
NEW = page_of(URL, "The yearly fee is 36 euros.", title="Fees")
QUESTION = "What is the yearly fee?"


async def asked(
    outcome: VerifyOutcome, *, risk: float = 0.5
) -> tuple[Explaining, list[VerifyRequest]]:
    """Returns a world whose fetcher finds something, and what it was asked to check."""
    world = Explaining.create()
    await world.finds(OLD)
    checks: list[VerifyRequest] = []

    def verify(request: VerifyRequest) -> VerifyResponse:
        checks.append(request)
        return VerifyResponse(
            pages=tuple(
                VerifiedPage(
                    page_id=PageId(page_id),
                    outcome=outcome,
                    checked_time=None if outcome is VerifyOutcome.UNKNOWN else world.clock.now(),
                )
                for page_id in request.page_ids
            )
        )

    def risks(request: PageRisksRequest) -> PageRisksResponse:
        return PageRisksResponse(
            pages=tuple(
                PageRisk(
                    page_id=PageId(page_id),
                    checked_time=START,
                    change_rate=0.25,
                    stale_probability=risk,
                )
                for page_id in request.page_ids
            )
        )

    world.queries.answers[VERIFY.name] = verify
    world.queries.answers[PAGE_RISKS.name] = risks
    return world, checks


async def test_answer_tells_the_risk_that_the_fetcher_sees() -> None:
    """Rate and probability are the schedule's, where it answers."""
    world, checks = await asked(VerifyOutcome.UNCHANGED, risk=0.4)
    response = await world.ask(QUESTION)

    assert response.freshness is not None
    assert (0.25, 0.4) == (response.freshness.pages[0].change_rate, response.freshness.risk)
    assert [] == checks


async def test_unchanged_page_carries_no_risk_any_more() -> None:
    """The answer says when it was checked, and what the risk was before."""
    world, checks = await asked(VerifyOutcome.UNCHANGED)
    world.clock.advance(3600)
    response = await world.ask(QUESTION, revalidate=Revalidate.ALWAYS)

    assert response.freshness is not None
    (page,) = response.freshness.pages
    assert ("unchanged", 0.0, world.clock.now()) == (page.check, page.risk, page.verified_time)
    assert (0.0, 0.5) == (response.freshness.risk, response.freshness.risk_before)
    assert 1 == len(checks)


@pytest.mark.parametrize(("risk", "count"), [(0.1, 0), (0.6, 1)])
async def test_if_risky_checks_above_the_bound_alone(risk: float, count: int) -> None:
    """Fetches are spent where an answer may be wrong."""
    world, checks = await asked(VerifyOutcome.UNCHANGED, risk=risk)
    await world.ask(QUESTION, revalidate=Revalidate.IF_RISKY)

    assert count == len(checks)


async def test_changed_page_is_answered_from_anew() -> None:
    """What the page says now is what is quoted."""
    world, _ = await asked(VerifyOutcome.CHANGED)
    verify = world.queries.answers[VERIFY.name]
    (new,) = await Explaining.finds(await _other(world), NEW)

    def found(request: VerifyRequest) -> VerifyResponse:
        world.found[:] = [new]
        response: VerifyResponse = verify(request)
        return response

    world.queries.answers[VERIFY.name] = found
    response = await world.ask(QUESTION, revalidate=Revalidate.ALWAYS)

    assert ["The yearly fee is 36 euros."] == [entry.text for entry in response.statements]


async def _other(world: Explaining) -> Explaining:
    """Returns a retriever on the same archive that finds something else."""
    return Explaining(world.ports, world.queries, world.archive, world.clock, world.embedder)


async def test_page_not_checked_in_time_keeps_its_risk() -> None:
    """The answer goes out and says that nobody knows."""
    world, _ = await asked(VerifyOutcome.UNKNOWN)
    response = await world.ask(QUESTION, revalidate=Revalidate.ALWAYS)

    assert response.freshness is not None
    assert ("unknown", 0.5) == (response.freshness.pages[0].check, response.freshness.risk)


async def test_fetcher_that_does_not_answer_costs_no_answer() -> None:
    """Without a check, the answer is as it would be."""
    world, _ = await asked(VerifyOutcome.UNCHANGED)
    del world.queries.answers[VERIFY.name]
    response = await world.ask(QUESTION, revalidate=Revalidate.ALWAYS)

    assert response.answered


async def test_what_was_asked_as_of_an_instant_is_not_checked() -> None:
    """It stands whatever the page says now."""
    world, checks = await asked(VerifyOutcome.CHANGED)
    await world.ask(QUESTION, revalidate=Revalidate.ALWAYS, as_of_time=START + timedelta(days=1))

    assert [] == checks


class Bus:
    """Keeps what is published; fails as often as it is told to."""

    def __init__(self, *, failures: int = 0) -> None:
        self.sent: list[Outgoing] = []
        self._failures = failures

    async def publish(self, outgoing: Outgoing) -> None:
        if self._failures:
            self._failures -= 1
            raise TransientError("no ack")
        self.sent.append(outgoing)


async def test_cited_pages_are_told_once_and_by_count() -> None:
    """Two answers on one page are one entry; nothing is told where nothing was cited."""
    world, _ = await asked(VerifyOutcome.UNCHANGED)
    await world.ask(QUESTION)
    await world.ask(QUESTION)
    bus = Bus(failures=1)
    told = {"organisation_id": "main", "now": world.clock.now(), "chance": random.Random(1)}
    with pytest.raises(TransientError):
        await world.ports.cited.publish(bus, **told)  # type: ignore[arg-type]
    for _ in range(2):
        await world.ports.cited.publish(bus, **told)  # type: ignore[arg-type]
    (event,) = [outgoing.message for outgoing in bus.sent]

    assert isinstance(event, PageCited)
    assert [2] == [page.count for page in event.pages]


async def test_what_a_page_said_once_is_told_without_a_count() -> None:
    """So that its version is kept; the page as it is was not leant on."""
    world, _ = await asked(VerifyOutcome.UNCHANGED)
    (citation,) = (await world.ask(QUESTION)).citations
    cited, bus, now = CitedPages(), Bus(), world.clock.now()
    cited.count([replace(citation, superseded=True)], now=now)
    await cited.publish(bus, organisation_id="main", now=now, chance=random.Random(1))
    (event,) = [outgoing.message for outgoing in bus.sent]

    assert isinstance(event, PageCited)
    assert (CitedPage(page_id=citation.page_id, version_id=citation.version_id),) == event.pages
