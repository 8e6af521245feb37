"""Results of tools made of the API's messages: what an assistant needs, and no more."""

from datetime import UTC, datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from mcp.server.mcpserver.exceptions import ToolError

from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import page_service_pb2 as pages
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as searches
from scops.gateway.adapters.mcp import results
from scops.gateway.adapters.research.ways import way_to

MARKS = {
    pages.DiffPart.KIND_DELETE: ("[-", "-]"),
    pages.DiffPart.KIND_INSERT: ("{+", "+}"),
}
ENDED = {jobs.Job.STATE_COMPLETED, jobs.Job.STATE_FAILED, jobs.Job.STATE_CANCELLED}
DATE_CHARACTERS = len("2026-05-01")


def scope_summary(scope: Any) -> results.ScopeSummary:
    """Returns what a scope is."""
    kinds = scopes.ScopeRule.Kind
    said = [
        (rule.exclude, f"{kinds.Name(rule.kind).removeprefix('KIND_').lower()}:{rule.pattern}")
        for rule in scope.rules
    ]
    return results.ScopeSummary(
        scope=last_part(scope.name),
        title=scope.display_name,
        role=scopes.ScopeRole.Name(scope.role).removeprefix("SCOPE_ROLE_").lower(),
        owner=scope.owner,
        includes=[words for is_out, words in said if not is_out],
        excludes=[words for is_out, words in said if is_out],
    )


def passage(found: Any) -> results.FoundPassage:
    """Returns a passage."""
    return results.FoundPassage(
        text=found.text,
        title=found.title,
        section=list(found.section_path),
        uri=found.uri,
        page=found.page,
        version=found.version,
        scopes=[last_part(match.scope) for match in found.scopes],
        score=round(found.score, 4),
        observed_time=instant_text(found.clocks, "observed_time"),
        verified_time=instant_text(found.clocks, "verified_time"),
        superseded=found.superseded,
        instruction_like=found.instruction_like,
        read_by_ocr=found.read_by_ocr,
    )


def answered(answer: Any) -> results.Answered:
    """Returns an answer."""
    return results.Answered(
        answered=answer.answered,
        statements=[
            results.AnswerStatement(
                text=one.text,
                citations=list(one.citation_numbers),
                highlight=one.text[one.highlight.start : one.highlight.end],
            )
            for one in answer.statements
        ],
        citations=[_citation(one) for one in answer.citations],
        freshness=answer.freshness.statement,
        risk=round(answer.freshness.risk, 4),
        shortfall=answer.shortfall_reason,
        gaps=[
            results.AnswerGap(uri=gap.uri, title=gap.title, missing_words=list(gap.missing_words))
            for gap in answer.gaps
        ],
    )


def _citation(one: Any) -> results.AnswerCitation:
    return results.AnswerCitation(
        number=one.number,
        quote=one.quote,
        title=one.title,
        uri=one.uri,
        link=one.fragment_uri or one.uri,
        page=one.page,
        version=one.version,
        start=one.start,
        end=one.end,
        quote_digest=one.quote_digest,
        text_digest=one.text_digest,
        verified_time=instant_text(one.clocks, "verified_time"),
        superseded=one.superseded,
        read_by_ocr=one.read_by_ocr,
    )


def page_text(read: Any) -> results.PageText:
    """Returns what a page says."""
    return results.PageText(
        text=read.text,
        title=read.title,
        uri=read.page.uri,
        page=read.page.name,
        version=read.version,
        observed_from_time=instant_text(read, "observed_from_time"),
        observed_to_time=instant_text(read, "observed_to_time"),
        last_verified_time=instant_text(read, "last_verified_time"),
        language=read.language,
        start=read.start,
        end=read.end,
        next_start=read.end if read.end < read.wanted_end else None,
        sections=[
            results.Section(path=list(one.path), start=one.start, end=one.end)
            for one in read.sections
            if one.path
        ],
    )


def history_version(version: Any) -> results.HistoryVersion:
    """Returns a version of a page's history."""
    return results.HistoryVersion(
        version=version.version,
        observed_from_time=instant_text(version, "observed_from_time"),
        observed_to_time=instant_text(version, "observed_to_time"),
        last_verified_time=instant_text(version, "last_verified_time"),
        change=version.change_class,
        reasons=list(version.change_reasons),
        semantic=version.semantic,
    )


def differences(diff: Any) -> results.Differences:
    """Returns what differs between two versions, words marked as wdiff marks them."""
    return results.Differences(
        from_version=diff.from_version,
        to_version=diff.to_version,
        differences=[
            results.Difference(
                text="".join(_marked(part) for part in hunk.parts),
                section=list(hunk.section_path),
                change=hunk.change_class,
                reasons=list(hunk.change_reasons),
                semantic=hunk.semantic,
            )
            for hunk in diff.hunks
        ],
        truncated=diff.truncated,
    )


def _marked(part: Any) -> str:
    before, after = MARKS.get(part.kind, ("", ""))
    return f"{before}{part.text}{after}"


def changed_page(change: Any) -> results.ChangedPage:
    """Returns a page that changed."""
    return results.ChangedPage(
        uri=change.uri,
        page=change.name,
        title=change.title,
        news=change.news,
        change=change.change_class,
        reasons=list(change.change_reasons),
        salience=round(change.salience, 3),
        observed_time=instant_text(change, "observed_time"),
        before=[edit.from_text for edit in change.edits],
        after=[edit.to_text for edit in change.edits],
    )


def job_state(job: Any) -> results.CrawlState:
    """Returns how far a job is."""
    counts = {field.name: value for field, value in job.counts.ListFields()}
    return results.CrawlState(
        job=job.name,
        state=jobs.Job.State.Name(job.state).removeprefix("STATE_").lower(),
        counts=counts,
        ended=job.state in ENDED,
    )


def explained(response: Any) -> results.Explained:
    """Returns why passages rank as they do."""
    return results.Explained(
        rationale=response.rationale,
        ranks=[
            results.ExplainedRank(
                rank=one.rank,
                uri=one.passage.uri,
                title=one.passage.title,
                rationale=one.rationale,
                parts=[
                    results.RankPart(name=part.name, weighted=round(part.weighted, 4))
                    for part in one.passage.parts
                    if part.present
                ],
            )
            for one in response.explanations
        ],
    )


def resolved(one: Any) -> results.ResolvedQuote:
    """Returns what became of a citation."""
    anchors = searches.ResolvedCitation.Anchor
    return results.ResolvedQuote(
        number=one.number,
        uri=one.uri,
        anchor=anchors.Name(one.anchor).removeprefix("ANCHOR_").lower(),
        verbatim=one.verbatim,
        quote=one.quote,
        reason=one.reason,
    )


def last_part(name: str) -> str:
    """Returns the id of a resource's name."""
    return name.rpartition("/")[2]


def full_name(kind: str, name: str) -> str:
    """Returns a resource's name, of which assistants often give the id alone."""
    return name if name.startswith(f"{kind}/") else f"{kind}/{name}"


def scope_names(names: list[str]) -> list[str]:
    """Returns names of scopes; `*` is all that the caller may see."""
    return [name if name == "*" else full_name("scopes", name) for name in names]


def instant_text(message: Any, field: str) -> str:
    """Returns an instant as ISO 8601 writes it; empty where it is not set."""
    return str(getattr(message, field).ToJsonString()) if message.HasField(field) else ""


def instant(text: str, *, end_of_day: bool) -> str | None:
    """Returns an instant as JSON has it, of a date or a time; None for none.

    Raises:
        ToolError: it is neither.
    """
    if not text:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise ToolError(
            f"{text[:60]!r} is no instant. Give a date such as 2026-05-01, or 2026-05-01T12:00:00Z."
        ) from None
    if len(text) == DATE_CHARACTERS and end_of_day:
        read = read.replace(hour=23, minute=59, second=59)
    stamp = Timestamp()
    stamp.FromDatetime(read if read.tzinfo else read.replace(tzinfo=UTC))
    return str(stamp.ToJsonString())


def research_state(found: Any) -> results.ResearchProgress:
    """Returns how far a research is, of what the API says of it."""
    research = found.research
    last = research.steps[-1] if research.steps else None
    state = type(research).State.Name(research.state).removeprefix("STATE_").lower()
    return results.ResearchProgress(
        research=research.name,
        state=state,
        ended=state != "running",
        stop_reason=research.stop_reason,
        pages_fetched=sum(page.outcome not in ("", "known") for page in research.pages),
        coverage=last.coverage if last is not None else 0.0,
        missing_words=list(last.missing_words) if last is not None else [],
        found_by={
            page.uri: [_followed(one) for one in way_to(page, research.pages)]
            for page in research.pages
            if page.cited
        },
        answer=answered(found.answer) if found.HasField("answer") else None,
        message=research.message,
    )


def _followed(page: Any) -> results.FollowedLink:
    return results.FollowedLink(on_uri=page.found_on_uri, text=page.link_text, uri=page.uri)
