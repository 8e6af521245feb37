"""Reads the times of a text in the languages that it may be in.

English is read by `expressions`, other languages by their words; where a text may be in several,
what all of them read alike counts, and else nothing.
"""

from collections.abc import Sequence
from datetime import date

from scops.retriever.time.expressions import time_expressions
from scops.retriever.time.intervals import TimeExpression
from scops.retriever.time.languages.detection import CHINESE, ENGLISH, JAPANESE
from scops.retriever.time.languages.ideographic import ideographic_times
from scops.retriever.time.languages.spoken import spoken_times


def read_times(
    text: str, languages: Sequence[str], reference: date | None = None, *, asked: bool = False
) -> list[TimeExpression]:
    """Returns the expressions of a text in order; none where the languages disagree.

    Args:
        languages: by ISO 639-1, those of `likely_languages`.
        reference: the day that relative expressions count from; without it they are left out.
        asked: the text is a question, of which a wrong reading is worse than none.
    """
    readings = [_read(text, language, reference, asked=asked) for language in languages]
    if not readings or any(one != readings[0] for one in readings):
        return []
    return readings[0]


def _read(text: str, language: str, reference: date | None, *, asked: bool) -> list[TimeExpression]:
    if language == ENGLISH:
        return time_expressions(text, reference)
    if language in (CHINESE, JAPANESE):
        return ideographic_times(text)
    return spoken_times(text, language, reference, asked=asked)
