"""Says why a question got fewer passages than it asked for."""

from scops.retriever.candidates.admission import CandidateSet
from scops.retriever.question import Question
from scops.retriever.shape.passages import Reply

DELETED = "The scopes asked for have been deleted."
INTERRUPTED = "the index did not answer every search; ask again for more."


def shortfall(found: CandidateSet, reply: Reply, question: Question, *, scopes: int) -> str:
    """Returns the reason in a sentence; empty when nothing is missing.

    Args:
        scopes: of the scopes asked for, how many still exist.
    """
    returned, left_out = len(reply.evidence), reply.left_out
    if returned >= question.limit:
        return ""
    if not scopes:
        return DELETED
    when = " as of that instant" if question.as_of else ""
    counted = f"Only {returned} of {question.limit} passages"
    if left_out["bytes"]:
        return f"{counted}: more would not fit in one reply; ask for fewer."
    if found.interrupted:
        return f"{counted}: {INTERRUPTED}"
    if left_out["below"] and found.candidates:
        return _below(counted, returned, left_out["below"], question)
    if not found.complete:
        return (
            f"{counted}: the closest matches near these scopes were looked through and few lie "
            "inside; rules with a longer literal path search better."
        )
    if left_out["page_full"]:
        return (
            f"{counted}: {left_out['page_full']} more lie on pages that have "
            f"{question.bounds.page_max} passages here already."
        )
    if left_out["near_duplicate"] or left_out["joined"]:
        return f"{counted}: the others found say the same, or are joined to these{when}."
    if returned:
        return f"{counted}: these scopes hold no more{when}."
    return f"Nothing is indexed in these scopes{when}; crawl them first, or widen their rules."


def _below(counted: str, returned: int, below: int, question: Question) -> str:
    found = f"{below} more were found" if returned else f"{below} were found and ranked"
    return f"{counted}: {found}, but score less than {question.min_score:g}."
