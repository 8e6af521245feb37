"""Makes the report of a research, of what the API says of the run."""

from collections.abc import Iterable, Iterator
from typing import Any

from scops.gateway.adapters.research.differing import differences_of
from scops.gateway.adapters.research.values import (
    PageUse,
    ReportCost,
    ReportLink,
    ReportLook,
    ReportPage,
    ReportQuote,
    ReportSource,
    ReportStatement,
    ResearchReport,
)
from scops.gateway.adapters.research.ways import way_to
from scops.gateway.adapters.research.words import ABSENT, CITED, FAR, NEAR, stopped_words
from scops.gateway.research.stopping import COVERED

WITHOUT_FETCH = frozenset({"", "known"})


def report_of(found: Any) -> ResearchReport:
    """Returns the report of a run.

    Args:
        found: a `GetResearchResponse` of the API, or the last `WatchResearchResponse`.
    """
    run, answer = found.research, found.answer
    last = run.steps[-1] if run.steps else None
    quotes = [
        ReportQuote(
            number=one.number,
            uri=one.uri,
            link=one.fragment_uri or one.uri,
            version=one.version,
            quote=one.quote,
        )
        for one in answer.citations
    ]
    return ResearchReport(
        research=run.name,
        question=run.question,
        uri=run.uri,
        scopes=[run.scope, *run.scopes],
        state=type(run).State.Name(run.state).removeprefix("STATE_").lower(),
        stop_reason=run.stop_reason,
        stopped=stopped_words(run.stop_reason),
        message=run.message,
        create_time=_instant(run, "create_time"),
        end_time=_instant(run, "end_time"),
        coverage=last.coverage if last is not None else 0.0,
        covered_at=COVERED,
        answered=answer.answered,
        statements=[
            ReportStatement(text=one.text, quotes=one.citation_numbers) for one in answer.statements
        ],
        withheld_statements=found.withheld_statements,
        quotes=quotes,
        differences=list(differences_of(quotes)),
        cited_pages=list(_cited_pages(answer.citations, run.pages)),
        freshness=answer.freshness.statement,
        looks=[_look(step) for step in run.steps],
        pages=[_looked_at(page, run.pages) for page in run.pages],
        missing_words=list(last.missing_words) if last is not None else [],
        cost=_cost(run, answer),
    )


def _look(step: Any) -> ReportLook:
    return ReportLook(
        number=step.number,
        fetched=step.fetched,
        coverage=step.coverage,
        probability=step.probability,
        words=step.words,
        candidates=step.candidates,
        best_gain=step.best_gain,
        chosen=step.chosen,
    )


def _looked_at(page: Any, pages: Iterable[Any]) -> ReportPage:
    use, why = _use(page)
    return ReportPage(
        uri=page.uri,
        use=use,
        why=f"{why} ({page.reason})" if page.reason else why,
        outcome=page.outcome,
        reason=page.reason,
        gain=page.gain,
        way=_way(page, pages),
    )


def _use(page: Any) -> tuple[PageUse, str]:
    """Returns what a page was good for, and why it was no more."""
    if page.cited:
        return PageUse.CITED, CITED
    if page.useful:
        return PageUse.NEAR, NEAR
    if page.outcome in ABSENT:
        return PageUse.ABSENT, ABSENT[page.outcome]
    return PageUse.FAR, FAR


def _cited_pages(citations: Iterable[Any], pages: Iterable[Any]) -> Iterator[ReportSource]:
    """Yields each cited version once, in the order of the answer."""
    by_uri, seen = {page.uri: page for page in pages}, set()
    for one in citations:
        if (one.page, one.version) in seen:
            continue
        seen.add((one.page, one.version))
        yield ReportSource(
            uri=one.uri,
            page=one.page,
            version=one.version,
            title=one.title,
            fetch_time=_instant(one.clocks, "observed_time"),
            verified_time=_instant(one.clocks, "verified_time"),
            superseded=one.superseded,
            way=_way(by_uri[one.uri], pages) if one.uri in by_uri else [],
        )


def _way(page: Any, pages: Iterable[Any]) -> list[ReportLink]:
    return [
        ReportLink(on_uri=one.found_on_uri, text=one.link_text, uri=one.uri)
        for one in way_to(page, pages)
    ]


def _cost(run: Any, answer: Any) -> ReportCost:
    until = run.create_time
    if run.HasField("end_time"):
        until = run.end_time
    elif run.steps:
        until = run.steps[-1].time
    return ReportCost(
        pages=sum(page.outcome not in WITHOUT_FETCH for page in run.pages),
        pages_budget=run.budget.pages,
        seconds=(until.ToDatetime() - run.create_time.ToDatetime()).total_seconds(),
        seconds_budget=run.budget.seconds,
        input_tokens=answer.model.input_tokens,
        output_tokens=answer.model.output_tokens,
    )


def _instant(message: Any, field: str) -> str:
    return str(getattr(message, field).ToJsonString()) if message.HasField(field) else ""
