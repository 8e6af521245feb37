"""Passages, answers and explanations between the API's messages and ours."""

from collections.abc import Sequence
from datetime import datetime

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.messages.explanation import AnswerResponse, Citation, LineageEntry
from scops.common.messages.retrieval import (
    Evidence,
    RetrieveResponse,
    ScopeMatch,
    ScorePart,
    Weights,
)
from scops.common.messages.types import Clocks, StatedKind
from scops.gateway.adapters.translate_pages import change_class, hunk_messages
from scops.gateway.adapters.translate_scopes import rule_message
from scops.gateway.adapters.translate_times import instant, timestamp
from scops.gateway.names import page_name, scope_name
from scops.gateway.search_requests import Explained, joined

AsOfRequest = pb.SearchRequest | pb.AnswerRequest | pb.ExplainRequest


def as_of(request: AsOfRequest) -> datetime | None:
    """Returns the instant that a request asks about, or None for now."""
    if not request.HasField("as_of_time"):
        return None
    return instant(request.as_of_time, "as_of_time")


def weights_of(request: pb.SearchRequest) -> Weights | None:
    """Returns the weights that a request sets, or None for the recipe's."""
    if not request.HasField("weights"):
        return None
    weights = request.weights
    return Weights(
        alpha=weights.alpha if weights.HasField("alpha") else None,
        beta=weights.beta if weights.HasField("beta") else None,
        gamma=weights.gamma if weights.HasField("gamma") else None,
        delta=weights.delta if weights.HasField("delta") else None,
    )


def search_message(response: RetrieveResponse) -> pb.SearchResponse:
    """Returns the message of ranked passages."""
    return pb.SearchResponse(
        passages=[passage_message(item) for item in response.evidence],
        shortfall_reason=response.shortfall_reason,
        recipe=response.recipe,
    )


def answer_message(answer: AnswerResponse) -> pb.AnswerResponse:
    """Returns the message of an answer."""
    explanations = answer.explanation.passages if answer.explanation is not None else ()
    return pb.AnswerResponse(
        answered=answer.answered,
        statements=[
            pb.Statement(text=item.text, citation_numbers=item.citation_numbers)
            for item in answer.statements
        ],
        citations=[_citation(item) for item in answer.citations],
        passages=[passage_message(item) for item in answer.evidence],
        shortfall_reason=answer.shortfall_reason,
        explanations=_explanations(joined(answer.evidence, explanations)),
    )


def explain_message(explained: Sequence[Explained]) -> pb.ExplainResponse:
    """Returns the message of explanations."""
    return pb.ExplainResponse(explanations=_explanations(explained))


def passage_message(evidence: Evidence) -> pb.Passage:
    """Returns the message of a passage."""
    return pb.Passage(
        chunk=evidence.chunk_id,
        page=page_name(evidence.page_id),
        version=evidence.version_id,
        uri=evidence.canonical_url,
        title=evidence.title,
        section_path=evidence.section_path,
        start=evidence.start,
        end=evidence.end,
        text=evidence.text,
        score=evidence.score,
        parts=[_part(part) for part in evidence.parts],
        scopes=[_match(match) for match in evidence.scopes],
        clocks=clocks_message(evidence.clocks),
        superseded=evidence.superseded,
    )


def clocks_message(clocks: Clocks) -> pb.Clocks:
    """Returns the message of the four clocks, with the surest stated time of each kind."""
    return pb.Clocks(
        observed_time=timestamp(clocks.observed_time),
        verified_time=timestamp(clocks.verified_time),
        visible_time=timestamp(clocks.visible_time),
        stated_published_time=timestamp(_stated(clocks, StatedKind.PUBLISHED)),
        stated_modified_time=timestamp(_stated(clocks, StatedKind.MODIFIED)),
    )


def _stated(clocks: Clocks, kind: StatedKind) -> datetime | None:
    of_kind = [stated for stated in clocks.stated if stated.kind is kind]
    if not of_kind:
        return None
    return max(of_kind, key=lambda stated: stated.confidence).time


def _part(part: ScorePart) -> pb.ScorePart:
    return pb.ScorePart(
        name=part.name,
        raw=part.raw,
        weight=part.weight,
        weighted=part.weighted,
        present=part.present,
    )


def _match(match: ScopeMatch) -> pb.ScopeMatch:
    return pb.ScopeMatch(scope=scope_name(match.scope_id), rule=rule_message(match.rule))


def _citation(citation: Citation) -> pb.Citation:
    return pb.Citation(
        number=citation.number,
        uri=citation.canonical_url,
        page=page_name(citation.page_id),
        version=citation.version_id,
        title=citation.title,
        section_path=citation.section_path,
        start=citation.start,
        end=citation.end,
        quote=citation.quote,
        quote_digest=citation.quote_digest,
        prefix=citation.prefix,
        suffix=citation.suffix,
        text_digest=citation.text_digest,
        clocks=clocks_message(citation.clocks),
        fragment_uri=citation.fragment_url,
        superseded=citation.superseded,
    )


def _explanations(explained: Sequence[Explained]) -> list[pb.PassageExplanation]:
    return [
        pb.PassageExplanation(
            passage=passage_message(item.evidence),
            rank=item.explanation.rank,
            lineage=[_lineage(entry) for entry in item.explanation.lineage],
            rationale=item.explanation.rationale,
        )
        for item in explained
    ]


def _lineage(entry: LineageEntry) -> pb.LineageEntry:
    return pb.LineageEntry(
        version=entry.version_id,
        observed_time=timestamp(entry.observed_time),
        change_class=change_class(entry.summary),
        change_reasons=entry.summary.reasons if entry.summary is not None else (),
        diff=hunk_messages(entry.diff),
        cited=entry.cited,
    )
