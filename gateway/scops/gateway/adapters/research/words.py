"""What is told of a research in words: why it stopped, and what became of its pages."""

STOPPED = {
    "covered": "what it found suffices",
    "low_gain": "the last pages brought nothing more",
    "cost": "no link left is expected to be worth its fetch",
    "pages": "its pages are used up",
    "bytes": "its bytes are used up",
    "seconds": "its time is used up",
    "nothing_left": "there is no link left that it may follow",
    "cancelled": "it was cancelled",
    "failed": "it failed",
}
# By outcome, of pages that there is nothing to read of.
ABSENT = {
    "": "it has not been fetched",
    "late": "it had not come when the question was looked at again",
    "searched": "it is the index of the site's own search, which was asked",
    "gone": "there is no such page",
    "blocked": "it may not be fetched",
    "dead": "it could not be fetched",
    "cancelled": "its fetch was cancelled",
}
CITED = "the answer rests on it"
NEAR = "it came near the question, and others said it better"
FAR = "nothing on it came near the question"


def stopped_words(reason: str) -> str:
    """Returns why a research went no further; of a reason of a later release its code."""
    return STOPPED.get(reason, reason)
