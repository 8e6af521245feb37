"""Why the words that differ between two segments matter: reasons, and how much each weighs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import regex

from scops.change_detector.strategies.salient.alignment import TokenRun
from scops.change_detector.strategies.salient.kinds import Kind, kind_of
from scops.change_detector.strategies.salient.opposites import (
    NEGATING_PREFIXES,
    OPPOSED_AFFIXES,
    OPPOSED_ENDINGS,
    OPPOSITES,
)
from scops.change_detector.strategies.salient.tokens import Tokens
from scops.change_detector.strategies.salient.variants import same_word
from scops.change_detector.strategies.salient.words import NEGATIONS, NUMBER_WORDS, PERSONS

ANTONYM = "antonym"
CODE = "code"
SPELLING = "spelling"
WORD_ORDER = "word_order"
WORDING = "wording"
WEIGHTS: dict[str, float] = {
    Kind.NUMBER: 0.8,
    Kind.MONEY: 0.9,
    Kind.PERCENT: 0.9,
    Kind.UNIT: 0.8,
    Kind.DATE: 0.8,
    Kind.VERSION: 0.8,
    Kind.NEGATION: 0.95,
    Kind.QUANTIFIER: 0.7,
    Kind.MODALITY: 0.8,
    Kind.COMPARATOR: 0.7,
    Kind.ENTITY: 0.7,
    Kind.IDENTIFIER: 0.7,
    Kind.LINK: 0.6,
    Kind.SIGN: 0.6,
    ANTONYM: 0.9,
    CODE: 0.7,
}
SUBSTITUTED_WEIGHT = 0.4
SIDED_WEIGHT = 0.3
SMALL_WEIGHT = 0.02
STEM_MIN = 3
SIGN_REASON = "comparator"
# Pairs of words of one edit that are compared for being forms of one word: a sentence of a
# hundred words that is another one altogether.
VARIANTS_COMPARED_MAX = 10_000

_ITEMS = regex.compile(r"[,;|/•]|(?<!\w)(?:and|or|und|oder|et|ou|y|e|o)(?!\w)")


@dataclass(frozen=True, slots=True)
class ReasonFinding:
    """A reason and what it weighs, in [0, 1]; critical ones count whatever they weigh."""

    reason: str
    weight: float
    critical: bool


@dataclass(frozen=True, slots=True)
class _Sides:
    """The places that differ on either side."""

    old: Tokens
    new: Tokens
    gone: list[int]
    come: list[int]
    in_title: bool

    def kinds(self) -> list[Kind]:
        """The kinds of what differs, of the old side first."""
        return [
            kind_of(tokens, place, in_title=self.in_title)
            for tokens, places in ((self.old, self.gone), (self.new, self.come))
            for place in places
        ]

    def keys(self) -> tuple[list[str], list[str]]:
        return [self.old.keys[i] for i in self.gone], [self.new.keys[j] for j in self.come]


def findings(
    old: Tokens, new: Tokens, runs: Sequence[TokenRun], *, in_title: bool, in_code: bool
) -> list[ReasonFinding]:
    """Returns what the differing runs of two segments mean; none where they only look different.

    Args:
        in_title: capitals do not tell names from words here.
        in_code: every token counts.
    """
    runs = [
        run
        for run in runs
        if not _is_respelled(old, new, run) and not _is_enumerator(old, new, run)
    ]
    gone = [i for run in runs for i in range(run[0], run[1])]
    come = [j for run in runs for j in range(run[2], run[3])]
    swapped, sides = _without_common(_Sides(old, new, gone, come, in_title))
    if not sides.gone and not sides.come:
        return _order_findings(sides, swapped)
    if in_code:
        return [_critical(CODE)]
    small, sides = _without_variants(sides)
    found = _opposed(sides) + _person(sides)
    found += [finding for kind in sides.kinds() for finding in _of_kind(kind)]
    if not found and set(sides.kinds()) == {Kind.FUNCTION}:
        # Only words that join came or went: what stands in another order is what counts.
        found = _order_findings(sides, swapped)
    return found + _wording(sides) + small


def _critical(reason: str) -> ReasonFinding:
    return ReasonFinding(reason, WEIGHTS.get(reason, 0.7), critical=True)


def _is_respelled(old: Tokens, new: Tokens, run: TokenRun) -> bool:
    """`e-mail` and `email`: cut otherwise, the same letters."""
    one, other = old.keys[run[0] : run[1]], new.keys[run[2] : run[3]]
    if "".join(one) != "".join(other) or any(key[0].isdigit() for key in (*one, *other)):
        return False
    return not NEGATIONS.intersection(one) ^ NEGATIONS.intersection(other)


def _is_enumerator(old: Tokens, new: Tokens, run: TokenRun) -> bool:
    """`1. Fees` and `Fees`: a list that is numbered from now on; another number is none."""
    gone, come = run[1] - run[0], run[3] - run[2]
    if gone + come != 1 or run[0] or run[2]:
        return False
    tokens = old if gone else new
    end = tokens.spans[0][1]
    return tokens.keys[0].isdigit() and tokens.original[end : end + 1] in {".", ")"}


def _without_common(sides: _Sides) -> tuple[list[str], _Sides]:
    """Takes out the words that both sides have: they only stand elsewhere."""
    gone, come = sides.keys()
    common = Counter(gone) & Counter(come)
    swapped = list(common.elements())
    left = []
    for tokens, places in ((sides.old, sides.gone), (sides.new, sides.come)):
        room = common.copy()
        kept = []
        for place in places:
            if room[tokens.keys[place]] > 0:
                room[tokens.keys[place]] -= 1
            else:
                kept.append(place)
        left.append(kept)
    return swapped, _Sides(sides.old, sides.new, left[0], left[1], sides.in_title)


def _order_findings(sides: _Sides, swapped: Sequence[str]) -> list[ReasonFinding]:
    """Words in another order: items of a list may be, names and numbers may not."""
    if not swapped or _same_items(sides.old, sides.new):
        return []
    first = {key: place for place, key in reversed([*enumerate(sides.new.keys)])}
    places = [first[key] for key in swapped]
    kinds = [kind_of(sides.new, place, in_title=sides.in_title) for place in places]
    fixed = [kind for kind in kinds if kind not in {Kind.CONTENT, Kind.FUNCTION}]
    if fixed:
        return [_critical(SIGN_REASON if kind is Kind.SIGN else kind) for kind in fixed]
    if Kind.CONTENT in kinds:
        return [ReasonFinding(WORD_ORDER, SIDED_WEIGHT, critical=False)]
    return [ReasonFinding(WORD_ORDER, SMALL_WEIGHT, critical=False)]


def _same_items(old: Tokens, new: Tokens) -> bool:
    return _items(old) == _items(new)


def _items(tokens: Tokens) -> Counter[tuple[str, ...]]:
    """The items of an enumeration, as sets of words."""
    items: list[list[str]] = [[]]
    end = tokens.spans[0][0]
    for key, (start, stop) in zip(tokens.keys, tokens.spans, strict=True):
        if _ITEMS.search(tokens.original[end:start]) or _ITEMS.fullmatch(key):
            items.append([])
        if not _ITEMS.fullmatch(key):
            items[-1].append(key)
        end = stop
    return Counter(tuple(item) for item in items if item)


def _without_variants(sides: _Sides) -> tuple[list[ReasonFinding], _Sides]:
    """Takes out pairs of forms of one word, and numbers written as words."""
    gone, come, small = list(sides.gone), list(sides.come), []
    compared, language = 0, sides.new.notation.language
    for i in sides.gone:
        key = sides.old.keys[i]
        compared += len(come)
        if compared > VARIANTS_COMPARED_MAX:
            break
        match = next((j for j in come if _is_variant(key, sides.new.keys[j], language)), None)
        if match is None or Kind.IDENTIFIER in {kind_of(sides.old, i), kind_of(sides.new, match)}:
            continue
        gone.remove(i)
        come.remove(match)
        small.append(ReasonFinding(SPELLING, SMALL_WEIGHT, critical=False))
    return small, _Sides(sides.old, sides.new, gone, come, sides.in_title)


def _is_variant(first: str, second: str, language: str) -> bool:
    if first in NEGATIONS or second in NEGATIONS:
        return False
    if NUMBER_WORDS.get(first, first) == NUMBER_WORDS.get(second, second):
        return True
    return _is_word(first) and _is_word(second) and same_word(first, second, language)


def _is_word(key: str) -> bool:
    return key.replace("'", "").isalpha()


def _opposed(sides: _Sides) -> list[ReasonFinding]:
    gone, come = sides.keys()
    there = frozenset(come)
    return [_critical(ANTONYM)] if any(_opposites(key) & there for key in gone) else []


def _opposites(word: str) -> frozenset[str]:
    """Returns every word that is opposed to one, so that none is compared with each other one."""
    found = set(_OPPOSITES_OF.get(word, ()))
    for prefix in NEGATING_PREFIXES:
        if len(word) > STEM_MIN:
            found.add(prefix + word)
        if word.startswith(prefix) and len(word) - len(prefix) > STEM_MIN:
            found.add(word[len(prefix) :])
    # `overpaid` and `underpaid`: opposed prefixes on one stem; `harmful` and `harmless`: suffixes.
    for one, other in _both_ways(OPPOSED_AFFIXES):
        if word.startswith(one) and len(word) - len(one) >= STEM_MIN:
            found.add(other + word[len(one) :])
    for one, other in _both_ways(OPPOSED_ENDINGS):
        if word.endswith(one) and len(word) - len(one) >= STEM_MIN:
            found.add(word[: -len(one)] + other)
    return frozenset(found)


def _both_ways(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for one, other in pairs:
        yield one, other
        yield other, one


def _opposites_by_word() -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for pair in (*OPPOSITES, frozenset(("and", "or"))):
        for word in pair:
            found[word] |= pair - {word}
    return found


_OPPOSITES_OF = _opposites_by_word()


def _person(sides: _Sides) -> list[ReasonFinding]:
    """`we may share` and `you may share`: who does it is another one."""
    gone, come = sides.keys()
    before = {_group(key) for key in gone if key in PERSONS}
    after = {_group(key) for key in come if key in PERSONS}
    return [_critical(Kind.ENTITY)] if before and after and before != after else []


def _group(pronoun: str) -> int:
    return min(PERSONS[pronoun], 2)


def _of_kind(kind: Kind) -> list[ReasonFinding]:
    if kind is Kind.SIGN:
        return [_critical(SIGN_REASON)]
    if kind in {Kind.CONTENT, Kind.FUNCTION}:
        return []
    return [_critical(kind)]


def _wording(sides: _Sides) -> list[ReasonFinding]:
    """Content words weigh more where they replace others; words that only join weigh little."""
    kinds = sides.kinds()
    content, joining = kinds.count(Kind.CONTENT), kinds.count(Kind.FUNCTION)
    weight = SUBSTITUTED_WEIGHT if sides.gone and sides.come else SIDED_WEIGHT
    return [ReasonFinding(WORDING, weight, critical=False)] * content + [
        ReasonFinding(WORDING, SMALL_WEIGHT, critical=False)
    ] * joining
