"""The paper source: what is said of papers, as whoever asks sees a scholarly service.

Contract: a service is asked by one request at a time and at its pace; a 429 and its Retry-After
are waited for. A record that cannot be read is skipped with why, and the others are returned. What
a service does not offer raises `NotOffered`, which is no fault.
"""

from dataclasses import dataclass
from typing import Protocol

from scops.libraries.papers.names import PaperName
from scops.libraries.papers.record import PaperRecord

# By which scopes and commands know them.
PAPER_SERVICES = (
    *("openalex", "crossref", "arxiv", "unpaywall", "europe-pmc", "semantic-scholar", "core"),
)


class NotOffered(Exception):
    """A service does not answer such a question, or not without what the message names."""


@dataclass(frozen=True, slots=True)
class Years:
    """Years of publication, both included; None is open.

    Attributes:
        first, last: four digits.
    """

    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class SkippedPaper:
    """A record that could not be read.

    Attributes:
        what: names it, as far as it has a name.
        why: in words.
    """

    service: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class FoundPapers:
    """What a service answered, in its order."""

    records: tuple[PaperRecord, ...] = ()
    skipped: tuple[SkippedPaper, ...] = ()


class PaperSource(Protocol):
    """A scholarly service."""

    @property
    def service(self) -> str:
        """Its name."""
        ...

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """Returns papers about words, the best first.

        Args:
            limit: at most.

        Raises:
            NotOffered: it has no search.
            OSError: it does not answer, refuses, or stays busy.
        """
        ...

    def look_up(self, name: PaperName) -> FoundPapers:
        """Returns the paper of a name; of a title those that may be meant; nothing for none.

        Raises:
            NotOffered: it does not know such names.
            OSError: as of `search`.
        """
        ...

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """Returns papers that a paper cites.

        Args:
            paper: as this service told of it.

        Raises:
            NotOffered, OSError: as of `search`.
        """
        ...

    def citations(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """Returns papers that cite a paper; see `references`."""
        ...

    def close(self) -> None:
        """Closes its connection."""
        ...
