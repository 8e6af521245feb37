"""When the sentences of a passage say that something was so, by windows of one and three.

A sentence without a time takes that of the sentence before it, else that of its heading, at a
lower strength.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from scops.common.text.sentences import sentence_spans
from scops.retriever.time.intervals import DAY_FIRST, DAY_LAST, DateInterval, TimeExpression
from scops.retriever.time.languages.detection import passage_language
from scops.retriever.time.reading import read_times

SENTENCES_IN_WINDOW = 3
LOOK_BACK_SENTENCES = 2
# How much a time counts that was carried over, or that is open at one end.
CARRIED = 0.65
OPEN_ENDED = 0.7
LIFETIME = 0.6
LIFETIME_YEARS_MIN = 15
OPENS = frozenset({"since", "from", "after", "starting in", "starting from", "beginning in"})
CLOSES = frozenset({"until", "till", "before", "prior to", "up to"})
IN_BRACKETS = re.compile(r"\([^()]*$")


@dataclass(frozen=True, slots=True)
class EventTime:
    """An interval in which a text says that something was so.

    Attributes:
        strength: in (0, 1]; 1 for a time that the sentence itself names.
    """

    interval: DateInterval
    strength: float


@dataclass(frozen=True, slots=True)
class TextWindow:
    """One or some sentences of a passage, and the times they speak of."""

    start: int
    end: int
    times: tuple[EventTime, ...]


def text_windows(header: str, text: str, reference: date | None = None) -> tuple[TextWindow, ...]:
    """Returns the windows of one and of three sentences, each span once, in reading order.

    Args:
        reference: the day the page states for itself, for "last year"; None drops such words.
    """
    language = passage_language(text)
    spans, languages = sentence_spans(text, language), (language,)
    own = [_times(text[start:end], languages, reference) for start, end in spans]
    heading = [weaker(time) for time in _times(header, languages, reference)]
    carried = [_carried(own, place, heading) for place in range(len(spans))]
    windows: dict[tuple[int, int], TextWindow] = {}
    for first, last in _ranges(len(spans)):
        named = [time for times in own[first:last] for time in times]
        times = named or carried[first]
        span = (spans[first][0], spans[last - 1][1])
        windows.setdefault(span, TextWindow(*span, tuple(times)))
    return tuple(windows[span] for span in sorted(windows))


def _ranges(count: int) -> Iterator[tuple[int, int]]:
    for first in range(count):
        yield first, first + 1
    for first in range(max(1, count - SENTENCES_IN_WINDOW + 1)):
        if count > 1:
            yield first, min(first + SENTENCES_IN_WINDOW, count)


def _carried(
    own: Sequence[Sequence[EventTime]], place: int, heading: Sequence[EventTime]
) -> list[EventTime]:
    for before in range(place - 1, max(place - 1 - LOOK_BACK_SENTENCES, -1), -1):
        if own[before]:
            return [weaker(time) for time in own[before]]
    return list(heading)


def weaker(time: EventTime) -> EventTime:
    """Returns a time as it counts for what stands beside the words that name it."""
    return EventTime(time.interval, time.strength * CARRIED)


def _times(text: str, languages: Sequence[str], reference: date | None) -> list[EventTime]:
    return [_event(found, text) for found in read_times(text, languages, reference)]


def _event(found: TimeExpression, text: str) -> EventTime:
    interval, strength = found.interval, 1.0
    if found.is_open or (not found.connected and found.cue in OPENS):
        interval, strength = DateInterval(interval.begin, DAY_LAST), OPEN_ENDED
    elif not found.connected and found.cue in CLOSES:
        interval, strength = DateInterval(DAY_FIRST, interval.end), OPEN_ENDED
    elif _is_lifetime(found, text):
        strength = LIFETIME
    return EventTime(interval, strength)


def _is_lifetime(found: TimeExpression, text: str) -> bool:
    """Says whether a long range in brackets bounds a life rather than an event."""
    long = found.interval.years >= LIFETIME_YEARS_MIN
    return found.connected and long and IN_BRACKETS.search(text[: found.start]) is not None
