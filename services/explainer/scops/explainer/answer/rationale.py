"""Says in plain words why passages rank where they do: by what sets them apart from the others."""

from collections.abc import Sequence

from scops.common.contract.messages.explanation import (
    Citation,
    LineageEntry,
    PassageExplanation,
    RankWithout,
)
from scops.common.contract.messages.retrieval import Evidence, ScorePart
from scops.explainer.answer.contrast import part_leads

PART_PHRASES = {
    "vector": "its meaning is close to the question",
    "bm25": "it uses the question's words",
    "bm25_margin": "it holds words of the question that few others hold",
    "sentence": "a sentence of it is close to the question",
    "time": "it speaks of the time asked for",
    "page": "its page is close to the question",
    "length": "it has room for an answer",
    "graph": "it is linked to what the question names",
    "scope": "its scope is preferred",
    "fresh": "its text is recent",
    "rerank": "a model that reads it with the question prefers it",
}
PARTS_NAMED_MAX = 2
NOTHING_APART = "nothing else matched better"


def rationale(
    rank: int,
    evidence: Evidence,
    lineage: Sequence[LineageEntry],
    ranks_without: Sequence[RankWithout] = (),
    *,
    others: Sequence[Evidence] = (),
) -> str:
    """Returns a few sentences: rank, what sets it apart, scopes and rules, standing of the version.

    Args:
        others: the passages that it was ranked with.
    """
    return " ".join(
        (
            _standing(rank, evidence.parts, [other.parts for other in others]),
            *_decisive(rank, ranks_without, count=len(others) + 1),
            *_path(evidence.graph_path),
            *_time(evidence),
            *_scopes(evidence),
            _version(evidence, lineage),
        )
    )


def answer_rationale(passages: Sequence[PassageExplanation], citations: Sequence[Citation]) -> str:
    """Returns in a few sentences what an answer, or a ranking, rests on."""
    if not passages:
        return ""
    scopes = dict.fromkeys(
        match.scope_name or match.scope_id for passage in passages for match in passage.scopes
    )
    pages = len({passage.page_id for passage in passages})
    what = f"{_count(len(passages), 'passage')} of {_count(pages, 'page')}"
    inside = f" in {', '.join(scopes)}" if scopes else ""
    said = f"The answer rests on {what}{inside}." if citations else f"Explained are {what}{inside}."
    first = passages[0]
    superseded = sum(citation.superseded for citation in citations)
    standing = f" {_count(superseded, 'citation')} of a superseded version." if superseded else ""
    why = _why(first, passages)
    return f"{said} The passage at rank {first.rank} is the best of them: {why}.{standing}"


def _why(passage: PassageExplanation, passages: Sequence[PassageExplanation]) -> str:
    others = [other.parts for other in passages if other is not passage]
    return _reasons(passage.parts, others) or NOTHING_APART


def _reasons(parts: Sequence[ScorePart], others: Sequence[Sequence[ScorePart]]) -> str:
    leads = part_leads(parts, others)[:PARTS_NAMED_MAX]
    sign = "+" if others else ""
    reasons = [f"{PART_PHRASES.get(one.part, one.part)} ({sign}{one.lead:.2f})" for one in leads]
    beside = " against the median of the others" if others and reasons else ""
    return " and ".join(reasons) + beside


def _decisive(rank: int, ranks_without: Sequence[RankWithout], *, count: int) -> list[str]:
    """Names the part without which the passage would rank worst among those shown."""
    worst = max(ranks_without, key=lambda entry: entry.rank, default=None)
    if worst is None or worst.rank <= rank:
        return []
    return [f"Of the {count} passages here it would rank {worst.rank} without {worst.part}."]


def _count(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def _standing(rank: int, parts: Sequence[ScorePart], others: Sequence[Sequence[ScorePart]]) -> str:
    absent = [part.name for part in parts if not part.present]
    silent = f"; {', '.join(absent)} had nothing to say" if absent else ""
    return f"Ranks {rank} because {_reasons(parts, others) or NOTHING_APART}{silent}."


def _path(path: Sequence[str]) -> list[str]:
    if not path:
        return []
    if len(path) == 1:
        return [f"It mentions {path[0]}, which the question names."]
    steps = ", ".join(f"with {key}" for key in path[1:])
    return [
        f"The question names {path[0]}, which is mentioned together {steps}, which it mentions."
    ]


def _time(evidence: Evidence) -> list[str]:
    """Says what the passage names of the time asked for."""
    match = evidence.time_match
    if match is None:
        return []
    asked = f"The question asks for {_days(match.asked_from, match.asked_to)}"
    if not match.dated:
        return [f"{asked}; it names no time."]
    named = _days(match.named_from, match.named_to)
    return [f"{asked}; it speaks of {named} (confidence {match.confidence:.2f})."]


def _days(first: str, last: str) -> str:
    if not first:
        return f"{last} or earlier" if last else "any time"
    if not last:
        return f"{first} or later"
    return first if first == last else f"{first} to {last}"


def _scopes(evidence: Evidence) -> list[str]:
    return [
        f"Scope {match.scope_name or match.scope_id} holds it by the {match.rule.kind} rule "
        f"{match.rule.pattern}."
        for match in evidence.scopes
    ]


def _version(evidence: Evidence, lineage: Sequence[LineageEntry]) -> str:
    since = f"{evidence.clocks.observed_time:%Y-%m-%d %H:%M}Z"
    standing = "superseded" if evidence.superseded else "current"
    changes = sum(1 for entry in lineage if entry.summary and entry.summary.semantic)
    counted = f", {changes} of the listed versions changed its meaning" if changes else ""
    return f"The version was first observed {since} and is {standing}{counted}."
