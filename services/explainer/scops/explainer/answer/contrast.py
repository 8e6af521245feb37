"""What sets a passage apart from the one above it and the one below it.

A part of a score that both have alike, as the prior, tells nothing of their order; what counts is
by how much one has more of it than the other.
"""

from collections.abc import Sequence

from scops.common.contract.messages.retrieval import ScorePart

# Less than this is no difference that a reader sees.
LEAD_MIN = 0.005
# A second part is named where it says at least so much of what the first says.
SECOND_SHARE_MIN = 0.3
PARTS_NAMED_MAX = 2


def leading_parts(parts: Sequence[ScorePart], others: Sequence[ScorePart]) -> tuple[str, ...]:
    """Returns the parts in which one passage is most ahead of another, furthest ahead first.

    Args:
        others: the parts of the other passage; what it has none of, or is silent, counts 0.
    """
    leads = {
        part.name: _weighted(parts, part.name) - _weighted(others, part.name) for part in parts
    }
    leads |= {part.name: -_weighted(others, part.name) for part in others if part.name not in leads}
    ranked = sorted((name for name in leads if leads[name] >= LEAD_MIN), key=lambda n: -leads[n])
    least = SECOND_SHARE_MIN * leads[ranked[0]] if ranked else 0.0
    return tuple(name for name in ranked[:PARTS_NAMED_MAX] if leads[name] >= least)


def _weighted(parts: Sequence[ScorePart], name: str) -> float:
    return sum(part.weighted for part in parts if part.present and part.name == name)
