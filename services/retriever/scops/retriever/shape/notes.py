"""Tells what was understood of a question beyond its words, or could not be used."""

from datetime import date

from scops.retriever.candidates.admission import CandidateSet
from scops.retriever.question import Question
from scops.retriever.time.constraint import Relation, TimeConstraint
from scops.retriever.time.expressions import DAY_FIRST, DAY_LAST

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
    first, last = constraint.interval.begin, constraint.interval.end
    if constraint.relation is Relation.BEFORE:
        return f"before {_day(first)}"
    if constraint.relation is Relation.AFTER or last >= DAY_LAST:
        return f"{_day(first)} or later"
    if first <= DAY_FIRST:
        return f"{_day(last)} or earlier"
    return _day(first) if first == last else f"{_day(first)} to {_day(last)}"


def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()
