"""What answering a call takes."""

from enum import StrEnum


class CallCost(StrEnum):
    """What answering a call takes."""

    # Ends work: never counted and never refused.
    NOTHING = "nothing"
    # Rows of the gateway and of one service.
    LOOKUP = "lookup"
    # A search of the index, or a walk over many pages.
    SEARCH = "search"
    # An answer, which a model may word.
    ANSWER = "answer"
    # Texts of the caller through the embedder.
    EMBED = "embed"


# Of a principal's budget, by what it occupies elsewhere: a lookup is one.
UNITS = {
    CallCost.NOTHING: 0,
    CallCost.LOOKUP: 1,
    CallCost.SEARCH: 5,
    CallCost.ANSWER: 10,
    CallCost.EMBED: 10,
}
# Of these only so many are served at once, each kind for itself.
SLOTTED = (CallCost.SEARCH, CallCost.ANSWER, CallCost.EMBED)
