"""What a way of bringing pages in is to the suite, and what each page says."""

import json
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from tests.e2e.system import Ended, System
from tests.fakes.servers.origin import Origin

MARCH, MAY = (datetime(2025, month, 1, 12, tzinfo=UTC) for month in (3, 5))
# More than a page may have; random, so that no packing makes little of it.
LONG = Random(7).randbytes(1_550_000).hex()


def sentence(animal: str, way: str, euros: int) -> str:
    return f"The {animal} tariff of {way} costs {euros} euros a month."


def question(animal: str, way: str) -> str:
    return f"How much does the {animal} tariff of {way} cost?"


def said(animal: str, way: str, euros: int) -> tuple[str, str]:
    """Returns what a page says, in two paragraphs that no page of another animal has."""
    told = (
        f"Whoever keeps a {animal} by the river of {way} writes down twice a day what it ate, "
        f"so that a {animal} of other years can be compared with it."
    )
    return sentence(animal, way, euros), told


def html(animal: str, way: str, euros: int, *, head: str = "") -> str:
    first, second = said(animal, way, euros)
    return (
        f"<html><head><title>{animal}</title>{head}</head><body><h1>{animal} of {way}</h1>"
        f"<p>{first}</p><p>{second}</p></body></html>"
    )


@dataclass
class Source(ABC):
    """Some pages of one way, which a test has for itself.

    Attributes:
        name: of the test, a word that is a part of every page's URL.
        folder: for files of the test.
        system: the pages come into its scope `scope`.
        origin: the server that is asked; None where none is.
    """

    way: ClassVar[str]
    # What a page says that was there before can be brought later, at its time.
    keeps_history: ClassVar[bool] = False
    # Versions are of when the way says that the page was so.
    is_dated: ClassVar[bool] = False
    # A page that is out of the scope can be told, or what it is left out as.
    outside: ClassVar[str] = "outside of the scope"
    long: ClassVar[str] = "bodies of more than"
    damaged: ClassVar[str] = "of another form"
    barred: ClassVar[str] = ""
    # What its scope keeps out, though its other rules hold it.
    excluded: ClassVar[str] = ""

    name: str
    folder: Path
    system: System
    origin: Origin | None = None
    pages: list[str] = field(default_factory=list)

    @classmethod
    def rules(cls, origin: Origin) -> list[str]:
        """Returns what its scope holds."""
        return [f"prefix:https://{cls.way}.example.org/"]

    @property
    def scope(self) -> str:
        return self.way

    def url(self, animal: str) -> str:
        """Returns the URL of a page."""
        return f"https://{self.way}.example.org/{self.name}/{animal}"

    def named(self, animal: str) -> str:
        """Returns what the API calls a page by."""
        return self.url(animal)

    @abstractmethod
    def came_by(self, animal: str) -> str:
        """Returns what citations of a page say of its way."""

    @abstractmethod
    def put(self, animal: str, euros: int, at: datetime) -> None:
        """Has a page say something from then on."""

    @abstractmethod
    def words(self, *, newest: bool = False) -> tuple[str, ...]:
        """Returns the command that brings the pages.

        Args:
            newest: only what they say last, where earlier states are kept.
        """

    def put_outside(self, url: str) -> None:
        """Has a page at a URL that the scope does not hold."""
        raise NotImplementedError

    def put_long(self, animal: str) -> None:
        """Has a page that says `LONG`."""
        raise NotImplementedError

    def put_damaged(self) -> None:
        """Has a record that nobody can read."""
        raise NotImplementedError

    def put_barred(self, animal: str) -> None:
        """Has a page that asks to be left out of indexes."""
        raise NotImplementedError

    def bring(self, *, newest: bool = False) -> Ended:
        """Brings the pages, and waits until they are in the index."""
        return self.system.run(*self.words(newest=newest))

    def start(self) -> "subprocess.Popen[bytes]":
        """Begins to bring the pages."""
        return self.system.spawn(*self.words())


def told_of(done: Ended) -> dict[str, Any]:
    """Returns what a command printed first for programs."""
    found: dict[str, Any] = json.JSONDecoder().raw_decode(done.out)[0]
    return found
