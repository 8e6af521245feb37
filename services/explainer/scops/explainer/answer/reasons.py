"""Why a passage ranks where it does and what would change it, in codes with arguments."""

from collections.abc import Sequence

from scops.common.contract.messages.retrieval import Counterfactual, Evidence, Relevance
from scops.common.contract.messages.types import Remark
from scops.common.text.remarks import RemarkCode, remark
from scops.explainer.answer.contrast import leading_parts

# Told in words; all are in the reply.
COUNTERFACTUALS_NAMED_MAX = 2
WITHOUT = "without"
CUT = frozenset({RemarkCode.OTHERS_LESS_ALIKE.value, RemarkCode.ALL_LESS_ALIKE.value})
BETTERED = {
    "fresh": RemarkCode.RANK_IF_FRESH,
    "preferred": RemarkCode.RANK_IF_PREFERRED,
    "timely": RemarkCode.RANK_IF_TIMELY,
}


def reasons(
    rank: int, evidence: Sequence[Evidence], counterfactuals: Sequence[Counterfactual]
) -> tuple[Remark, ...]:
    """Returns what sets a passage apart, how probable it is to be relevant, what would move it.

    Args:
        rank: its own, from 1.
        evidence: all that was ranked with it, best first.
    """
    passage = evidence[rank - 1]
    probable = [] if passage.relevance is None else [_relevant(passage.relevance)]
    return (_place(rank, evidence), *probable, *_moves(rank, counterfactuals))


def calibration_reasons(calibrated: Relevance | None) -> tuple[Remark, ...]:
    """Returns on what the probabilities of a reply were calibrated; nothing where it has none."""
    if calibrated is None:
        return ()
    questions, sets, model = calibrated.questions, calibrated.sets, calibrated.model
    return (remark(RemarkCode.CALIBRATED, questions=questions, sets=sets, model=model),)


def cut_reasons(shortfall: Sequence[Remark]) -> tuple[Remark, ...]:
    """Returns, of why there are fewer passages, what a preset left out as unlike the question."""
    return tuple(one for one in shortfall if one.code in CUT)


def _place(rank: int, evidence: Sequence[Evidence]) -> Remark:
    here = evidence[rank - 1].parts
    behind, ahead = {}, {}
    if rank > 1:
        by = leading_parts(evidence[rank - 2].parts, here)
        behind = {"above": rank - 1, "behind_by": ",".join(by)}
    if rank < len(evidence):
        by = leading_parts(here, evidence[rank].parts)
        ahead = {"below": rank + 1, "ahead_by": ",".join(by)}
    codes = {
        (False, False): RemarkCode.RANKS_ALONE,
        (False, True): RemarkCode.RANKS_FIRST,
        (True, True): RemarkCode.RANKS_BETWEEN,
        (True, False): RemarkCode.RANKS_LAST,
    }
    return remark(codes[bool(behind), bool(ahead)], rank=rank, **behind, **ahead)


def _relevant(relevance: float) -> Remark:
    # Nobody is ever quite sure.
    percent = min(max(round(100 * relevance), 1), 99)
    return remark(RemarkCode.RELEVANT, percent=percent)


def _moves(rank: int, counterfactuals: Sequence[Counterfactual]) -> list[Remark]:
    """Returns the changes that would move a passage furthest."""
    moving = [one for one in counterfactuals if one.rank != rank]
    moving.sort(key=lambda one: -abs((one.rank or one.among + 1) - rank))
    return [_told(one) for one in moving[:COUNTERFACTUALS_NAMED_MAX]]


def _told(one: Counterfactual) -> Remark:
    if one.change in BETTERED:
        return remark(BETTERED[one.change], rank=one.rank)
    if not one.rank:
        return remark(RemarkCode.UNSHOWN_WITHOUT, part=one.part, among=one.among)
    return remark(RemarkCode.RANK_WITHOUT, part=one.part, rank=one.rank)
