"""Says why a question got fewer passages than it asked for."""

from scops.retriever.candidates import Found
from scops.retriever.question import Question

DELETED = "The scopes asked for have been deleted."


def shortfall(found: Found, returned: int, question: Question, *, scopes: int) -> str:
    """Returns the reason in a sentence; empty when nothing is missing.

    Args:
        returned: passages in the reply.
        scopes: of the scopes asked for, how many still exist.
    """
    if returned >= question.limit:
        return ""
    if not scopes:
        return DELETED
    when = " as of that instant" if question.as_of else ""
    counted = f"Only {returned} of {question.limit} passages"
    if returned < min(question.limit, len(found.candidates)):
        return f"{counted}: more would not fit in one reply; ask for fewer."
    if not found.complete:
        return (
            f"{counted}: the closest matches near these scopes were looked through and few lie "
            "inside; rules with a longer literal path search better."
        )
    if returned:
        return f"{counted}: these scopes hold no more{when}."
    return f"Nothing is indexed in these scopes{when}; crawl them first, or widen their rules."
