"""Synthetic scopes: pages in groups, questions whose passages are known, the same for a seed.

Each place (an invented name with what it is: "the Kelvar harbour") has a page that states facts of
it, and a page of notes that repeats them. A part of the places have a namesake in another group,
with other facts, and a part are repeated on a page of another group. A question asks for a fact by
the name alone; relevant are the pages that state that fact of the place that is meant, and the
scope of its own group is the target, which holds most of them.

What groups have in common is chosen: the kind of place (`topics`), the host (`hosts`) or the year
that their pages are of (`dates`); what is not chosen is drawn.

Source: OwlerLite, section 5. Differs: its scopes are clusters of MS MARCO segments, its questions
those of TREC RAG 2024, its relevance graded by people.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import product

from scops.standalone.evaluation.questions import EvaluationQuestion, ExpectedPassage

# What is where, and what is said of it beside the facts.
TOPICS = {
    "harbour": ("berths", "tides", "sailing boats", "the breakwater", "the fuel jetty"),
    "bakery": ("rye loaves", "the stone oven", "sourdough", "cinnamon buns", "flour deliveries"),
    "observatory": ("telescopes", "meteor showers", "the dome", "star charts", "clear nights"),
    "museum": ("exhibits", "guided tours", "the coin collection", "restorers", "oil paintings"),
    "orchard": ("apple trees", "grafting", "cider presses", "spring frost", "beehives"),
    "tramway": ("rolling stock", "overhead wires", "the depot", "timetables", "conductors"),
    "library": ("reading rooms", "manuscripts", "loans", "the card index", "bookbinding"),
    "quarry": ("granite blocks", "stone saws", "blasting days", "gravel", "the loading ramp"),
    "swimming hall": ("lanes", "diving boards", "chlorine levels", "lessons", "the sauna"),
    "choir": ("rehearsals", "sopranos", "hymns", "concert tours", "sheet music"),
    "mountain hut": ("bunks", "hikers", "soup", "weather reports", "the summit trail"),
    "ferry": ("the car deck", "crossings", "life jackets", "the engine room", "cyclists"),
    "aquarium": ("jellyfish", "water filters", "feeding times", "coral tanks", "rays"),
    "cinema": ("projectors", "matinees", "subtitles", "popcorn", "silent films"),
    "brewery": ("hops", "copper kettles", "malt", "yeast", "barrel tastings"),
    "botanical garden": ("orchids", "greenhouses", "seed exchange", "palms", "compost"),
    "ice rink": ("skates", "hockey practice", "the ice machine", "curling", "figure skaters"),
    "printing shop": ("type cases", "posters", "ink", "letterpress", "proof sheets"),
    "riding school": ("ponies", "saddles", "hay", "jumping lessons", "the paddock"),
    "railway station": ("platforms", "ticket machines", "signals", "left luggage", "freight"),
}
GROUPS_MAX = len(TOPICS)
# How a fact is stated, repeated in notes, and asked for; and what it may be.
FACTS = {
    "fee": (
        "The yearly fee of the {place} is {value} euros.",
        "Members of the {place} paid {value} euros as the yearly fee.",
        "How many euros is the yearly fee at {name}?",
    ),
    "keeper": (
        "The keeper of the {place} is {value}.",
        "{value} looks after the {place} as its keeper.",
        "Who is the keeper at {name}?",
    ),
    "founded": (
        "The {place} was founded in {value}.",
        "Since {value}, when it was founded, the {place} has never closed.",
        "When was {name} founded?",
    ),
    "capacity": (
        "The {place} has room for {value} visitors.",
        "No more than {value} visitors find room in the {place}.",
        "For how many visitors is there room at {name}?",
    ),
}
FIRST_YEAR, DAYS = 2015, 365
NAMESAKES, REPEATED = 0.5, 0.3
STATED, NOTED = 2, 1
_BEGIN = ("Kel", "So", "Bru", "Tan", "Vi", "Mor", "Hal", "Fen", "Or", "Dra", "Lis", "Pel", "Ru")
_MIDDLE = ("va", "run", "mi", "do", "ska", "len", "ti", "go", "ber", "na")
_END = ("ra", "sund", "holm", "wick", "den", "mar", "by", "low", "stad", "fjell")
_PEOPLE = ("Ada", "Bela", "Chiara", "Dov", "Edda", "Femi", "Gita", "Hugo", "Ines", "Jaro", "Kaya")
_FAMILIES = ("Albers", "Brandt", "Castro", "Dubois", "Engel", "Farkas", "Gruber", "Holt", "Ivanov")


class Grouping(StrEnum):
    """What the pages of a synthetic scope have in common."""

    TOPICS = "topics"
    HOSTS = "hosts"
    DATES = "dates"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticPage:
    """A page of a group; its text is Markdown."""

    group: int
    path: str
    text: str
    modified: datetime


@dataclass(slots=True)
class SyntheticScopes:
    """Pages in groups, and what is asked of them.

    Attributes:
        questions: each with the scope that it is meant for, and the pages that answer it.
    """

    scopes: tuple[str, ...]
    pages: list[SyntheticPage] = field(default_factory=list)
    questions: list[EvaluationQuestion] = field(default_factory=list)

    def uri(self, page: SyntheticPage) -> str:
        """Returns the URL of a page: a file of the collection of its scope."""
        return f"file://{self.scopes[page.group]}/{page.path}"


@dataclass(frozen=True, slots=True)
class _Place:
    group: int
    name: str
    topic: str
    host: str
    day: datetime
    facts: dict[str, str]

    @property
    def called(self) -> str:
        return f"{self.name} {self.topic}"


def synthetic_scopes(
    *, seed: int, by: Grouping, groups: int, places: int, questions: int, prefix: str
) -> SyntheticScopes:
    """Returns synthetic scopes.

    Args:
        groups: of pages, each a scope; 2 to `GROUPS_MAX`.
        places: in each group, of which each has two pages or three.
        questions: at most so many, of all places in turn.
        prefix: of the names of scopes.
    """
    chance = random.Random(f"{seed} {by} {groups} {places}")
    made = SyntheticScopes(tuple(f"{prefix}-{number + 1}" for number in range(groups)))
    relevant: dict[tuple[str, str], list[ExpectedPassage]] = defaultdict(list)
    drawn = list(_places(chance, by, groups, places))
    for place in drawn:
        for page, gain in _pages(chance, place, groups, len(made.pages)):
            made.pages.append(page)
            expected = ExpectedPassage(page=made.uri(page), gain=gain)
            for fact in _facts_of(page, place):
                relevant[place.called, fact].append(expected)
    asked = chance.sample(list(product(drawn, FACTS)), len(drawn) * len(FACTS))
    for number, (place, fact) in enumerate(asked[:questions], 1):
        question = EvaluationQuestion(
            id=f"synthetic-{number}",
            text=FACTS[fact][2].format(name=place.name),
            expected=tuple(relevant[place.called, fact]),
            scope=made.scopes[place.group],
        )
        made.questions.append(question)
    return made


def _places(chance: random.Random, by: Grouping, groups: int, count: int) -> Iterator[_Place]:
    """Yields the places of all groups; a namesake is of another group and another kind.

    A name is once in a group at most, so that the group tells which place is meant, and a kind is
    left for each: there are as many as groups.
    """
    names = ["".join(parts) for parts in product(_BEGIN, _MIDDLE, _END)]
    fresh = iter(chance.sample(names, len(names)))
    used: list[_Place] = []
    for group in range(groups):
        for _ in range(count):
            here = {one.name for one in used if one.group == group}
            others = [one for one in used if one.name not in here]
            again = chance.choice(others) if others and chance.random() < NAMESAKES else None
            name = again.name if again is not None else next(fresh)
            place = _place(chance, by, group, groups, name, taken=used)
            used.append(place)
            yield place


def _place(
    chance: random.Random,
    by: Grouping,
    group: int,
    groups: int,
    name: str,
    *,
    taken: Sequence[_Place],
) -> _Place:
    """Returns a place of a group; no two are called the same."""
    number = {one: chance.randrange(groups) for one in Grouping} | {by: group}
    topics, kinds = list(TOPICS), {one.topic for one in taken if one.name == name}
    topic = topics[number[Grouping.TOPICS]]
    if topic in kinds:
        topic = chance.choice([one for one in topics if one not in kinds])
    year = FIRST_YEAR + number[Grouping.DATES] % 10
    return _Place(
        group=group,
        name=name,
        topic=topic,
        host=f"host-{number[Grouping.HOSTS] + 1}.example",
        day=datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(DAYS)),
        facts={
            "fee": str(chance.randrange(12, 480)),
            "keeper": f"{chance.choice(_PEOPLE)} {chance.choice(_FAMILIES)}",
            "founded": str(chance.randrange(1780, 2010)),
            "capacity": str(chance.randrange(500, 9000)),
        },
    )


def _pages(
    chance: random.Random, place: _Place, groups: int, number: int
) -> Iterator[tuple[SyntheticPage, int]]:
    """Yields the pages that speak of a place, with how much each answers."""
    stated = _text(chance, place, 0, f"# The {place.called}", list(FACTS))
    yield _page(place, place.group, number, stated), STATED
    some = chance.sample(list(FACTS), 2)
    noted = _text(chance, place, 1, f"# Notes on the {place.called}", some)
    yield _page(place, place.group, number + 1, noted), NOTED
    if chance.random() < REPEATED:
        other = (place.group + chance.randrange(1, groups)) % groups
        repeated = _text(chance, place, 1, f"# Neighbours: the {place.called}", some)
        yield _page(place, other, number + 2, repeated), NOTED


def _page(place: _Place, group: int, number: int, text: str) -> SyntheticPage:
    path = f"{place.host}/{place.day:%Y}/page-{number + 1}.md"
    return SyntheticPage(group=group, path=path, text=text, modified=place.day)


def _text(
    chance: random.Random, place: _Place, form: int, heading: str, facts: Sequence[str]
) -> str:
    """Returns a page: what is said of such places, and the facts at random places of it."""
    told = [FACTS[one][form].format(place=place.called, value=place.facts[one]) for one in facts]
    said = [
        f"There is something new about {one} at the {place.called}."
        for one in chance.sample(TOPICS[place.topic], 2)
    ]
    lines = chance.sample([*told, *said], len(told) + len(said))
    return f"{heading}\n\n{' '.join(lines)} As of {place.day:%d %B %Y}.\n"


def _facts_of(page: SyntheticPage, place: _Place) -> Iterator[str]:
    """Yields the facts that a page states."""
    for fact, forms in FACTS.items():
        stated = (one.format(place=place.called, value=place.facts[fact]) for one in forms[:2])
        if any(one in page.text for one in stated):
            yield fact
