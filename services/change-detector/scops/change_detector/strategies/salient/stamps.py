"""Tells stamps of passing time, which move and say nothing else, from sentences that have a date.

A stamp is `Last updated: 3 May 2024`, `5 minutes ago` or `© 2025`, and nothing beside: each of its
words is one by which the page's language, or English, says that a page was updated.
"""

from collections.abc import Sequence
from functools import lru_cache

from scops.change_detector.strategies.salient.alignment import TokenRun
from scops.change_detector.strategies.salient.kinds import Kind, kind_of
from scops.change_detector.strategies.salient.notation import NOTATIONS_MAX, Notation
from scops.change_detector.strategies.salient.tokens import Tokens
from scops.change_detector.strategies.salient.update_words import UPDATE_WORDS
from scops.change_detector.strategies.salient.words import words
from scops.change_detector.strategies.salient.written_values import DATE

STAMP_TOKENS_MAX = 24
COPYRIGHT_TOKENS_MAX = 14
# What stands in stamps beside the words of the catalogs.
_ALSO = words(
    "page this was is the of by date revised modified reviewed posted stand geändert überarbeitet "
    "révisé révision revisado revisto rivisto herzien gewijzigd изменено 修 改 订 訂"
) - {"by"}
_MOVING = frozenset({Kind.DATE, Kind.NUMBER, Kind.UNIT})


def is_passing_time(old: Tokens, new: Tokens, runs: Sequence[TokenRun]) -> bool:
    """Returns whether two segments are a stamp that moved."""
    gone = [i for run in runs for i in range(run[0], run[1])]
    come = [j for run in runs for j in range(run[2], run[3])]
    if max(len(old.keys), len(new.keys)) > STAMP_TOKENS_MAX or not gone or not come:
        return False
    if _is_copyright(old) and _is_copyright(new):
        differing = [old.keys[i] for i in gone] + [new.keys[j] for j in come]
        return all(len(key) == 4 and key.isdecimal() for key in differing)
    if not (_is_stamp(old) and _is_stamp(new)):
        return False
    return all(_moves(old, i) for i in gone) and all(_moves(new, j) for j in come)


def _moves(tokens: Tokens, place: int) -> bool:
    """Whether a token is of a time: `Tag` and `Tagen` of "vor 3 Tagen" are words of it."""
    key = tokens.keys[place]
    return kind_of(tokens, place) in _MOVING or any(key in p for p in tokens.notation.passed)


def _is_stamp(tokens: Tokens) -> bool:
    """Whether a date, or a time that has passed, stands there with words of updating alone."""
    kinds = [kind_of(tokens, place) for place in range(len(tokens.keys))]
    said = {key for key, kind in zip(tokens.keys, kinds, strict=True) if kind not in _MOVING}
    of_updating = _update_words(tokens.notation)
    passed = [phrase for phrase in tokens.notation.passed if phrase <= {*tokens.keys}]
    if any(said <= of_updating | phrase for phrase in passed):
        return Kind.NUMBER in kinds
    has_date = any(key[0] == DATE for key in tokens.keys)
    # "Mise à jour" has the name of a unit.
    numbers = sum(
        kind is Kind.NUMBER or (kind is Kind.UNIT and key not in of_updating)
        for key, kind in zip(tokens.keys, kinds, strict=True)
    )
    names_updating = any(key in of_updating for key in tokens.keys)
    return has_date and not numbers and names_updating and said <= of_updating


@lru_cache(maxsize=NOTATIONS_MAX)
def _update_words(notation: Notation) -> frozenset[str]:
    known = words(UPDATE_WORDS["en"]) | words(UPDATE_WORDS.get(notation.language, ""))
    return known | _ALSO | notation.connectors


def _is_copyright(tokens: Tokens) -> bool:
    if len(tokens.keys) > COPYRIGHT_TOKENS_MAX:
        return False
    first, last = tokens.spans[0][0], tokens.spans[len(tokens.keys) - 1][1]
    # The sign stands before the first token: it is none.
    before = tokens.original[max(first - 2, 0) : last]
    return "©" in before or tokens.keys[0] == "copyright"
