"""A site whose pages are edited from round to round, and what a crawl of each round must find.

Each page is about one lamp with a name of its own, and tells one number about it.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fakes.servers.origin import Origin, running

SCOPE = "lamps"
# A page in so many is edited before each round but the first.
EDITED_EVERY = 5
# Pages with this rest are never edited.
STEADY = EDITED_EVERY - 1
SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "so", "ti", "ve", "zu", "ga", "pe")
NAME_SYLLABLES = 4
WORDS = (
    "lantern harbour keeper winter copper valley market winding narrow bridge barrel timber "
    "weather orchard stable chimney gravel meadow anchor linen pepper saddle velvet quarry "
    "ferry cellar mirror candle thistle plaster wagon kettle marble ribbon hammer cloister"
)
PARAGRAPHS, PARAGRAPH_WORDS = 3, 30


class Lamps:
    """The site.

    Args:
        origin: serves it.
        pages: of lamps; one more links to them.
    """

    def __init__(self, origin: Origin, pages: int) -> None:
        self.origin = origin
        self.pages = pages
        self.names = [_name(number) for number in range(pages)]
        self.round = 0
        self.begin()

    def begin(self) -> None:
        """Serves the pages of the first round."""
        self.round = 0
        links = "".join(f'<li><a href="/{n}.html">{self.names[n]}</a></li>' for n in self._all)
        self.origin.replace("/", f"<html><body><h1>All lamps</h1><ul>{links}</ul></body></html>")
        for number in self._all:
            self._serve(number)

    def next_round(self) -> None:
        """Edits some pages."""
        self.round += 1
        for number in self.edited():
            self._serve(number)

    def edited(self) -> list[int]:
        """Returns which lamps' pages differ from the round before."""
        turn = self.round % STEADY
        return [n for n in self._all if self.round and n % EDITED_EVERY == turn]

    def steady(self) -> list[int]:
        """Returns the lamps whose pages are never edited."""
        return [n for n in self._all if n % EDITED_EVERY == STEADY]

    def url(self, number: int) -> str:
        """Returns the address of a lamp's page."""
        return f"{self.origin.url}/{number}.html"

    def question(self, number: int) -> str:
        """Returns a question about a lamp."""
        return f"How many hours does the lamp {self.names[number]} burn?"

    def answer(self, number: int) -> str:
        """Returns what its page says."""
        return f"The lamp {self.names[number]} burns for {self._hours(number)} hours."

    def versions(self, number: int) -> int:
        """Returns how many texts a page has had by this round."""
        return 1 + self._edits(number)

    @property
    def _all(self) -> range:
        return range(self.pages)

    def _edits(self, number: int) -> int:
        turn = number % EDITED_EVERY
        return sum(1 for one in range(1, self.round + 1) if one % STEADY == turn)

    def _hours(self, number: int) -> int:
        return 100 + number + 1000 * self._edits(number)

    def _serve(self, number: int) -> None:
        chance = random.Random(number)
        told = [
            " ".join(chance.choices(WORDS.split(), k=PARAGRAPH_WORDS)) for _ in range(PARAGRAPHS)
        ]
        told.insert(1, self.answer(number))
        body = "".join(f"<p>{one}</p>" for one in told)
        head = f"<h1>The lamp {self.names[number]}</h1>"
        self.origin.replace(f"/{number}.html", f"<html><body>{head}{body}</body></html>")


@contextmanager
def lamps(pages: int) -> Iterator[Lamps]:
    """Serves the site while inside."""
    with running(Origin()) as origin:
        yield Lamps(origin, pages)


def _name(number: int) -> str:
    chance = random.Random(f"lamp {number}")
    return "".join(chance.choices(SYLLABLES, k=NAME_SYLLABLES)).capitalize()


def _paragraph(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS.split(), k=PARAGRAPH_WORDS))
