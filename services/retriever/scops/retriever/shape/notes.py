"""What is told beside the passages: what was understood of a question, and why there are fewer."""

from scops.retriever.candidates.candidate import CandidateSet
from scops.retriever.question import Question
from scops.retriever.shape.passages import Reply
from scops.retriever.time.constraint import Relation, TimeConstraint
from scops.retriever.time.intervals import open_days

INTERRUPTED = (
    "The index did not answer every search, so something may rank here that was not found."
)
SHORT_BY_INTERRUPTION = "the index did not answer every search; ask again for more."
DELETED = "The scopes asked for have been deleted."


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
        return f"{counted}: {SHORT_BY_INTERRUPTION}"
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
