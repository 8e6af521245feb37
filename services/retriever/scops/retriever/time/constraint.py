"""What a question asks of time: an interval and a relation to it, or the recent; usually nothing.

Source: MRAG's relations (before, after, between, first, last), with as of and latest.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from scops.retriever.time.intervals import DAY_FIRST, DAY_LAST, DateInterval, TimeExpression
from scops.retriever.time.languages.detection import ENGLISH, likely_languages
from scops.retriever.time.reading import read_times


class Relation(StrEnum):
    """How what is asked for lies to the interval asked for."""

    IN = "in"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"
    AS_OF = "as_of"


RELATIONS = {
    "before": Relation.BEFORE,
    "prior to": Relation.BEFORE,
    "earlier than": Relation.BEFORE,
    "until": Relation.BEFORE,
    "till": Relation.BEFORE,
    "up to": Relation.BEFORE,
    "after": Relation.AFTER,
    "since": Relation.AFTER,
    "following": Relation.AFTER,
    "later than": Relation.AFTER,
    "from": Relation.AFTER,
    "starting in": Relation.AFTER,
    "starting from": Relation.AFTER,
    "beginning in": Relation.AFTER,
    "as of": Relation.AS_OF,
    "as at": Relation.AS_OF,
    "by": Relation.AS_OF,
    "no later than": Relation.AS_OF,
}
RECENT = re.compile(
    r"\b(?:current|currently|latest|newest|most recent|most recently|recent|recently|nowadays|"
    r"these days|right now|at present|presently|up[- ]to[- ]date|today|as of now|what(?:'s|’s| is) "
    r"new|changed lately|just changed|have changed|has changed|still)\b",
    re.IGNORECASE,
)
FIRST = re.compile(r"\b(?:first|earliest|originally|initially)\b", re.IGNORECASE)
LAST = re.compile(r"\b(?:last|latest|final|finally|most recent)\b", re.IGNORECASE)
# Says who is meant, where another time says when.
BIRTH_CUES = ("", "in", "on")
BORN = re.compile(r"\bborn\s+$", re.IGNORECASE)
SPACES = re.compile(r"\s+(?=[?.,;!])|(?<=\s)\s+|,(?=\s*,)|^[\s,;]+")
# A longer text tells of times; what it asks are its sentences with a question mark.
QUESTION_WORDS_MAX = 40
SENTENCE = re.compile(r"[^.?!。？！]+[?？]?")
IDEOGRAPH = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
IDEOGRAPHS_IN_WORD = 2
ENDS = " ?.!。？！\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
QUESTION_MARKS = ("?", "？")
CLOSED = (Relation.IN, Relation.BETWEEN, Relation.AS_OF)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeConstraint:
    """When what is asked for was so.

    Attributes:
        interval: the days named; for `before` and `after` those that bound.
        order: -1 when the first within is asked for, 1 the last, 0 neither.
    """

    relation: Relation
    interval: DateInterval
    order: int = 0

    @property
    def window(self) -> DateInterval:
        """The days in which an answer may lie."""
        if self.relation is Relation.BEFORE:
            return DateInterval(DAY_FIRST, max(self.interval.begin - 1, DAY_FIRST))
        if self.relation is Relation.AFTER:
            return DateInterval(min(self.interval.begin, DAY_LAST), DAY_LAST)
        return self.interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTime:
    """What was understood of a question's time.

    Attributes:
        text: the question without its expression of time; the whole question without one.
        constraint: None for a question that names no time.
        recent: it asks for what is new or holds now.
        contradiction: the words that exclude each other; then there is no constraint.
    """

    text: str
    constraint: TimeConstraint | None = None
    recent: bool = False
    contradiction: str = ""


def asked_time(question: str, today: date) -> AskedTime:
    """Returns the time that a question asks about.

    Args:
        today: what relative expressions count from; with `as_of`, that day.
    """
    asking, languages = _asking(question), likely_languages(question)
    named = [
        found
        for found in read_times(question, languages, today, asked=True)
        if _asks(found, question) and any(a <= found.start < b for a, b in asking)
    ]
    if not named:
        recent = ENGLISH in languages and any(
            RECENT.search(question, a, b) is not None for a, b in asking
        )
        return AskedTime(text=question, recent=recent)
    named = [found for found in named if not _is_birth(found, question)] or named
    stripped = _without(question, named)
    constraint = _combined(named)
    if constraint is None:
        words = " and ".join(question[found.cue_start : found.end].strip() for found in named)
        return AskedTime(text=question, contradiction=words)
    order = -1 if FIRST.search(stripped) else 1 if LAST.search(stripped) else 0
    return AskedTime(
        text=stripped or question,
        constraint=TimeConstraint(
            relation=constraint.relation, interval=constraint.interval, order=order
        ),
    )


def _asking(question: str) -> list[tuple[int, int]]:
    """Returns the spans that ask: all of a question, of a long text its sentences that do."""
    if _words(question) <= QUESTION_WORDS_MAX:
        return [(0, len(question))]
    return [one.span() for one in SENTENCE.finditer(question) if one[0].endswith(QUESTION_MARKS)]


def _words(text: str) -> int:
    """Counts words; where no spaces stand between them, some characters are one."""
    return max(len(text.split()), len(IDEOGRAPH.findall(text)) // IDEOGRAPHS_IN_WORD)


def _asks(found: TimeExpression, question: str) -> bool:
    """Says whether an expression bounds the answer; a bare number may be part of a name."""
    if not found.bare or found.cue:
        return True
    return found.end >= len(question.rstrip(ENDS))


def _is_birth(found: TimeExpression, question: str) -> bool:
    named_so = found.cue in BIRTH_CUES and not found.connected
    return named_so and BORN.search(question[: found.cue_start]) is not None


def _combined(named: Sequence[TimeExpression]) -> TimeConstraint | None:
    """Returns one constraint of all expressions; None where they exclude each other."""
    constraints = [_single(found) for found in named]
    inside = [entry for entry in constraints if entry.relation in CLOSED]
    if len(constraints) == 1:
        return constraints[0]
    bounds = [entry.window for entry in constraints if entry.relation not in CLOSED]
    begin = max((bound.begin for bound in bounds), default=DAY_FIRST)
    end = min((bound.end for bound in bounds), default=DAY_LAST)
    if begin > end:
        return None
    if not inside:
        return TimeConstraint(relation=Relation.BETWEEN, interval=DateInterval(begin, end))
    hull = DateInterval(
        min(entry.interval.begin for entry in inside), max(entry.interval.end for entry in inside)
    )
    if hull.begin > end or hull.end < begin:
        return None
    narrowed = DateInterval(max(hull.begin, begin), min(hull.end, end))
    return TimeConstraint(relation=inside[0].relation, interval=narrowed)


def _single(found: TimeExpression) -> TimeConstraint:
    relation = RELATIONS.get(found.cue, Relation.IN)
    if found.connected or found.cue == "between":
        relation = Relation.BETWEEN
    if found.is_open:
        return TimeConstraint(relation=Relation.AFTER, interval=found.interval)
    return TimeConstraint(relation=relation, interval=found.interval)


def _without(question: str, named: Sequence[TimeExpression]) -> str:
    kept, position = [], 0
    for found in named:
        kept.append(question[position : found.cue_start])
        position = found.end
    kept.append(question[position:])
    return SPACES.sub("", "".join(kept)).strip()
