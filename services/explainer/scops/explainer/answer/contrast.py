"""What sets a passage apart from the others that were ranked with it.

A part of a score that all candidates have alike, as the prior, tells nothing of a rank; what counts
is how far a passage's part lies above the median of the others'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scops.common.contract.messages.retrieval import ScorePart

# The same for every passage of a question: what is believed before anything is known.
PRIOR = "prior"
# Less than this is no difference that a reader sees.
LEAD_MIN = 0.005


@dataclass(frozen=True, slots=True)
class PartLead:
    """A part of a score, and how far it lies above the median of the other passages'.

    Attributes:
        lead: in the unit of the score; > 0.
    """

    part: str
    lead: float


def part_leads(
    parts: Sequence[ScorePart], others: Sequence[Sequence[ScorePart]]
) -> tuple[PartLead, ...]:
    """Returns the parts in which a passage is ahead of the others, furthest ahead first.

    Without others, a part's own weight is its lead.

    Args:
        others: the parts of each other passage; what has none, or had nothing to say, counts 0.
    """
    usual = {part.name: _usual(part.name, others) for part in parts}
    leads = (
        PartLead(part.name, part.weighted - usual[part.name])
        for part in parts
        if part.present and part.name != PRIOR
    )
    ahead = [one for one in leads if one.lead >= LEAD_MIN]
    return tuple(sorted(ahead, key=lambda one: -one.lead))


def _usual(name: str, others: Sequence[Sequence[ScorePart]]) -> float:
    return median(_weighted(parts, name) for parts in others) if others else 0.0


def _weighted(parts: Sequence[ScorePart], name: str) -> float:
    return sum(part.weighted for part in parts if part.present and part.name == name)
