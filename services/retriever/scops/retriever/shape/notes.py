"""What is told beside the passages: what was understood of a question, and why there are fewer."""

from collections.abc import Mapping

from scops.common.contract.messages.types import Remark
from scops.common.text.remarks import RemarkCode, remark
from scops.retriever.candidates.candidate import CandidateSet
from scops.retriever.question import Question
from scops.retriever.shape.passages import Reply
from scops.retriever.time.constraint import Relation, TimeConstraint
from scops.retriever.time.intervals import open_days

INTERRUPTED = (
    "The index did not answer every search, so something may rank here that was not found."
)


def notes(question: Question, found: CandidateSet) -> tuple[str, ...]:
    """Returns sentences for whoever asked; usually none."""
    return (*_of_time(question), *((INTERRUPTED,) if found.interrupted else ()))


def _of_time(question: Question) -> tuple[str, ...]:
    asked = question.time
    if asked.contradiction:
        return (
            f"The times {asked.contradiction} exclude each other; passages are ranked without "
            "them.",
        )
    if asked.constraint is not None:
        return (f"Passages that speak of {_words(asked.constraint)} rank higher.",)
    return ()


def _words(constraint: TimeConstraint) -> str:
    first, last = open_days(constraint.interval)
    if constraint.relation is Relation.BEFORE:
        return f"before {first}"
    if constraint.relation is Relation.AFTER or not last:
        return f"{first} or later"
    if not first:
        return f"{last} or earlier"
    return first if first == last else f"{first} to {last}"


def shortfall(
    found: CandidateSet, reply: Reply, question: Question, *, scopes: int
) -> tuple[Remark, ...]:
    """Returns the reason; none when nothing is missing.

    Args:
        scopes: of the scopes asked for, how many still exist.
    """
    if len(reply.evidence) >= question.limit:
        return ()
    if not scopes:
        return (remark(RemarkCode.SCOPES_DELETED),)
    code, arguments = _reason(found, reply, question)
    counted = {"returned": len(reply.evidence), "limit": question.limit}
    return (remark(code, **counted, **arguments),)


def _reason(
    found: CandidateSet, reply: Reply, question: Question
) -> tuple[RemarkCode, Mapping[str, object]]:
    """Returns why there are fewer passages, with what its sentence names."""
    left_out, then = reply.left_out, question.as_of is not None
    if left_out["bytes"]:
        return RemarkCode.REPLY_FULL, {}
    if found.interrupted:
        return RemarkCode.SEARCH_INTERRUPTED, {}
    if left_out["below"] and found.candidates:
        code = RemarkCode.OTHERS_SCORE_LESS if reply.evidence else RemarkCode.ALL_SCORE_LESS
        return code, {"below": left_out["below"], "min_score": f"{question.min_score:g}"}
    if left_out["unlike"]:
        code = RemarkCode.OTHERS_LESS_ALIKE if reply.evidence else RemarkCode.ALL_LESS_ALIKE
        wanted = f"{question.recipe.likeness_min:g}"
        return code, {"unlike": left_out["unlike"], "likeness_min": wanted}
    if not found.complete:
        return RemarkCode.FEW_INSIDE, {}
    if left_out["page_full"]:
        arguments = {"left": left_out["page_full"], "page_passages_max": question.bounds.page_max}
        return RemarkCode.PAGES_FULL, arguments
    if left_out["near_duplicate"] or left_out["joined"]:
        same = RemarkCode.OTHERS_SAID_THE_SAME if then else RemarkCode.OTHERS_SAY_THE_SAME
        return same, {}
    if reply.evidence:
        return RemarkCode.NO_MORE_THEN if then else RemarkCode.NO_MORE, {}
    return RemarkCode.NOTHING_INDEXED_THEN if then else RemarkCode.NOTHING_INDEXED, {}
