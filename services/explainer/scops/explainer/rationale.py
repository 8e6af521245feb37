"""Says in plain words why a passage ranks where it does, composed from its score's parts."""

from collections.abc import Sequence

from scops.common.messages.explanation import LineageEntry
from scops.common.messages.retrieval import Evidence, ScorePart

SAID = {
    "vector": "its meaning is close to the question",
    "bm25": "it uses the question's words",
    "graph": "it is linked to what the question names",
    "scope": "its scope is preferred",
    "fresh": "its text is recent",
}
PARTS_SAID = 2


def rationale(rank: int, evidence: Evidence, lineage: Sequence[LineageEntry]) -> str:
    """Returns a few sentences: rank, strongest parts, scopes and rules, standing of the version."""
    return " ".join(
        (_standing(rank, evidence.parts), *_scopes(evidence), _version(evidence, lineage))
    )


def _standing(rank: int, parts: Sequence[ScorePart]) -> str:
    helpful = sorted(
        (part for part in parts if part.present and part.weighted > 0),
        key=lambda part: -part.weighted,
    )
    reasons = " and ".join(
        f"{SAID.get(part.name, part.name)} ({part.weighted:.2f})" for part in helpful[:PARTS_SAID]
    )
    absent = [part.name for part in parts if not part.present]
    silent = f"; {', '.join(absent)} had nothing to say" if absent else ""
    return f"Ranks {rank} because {reasons or 'nothing else matched better'}{silent}."


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
