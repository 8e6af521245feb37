"""Says in plain words why passages rank where they do: by what sets them apart from the others."""

from collections.abc import Sequence

from scops.common.contract.messages.explanation import (
    Citation,
    LineageEntry,
    PassageExplanation,
)
from scops.common.contract.messages.retrieval import Evidence
from scops.common.contract.messages.types import Remark
from scops.common.text.remarks import sentence, sentences


def rationale(
    evidence: Evidence, lineage: Sequence[LineageEntry], reasons: Sequence[Remark]
) -> str:
    """Returns a few sentences: the reasons for its rank, scopes and rules, standing of the version.

    Args:
        reasons: as `reasons.reasons` tells them.
    """
    return " ".join(
        (
            sentences(reasons),
            *_path(evidence.graph_path),
            *_time(evidence),
            *_scopes(evidence),
            _version(evidence, lineage),
        )
    )


def answer_rationale(
    passages: Sequence[PassageExplanation],
    citations: Sequence[Citation],
    basis: Sequence[Remark] = (),
) -> str:
    """Returns in a few sentences what an answer, or a ranking, rests on.

    Args:
        basis: on what its probabilities rest, and what a preset left out.
    """
    if not passages:
        return sentences(basis)
    scopes = dict.fromkeys(
        match.scope_name or match.scope_id for passage in passages for match in passage.scopes
    )
    pages = len({passage.page_id for passage in passages})
    what = f"{_count(len(passages), 'passage')} of {_count(pages, 'page')}"
    inside = f" in {', '.join(scopes)}" if scopes else ""
    said = f"The answer rests on {what}{inside}." if citations else f"Explained are {what}{inside}."
    superseded = sum(citation.superseded for citation in citations)
    standing = [f"{_count(superseded, 'citation')} of a superseded version."] if superseded else []
    best = sentences(passages[0].reasons[:1])
    return " ".join(
        [said, *([f"The best passage: {best}"] if best else []), *standing, *map(sentence, basis)]
    )


def _count(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


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
