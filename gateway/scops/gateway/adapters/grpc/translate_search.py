"""Passages, answers and explanations between the API's messages and ours."""

from collections.abc import Sequence
from datetime import datetime

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.contract.messages.content import TrustTier
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerResponse,
    Freshness,
    Gap,
    LineageEntry,
    ModelUse,
    PageFreshness,
    Revalidate,
    Speaker,
    TextProvenance,
    Turn,
    UnsupportedPolicy,
)
from scops.common.contract.messages.retrieval import (
    Evidence,
    RetrieveResponse,
    ScopeMatch,
    ScorePart,
    TimeMatch,
    Weights,
)
from scops.gateway.adapters.grpc.translate_citations import citation_message
from scops.gateway.adapters.grpc.translate_clocks import clocks_message
from scops.gateway.adapters.grpc.translate_pages import change_class, hunk_messages
from scops.gateway.adapters.grpc.translate_scopes import rule_message
from scops.gateway.adapters.grpc.translate_times import instant, timestamp
from scops.gateway.handlers.search import AnswerWording, Explained, joined
from scops.gateway.requests.names import page_name, scope_name

MODES = {
    pb.AnswerRequest.MODE_EXTRACTIVE: AnswerMode.EXTRACTIVE,
    pb.AnswerRequest.MODE_MODEL: AnswerMode.MODEL,
}
POLICIES = {
    pb.AnswerRequest.UNSUPPORTED_REMOVE: UnsupportedPolicy.REMOVE,
    pb.AnswerRequest.UNSUPPORTED_MARK: UnsupportedPolicy.MARK,
}
CHECKS = {
    pb.AnswerRequest.REVALIDATE_NEVER: Revalidate.NEVER,
    pb.AnswerRequest.REVALIDATE_IF_RISKY: Revalidate.IF_RISKY,
    pb.AnswerRequest.REVALIDATE_ALWAYS: Revalidate.ALWAYS,
}
SPEAKERS = {
    pb.Turn.SPEAKER_USER: Speaker.USER,
    pb.Turn.SPEAKER_ASSISTANT: Speaker.ASSISTANT,
}
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


def wording_of(request: pb.AnswerRequest) -> AnswerWording:
    """Returns who words an answer; what this version does not know counts as unset."""
    return AnswerWording(
        mode=MODES.get(request.mode, AnswerMode.UNSPECIFIED),
        unsupported=POLICIES.get(request.unsupported, UnsupportedPolicy.UNSPECIFIED),
        revalidate=CHECKS.get(request.revalidate, Revalidate.UNSPECIFIED),
        history=tuple(
            Turn(speaker=SPEAKERS.get(turn.speaker, Speaker.UNSPECIFIED), text=turn.text)
            for turn in request.history
        ),
    )


def search_message(response: RetrieveResponse) -> pb.SearchResponse:
    """Returns the message of ranked passages."""
    return pb.SearchResponse(
        passages=[passage_message(item) for item in response.evidence],
        shortfall_reason=response.shortfall_reason,
        recipe=response.recipe,
        notes=response.notes,
    )


def answer_message(answer: AnswerResponse) -> pb.AnswerResponse:
    """Returns the message of an answer."""
    explanations = answer.explanation.passages if answer.explanation is not None else ()
    return pb.AnswerResponse(
        answered=answer.answered,
        statements=[
            pb.Statement(
                text=item.text,
                citation_numbers=item.citation_numbers,
                unsupported=item.unsupported,
            )
            for item in answer.statements
        ],
        citations=[citation_message(item) for item in answer.citations],
        passages=[passage_message(item) for item in answer.evidence],
        shortfall_reason=answer.shortfall_reason,
        explanations=_explanations(joined(answer.evidence, explanations)),
        gaps=[_gap(item) for item in answer.gaps],
        rationale=answer.explanation.rationale if answer.explanation is not None else "",
        freshness=_freshness(answer.freshness) if answer.freshness is not None else None,
        evidence_bundle=answer.bundle,
        model=_model(answer.model) if answer.model is not None else None,
    )


def explain_message(explained: Sequence[Explained], rationale: str) -> pb.ExplainResponse:
    """Returns the message of explanations."""
    return pb.ExplainResponse(explanations=_explanations(explained), rationale=rationale)


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
        instruction_like=evidence.trust is TrustTier.INSTRUCTION_LIKE,
        near_duplicates=evidence.near_duplicates,
        joined_chunks=evidence.joined_chunk_ids,
        graph_path=evidence.graph_path,
        time_match=_time_match(evidence.time_match) if evidence.time_match else None,
        mirrors=[
            pb.Mirror(page=page_name(mirror.page_id), uri=mirror.canonical_url)
            for mirror in evidence.mirrors
        ],
    )


def _part(part: ScorePart) -> pb.ScorePart:
    return pb.ScorePart(
        name=part.name,
        raw=part.raw,
        weight=part.weight,
        weighted=part.weighted,
        present=part.present,
    )


def _time_match(match: TimeMatch) -> pb.TimeMatch:
    return pb.TimeMatch(
        relation=match.relation,
        asked_from=match.asked_from,
        asked_to=match.asked_to,
        start=match.start,
        end=match.end,
        dated=match.dated,
        named_from=match.named_from,
        named_to=match.named_to,
        confidence=match.confidence,
    )


def _extraction(extraction: TextProvenance) -> pb.Extraction:
    return pb.Extraction(
        extractor=extraction.extractor,
        flags=extraction.flags,
        stated=[
            pb.StatedDate(
                kind=stated.kind.name.lower(),
                time=timestamp(stated.time),
                source=stated.source.name.lower(),
                confidence=stated.confidence,
            )
            for stated in extraction.stated
        ],
    )


def _match(match: ScopeMatch) -> pb.ScopeMatch:
    return pb.ScopeMatch(scope=scope_name(match.scope_id), rule=rule_message(match.rule))


def _gap(gap: Gap) -> pb.Gap:
    return pb.Gap(
        chunk=gap.chunk_id,
        uri=gap.canonical_url,
        title=gap.title,
        section_path=gap.section_path,
        missing_words=gap.missing_words,
    )


def _freshness(freshness: Freshness) -> pb.Freshness:
    return pb.Freshness(
        pages=[_page_freshness(page) for page in freshness.pages],
        risk=freshness.risk,
        statement=freshness.statement,
        risk_before=freshness.risk_before,
    )


def _page_freshness(page: PageFreshness) -> pb.PageFreshness:
    return pb.PageFreshness(
        page=page_name(page.page_id),
        uri=page.canonical_url,
        version=page.version_id,
        verified_time=timestamp(page.verified_time),
        changed_after_time=timestamp(page.changed_after_time),
        observed_time=timestamp(page.observed_time),
        change_rate=page.change_rate,
        risk=page.risk,
        check=page.check,
    )


def _model(model: ModelUse) -> pb.ModelUse:
    return pb.ModelUse(
        model=model.model,
        requests=model.requests,
        input_tokens=model.input_tokens,
        output_tokens=model.output_tokens,
        cost=model.cost,
        fallback_reason=model.fallback_reason,
        statements_dropped=model.statements_dropped,
        citations_dropped=model.citations_dropped,
    )


def _explanations(explained: Sequence[Explained]) -> list[pb.PassageExplanation]:
    return [
        pb.PassageExplanation(
            passage=passage_message(item.evidence),
            rank=item.explanation.rank,
            lineage=[_lineage(entry) for entry in item.explanation.lineage],
            rationale=item.explanation.rationale,
            ranks_without=[
                pb.RankWithout(part=entry.part, rank=entry.rank)
                for entry in item.explanation.ranks_without
            ],
            extraction=(
                _extraction(item.explanation.extraction) if item.explanation.extraction else None
            ),
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
