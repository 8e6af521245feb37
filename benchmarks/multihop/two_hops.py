"""Makes questions whose answer lies one passage further, over what both passages mention.

A question names what one passage alone mentions (the start), and some common words of another (the
goal). Both mention a third thing (the bridge), which the question does not name. So the words lead
to the start at once, and to the goal hardly; whoever follows the bridge has it.

The questions are made of the names in the texts, by the rules that the index has for names: they
show what a walk can gain where there is a way, not how often people ask so.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from scops.common.text.terms import content_terms, words
from scops.libraries.mentions.keys import keys_of
from scops.libraries.mentions.rules import names

SEED = 5
# In more passages a bridge leads anywhere.
BRIDGE_PASSAGES_MAX = 4
# A word of the goal must stand in such a share of the passages that it does not lead there.
COMMON_SHARE_MIN = 0.03
COMMON_WORDS = 2
START_CHARACTERS_MIN = 6
# Something that can be named: a number is none.
NAME = re.compile(r"[^\W\d_]{4}")


@dataclass(frozen=True, slots=True)
class TwoHopQuestion:
    """A question, the place of the passage it starts from, and of the one that it asks for."""

    text: str
    start: int
    goal: int
    bridge: str


def two_hop_questions(texts: Sequence[str], *, count: int) -> list[TwoHopQuestion]:
    """Returns at most `count` questions over some passages, each with another goal."""
    mentioned = [frozenset(keys_of(names(text))) for text in texts]
    terms = [content_terms(text) for text in texts]
    holders = Counter(key for keys in mentioned for key in keys)
    common = Counter(term for held in terms for term in held)
    places: dict[str, list[int]] = {}
    for place, keys in enumerate(mentioned):
        for key in keys:
            places.setdefault(key, []).append(place)
    chance = random.Random(SEED)
    bridges = [
        key
        for key in sorted(places)
        if 2 <= len(places[key]) <= BRIDGE_PASSAGES_MAX and NAME.search(key)
    ]
    chance.shuffle(bridges)
    found: dict[int, TwoHopQuestion] = {}
    for bridge in bridges:
        for start, goal in _pairs(places[bridge], chance):
            named = _named(mentioned[start], bridge, texts[goal], holders)
            known = terms[start] | content_terms(bridge)
            asked = _asked(texts[goal], known, common, COMMON_SHARE_MIN * len(texts))
            if goal not in found and named and len(asked) == COMMON_WORDS:
                text = f"{chance.choice(named)} {' '.join(asked)}"
                found[goal] = TwoHopQuestion(text, start, goal, bridge)
                break
        if len(found) == count:
            break
    return list(found.values())


def _pairs(places: Sequence[int], chance: random.Random) -> Iterator[tuple[int, int]]:
    pairs = [(one, other) for one in places for other in places if one != other]
    chance.shuffle(pairs)
    yield from pairs


def _named(keys: frozenset[str], bridge: str, goal: str, holders: Counter[str]) -> list[str]:
    """Returns what the start alone mentions and that tells nothing of the bridge or the goal."""
    told = content_terms(bridge) | content_terms(goal)
    return [
        key
        for key in sorted(keys)
        if holders[key] == 1
        and len(key) >= START_CHARACTERS_MIN
        and not content_terms(key) & told
        and NAME.search(key)
    ]


def _asked(goal: str, known: Set[str], common: Counter[str], least: float) -> list[str]:
    """Returns some words of the goal, in its order, that many passages hold."""
    asked = []
    for word in dict.fromkeys(words(goal)):
        term = next(iter(content_terms(word)), "")
        if term and term not in known and common[term] >= least:
            asked.append(word)
    return asked[:COMMON_WORDS]
