"""Finds the times in a text of a language that puts spaces between words.

A reading that is not sure is none: of a number that only a preposition makes a year, the next word
must be of a closed class or a name, so that it counts nothing.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

from scops.retriever.time.intervals import DateInterval, TimeExpression
from scops.retriever.time.languages.grammar import PAST, Grammar, grammar_of
from scops.retriever.time.languages.named_days import LINKS_MAX, NamedDays, named_days
from scops.retriever.time.languages.tokens import TextPieces, cut, length_after, length_before

YEAR_PLAIN_MIN = date(1500, 1, 1).toordinal()
# Of the relations that a phrase may stand for, the one that counts.
ORDER = (
    *("before", "until", "after", "since", "as of", "by", "between"),
    *("in", "of", "from", "around", "to", "and"),
)
# What takes a time from another: "with" and "to" are no such words, though they look like "since".
BOUNDS = frozenset({"before", "until", "after", "since"})
SHUTS = frozenset({"before", "after", PAST})
# A relation may lie so many words in front of the time that it bounds: "before the war of 1939".
BOUND_WORDS = 4
BOUND_PIECES = 12
# Relations that leave the case of a noun open.
ANY_CASE = frozenset({"until", "to", "around", "no"})
# Adjectives in front of a noun that is counted.
COUNTED_WORDS = 4
# Words as short as "km" are units.
SYMBOL_LETTERS = 2
SIGNS_AFTER = frozenset(".,;:?!)]}…\"'«»”“–—")
SENTENCE_SIGNS = frozenset(".?!;")
LISTED = frozenset({"to", "and"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Named days with the phrase in front of them.

    Attributes:
        begin: first piece of that phrase.
        names: the relations that it may stand for; empty without one.
    """

    days: NamedDays
    begin: int
    names: frozenset[str]
    connected: bool = False


def spoken_times(
    text: str, language: str, reference: date | None, *, asked: bool
) -> list[TimeExpression]:
    """Returns the expressions of a text in order; ranges are one expression.

    Args:
        language: one of `WORDS`.
        reference: the day of the question, or that a page states for itself.
        asked: the text is a question; a page is read with less care.
    """
    grammar, tokens = grammar_of(language), cut(text)
    reader = _Reader(tokens, grammar, reference, asked=asked)
    found = reader.joined(list(reader.found()))
    if asked:
        found = reader.unbroken(found)
    return [made for one in found if (made := reader.expression(one)) is not None]


class _Reader:
    def __init__(
        self, tokens: TextPieces, grammar: Grammar, reference: date | None, *, asked: bool
    ) -> None:
        self._tokens, self._grammar = tokens, grammar
        self._reference, self._asked = reference, asked

    def found(self) -> Iterator[_Found]:
        """Yields what may be a time, with its relation."""
        end = 0
        for place, word in enumerate(self._tokens.words):
            if place < end or not (word.isdecimal() or word.isalpha()):
                continue
            days = named_days(self._tokens, place, self._grammar)
            if days is None or days.first < end:
                continue
            found = self._with_relation(days, end)
            if not days.sure and (found.names == {"no"} or not self._counts_nothing(found)):
                continue
            end = days.end
            yield found

    def _with_relation(self, days: NamedDays, least: int) -> _Found:
        at = days.first
        for _ in range(LINKS_MAX):
            count = length_before(self._grammar.relations, self._tokens.words, at)
            if count and at - count >= least:
                phrase = tuple(self._tokens.words[at - count : at])
                return _Found(days=days, begin=at - count, names=self._grammar.relations[phrase])
            count = length_before(self._grammar.articles, self._tokens.words, at)
            if not count or at - count < least:
                break
            at -= count
        return _Found(days=days, begin=at, names=frozenset())

    def _counts_nothing(self, found: _Found) -> bool:
        """Says whether a number may be a year by what follows it."""
        place = found.days.end
        if not self._asked or place >= len(self._tokens):
            return True
        word = self._tokens.word(place)
        if self._grammar.nouns_have_capitals and word.isalpha():
            is_counted = (
                self._is_plural if found.names and not found.names & ANY_CASE else str.isalpha
            )
            return self._tokens.has_capitals and self._reaches_no(is_counted, place)
        if not word.isalpha():
            return word in SIGNS_AFTER
        if word in self._grammar.function or self._tokens.written(place)[0].isupper():
            return True
        return bool(self._grammar.plural_endings) and not self._is_plural(word)

    def _reaches_no(self, is_counted: Callable[[str], bool], place: int) -> bool:
        """Says whether no noun that may be counted follows verbs, adverbs and adjectives."""
        for at in range(place, min(place + COUNTED_WORDS, len(self._tokens))):
            word = self._tokens.word(at)
            if not word.isalpha():
                return word in SIGNS_AFTER
            if word in self._grammar.function:
                return True
            if self._tokens.written(at)[0].isupper():
                return not is_counted(word)
        return True

    def _is_plural(self, word: str) -> bool:
        is_symbol = len(word) <= SYMBOL_LETTERS
        ending = word.endswith(self._grammar.plural_endings)
        return ending or is_symbol or word in self._grammar.units

    def joined(self, found: Sequence[_Found]) -> list[_Found]:
        """Makes one of two times that a connector joins."""
        joined: list[_Found] = []
        for one in found:
            last = joined[-1] if joined else None
            if last is not None and self._connects(last, one):
                begin, end = last.days.interval.begin, one.days.interval.end
                days = replace(
                    last.days, end=one.days.end, interval=DateInterval(begin, max(begin, end))
                )
                days = replace(days, sure=last.days.sure or one.days.sure, single=False)
                joined[-1] = replace(last, days=days, connected=True)
            else:
                joined.append(one)
        return joined

    def _connects(self, last: _Found, one: _Found) -> bool:
        if last.connected or last.days.end != one.begin:
            return False
        return "to" in one.names or ("and" in one.names and "between" in last.names)

    def unbroken(self, found: Sequence[_Found]) -> list[_Found]:
        """Leaves out what is one end of a range whose other end is none, or is bounded by words."""
        kept: list[_Found] = []
        taken = {place for one in found for place in range(one.begin, one.days.end)}
        for place in range(len(found) - 1, -1, -1):
            one = found[place]
            beside = found[place - 1] if place else None
            follower = kept[-1] if kept else None
            if not (
                self._follows_number(one, beside)
                or self._goes_on(one, follower)
                or self._is_bounded(one, taken)
            ):
                kept.append(one)
        return kept[::-1]

    def _follows_number(self, one: _Found, beside: _Found | None) -> bool:
        listed = one.names & LISTED
        attached = beside is not None and beside.days.end == one.begin
        if one.names and one.names <= LISTED and not attached:
            return True
        return bool(listed) and not attached and self._tokens.word(one.begin - 1).isdecimal()

    def _goes_on(self, one: _Found, follower: _Found | None) -> bool:
        end = one.days.end
        count = length_after(self._grammar.relations, self._tokens.words, end)
        names = self._grammar.relations.get(tuple(self._tokens.words[end : end + count]), ())
        if not LISTED & set(names) or not self._tokens.word(end + count).isdecimal():
            return False
        return follower is None or follower.begin != end

    def _is_bounded(self, one: _Found, taken: Set[int]) -> bool:
        """Says whether a relation stands further in front, which bounds something else."""
        names = self._relation(one)
        if names in BOUNDS or one.connected:
            return False
        words = 0
        for place in range(one.begin - 1, max(-1, one.begin - 1 - BOUND_PIECES), -1):
            word = self._tokens.word(place)
            if place in taken or word in SENTENCE_SIGNS or word == "," or words >= BOUND_WORDS:
                return False
            words += word.isalpha()
            count = length_after(self._grammar.relations, self._tokens.words, place)
            phrase = tuple(self._tokens.words[place : place + count])
            if count and self._grammar.relations[phrase] & SHUTS:
                return True
        return False

    def _relation(self, one: _Found) -> str | None:
        """Returns the English word for a relation, empty without one; None where it is unsure."""
        if PAST in one.names:
            day = one.days.interval.end
            past = (
                self._reference is not None and day < date(self._reference.year, 1, 1).toordinal()
            )
            return "before" if past else None
        if one.names == {"no"}:
            return "of"
        return next((name for name in ORDER if name in one.names), "")

    def expression(self, one: _Found) -> TimeExpression | None:
        """Returns the expression of a time; None for one that is not sure."""
        cue = self._relation(one)
        bare = one.days.single
        if cue is None:
            return None
        if bare and not cue:
            if one.days.interval.begin < YEAR_PLAIN_MIN:
                return None
            if self._asked:
                if self._is_adverb(one.days):
                    cue = "in"
                elif not self._is_plain(one.days):
                    return None
        spans = self._tokens.spans
        return TimeExpression(
            start=spans[one.days.first][0],
            end=spans[one.days.end - 1][1],
            interval=one.days.interval,
            cue=cue,
            cue_start=spans[one.begin][0],
            bare=bare,
            connected=one.connected,
        )

    def _is_plain(self, days: NamedDays) -> bool:
        """Says whether a number without any word for it follows no name: "Windows 2000"."""
        before = days.first - 1
        if before < 0 or not self._tokens.word(before).isalpha():
            return before < 0 or self._tokens.word(before) in SIGNS_AFTER
        return self._tokens.has_capitals and self._tokens.written(before)[0].islower()

    def _is_adverb(self, days: NamedDays) -> bool:
        """Says whether a bare number stands where a language puts a year: beside its verb."""
        verbs, words = self._grammar.verbs, self._tokens.words
        if not verbs or not self._is_plain(days):
            return False
        before = days.first - 1
        if before < 0:
            return self._tokens.word(days.end) in verbs
        word = words[before]
        return word in verbs or (word.isalpha() and word not in self._grammar.function)


def _first_day(day: date) -> int:
    return date(day.year, 1, 1).toordinal()
