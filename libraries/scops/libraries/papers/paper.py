"""A paper as several services have it: whose word counts for what, and who said so."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scops.libraries.papers.names import NAME_ORDER, PaperName
from scops.libraries.papers.record import (
    RETRACTION,
    RETRACTION_OF,
    PaperAuthor,
    PaperLocation,
    PaperNotice,
    PaperRecord,
    RelatedPaper,
)

# Whose word counts: those whom publishers tell before those who gather.
WORD_ORDER = (
    *("crossref", "europe-pmc", "openalex", "semantic-scholar", "unpaywall", "core", "arxiv"),
)
FACTS = (
    *("title", "published", "venue", "publisher", "volume", "issue", "pages", "kind"),
    *("abstract", "language", "version"),
)
BY_NAME, BY_ID, BY_TITLE = "asked", "id", "title_authors"


@dataclass(frozen=True, slots=True)
class JoinedRecord:
    """A record of a paper, and why it is one of it.

    Attributes:
        by: id, or title_authors; asked for the first.
        confidence: in [0, 1].
    """

    record: PaperRecord
    by: str = BY_NAME
    confidence: float = 1.0


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        joined: what services say of it, at least one.
    """

    joined: tuple[JoinedRecord, ...]

    @cached_property
    def records(self) -> tuple[PaperRecord, ...]:
        """What services say, the one whose word counts first."""
        order = {service: place for place, service in enumerate(WORD_ORDER)}
        records = [one.record for one in self.joined]
        return tuple(sorted(records, key=lambda one: order.get(one.service, len(order))))

    @cached_property
    def ids(self) -> dict[str, str]:
        """By kind."""
        found: dict[str, str] = {}
        for record in self.records:
            for kind, value in record.ids.items():
                found.setdefault(kind, value)
        return {kind: found[kind] for kind in NAME_ORDER if kind in found}

    @property
    def name(self) -> PaperName | None:
        """By which it is called; None where no service gives an id."""
        return next((PaperName(kind, value) for kind, value in self.ids.items()), None)

    @cached_property
    def said(self) -> dict[str, tuple[str, str]]:
        """Each fact, and the service whose word it is."""
        found: dict[str, tuple[str, str]] = {}
        for record in self.records:
            for fact in FACTS:
                value = getattr(record, fact)
                if value:
                    found.setdefault(fact, (value, record.service))
        return found

    def fact(self, name: str) -> str:
        """Returns a fact, such as `title`; empty where nobody says it."""
        return self.said.get(name, ("", ""))[0]

    @property
    def year(self) -> int | None:
        """Of publication."""
        said = self.fact("published")[:4]
        return int(said) if said.isdigit() else None

    @cached_property
    def authors(self) -> tuple[PaperAuthor, ...]:
        """As the first service has them that has any."""
        return next((record.authors for record in self.records if record.authors), ())

    @property
    def retracted(self) -> bool:
        """Whether a service says so: records of retractions come late to the others."""
        return any(record.retracted for record in self.records)

    @cached_property
    def notices(self) -> tuple[PaperNotice, ...]:
        """Retractions and corrections of it, and those that it is of others."""
        return tuple(dict.fromkeys(one for record in self.records for one in record.notices))

    @property
    def is_notice(self) -> bool:
        """Whether it says of another paper that it is retracted."""
        return any(one.kind == RETRACTION_OF for one in self.notices)

    @property
    def retraction(self) -> PaperNotice | None:
        """The notice that says most; None where there is none."""
        found = [one for one in self.notices if one.kind == RETRACTION]
        return max(found, key=lambda one: (bool(one.doi), bool(one.date)), default=None)

    @cached_property
    def locations(self) -> tuple[PaperLocation, ...]:
        """Where it may be read, as services say."""
        return tuple(dict.fromkeys(one for record in self.records for one in record.locations))

    @cached_property
    def related(self) -> tuple[RelatedPaper, ...]:
        """Other versions of the work under a DOI of their own."""
        return tuple(dict.fromkeys(one for record in self.records for one in record.related))

    def as_json(self) -> dict[str, Any]:
        """Returns the paper for programs, with what each service said when."""
        whole = {
            "ids": self.ids,
            **{name: value for name, (value, _) in self.said.items()},
            "authors": [author.name for author in self.authors],
            "retracted": self.retracted,
            "said_by": {name: service for name, (_, service) in self.said.items()},
            "joined": [
                {"service": one.record.service, "by": one.by, "confidence": one.confidence}
                for one in self.joined
            ],
        }
        return whole | {"records": [record.as_json() for record in self.records]}
