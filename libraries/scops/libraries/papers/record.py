"""What one service says of one paper, as it said it."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

PDF, HTML, XML = "pdf", "html", "xml"
PUBLISHER, REPOSITORY = "publisher", "repository"
PUBLISHED, ACCEPTED, SUBMITTED = "published", "accepted", "submitted"
RETRACTION, CORRECTION, CONCERN = "retraction", "correction", "concern"
# What a notice is of, where the paper itself is the notice.
RETRACTION_OF, CORRECTION_OF = "retraction_of", "correction_of"
_RETRACTED_TITLES = ("retracted:", "retracted article:", "[retracted]", "withdrawn:")


@dataclass(frozen=True, slots=True)
class PaperAuthor:
    """Who wrote a paper.

    Attributes:
        family, given: empty where the service gives the name as one.
    """

    name: str
    family: str = ""
    given: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperLocation:
    """Where the text may be read by everybody, as a service says.

    Attributes:
        kind: pdf, html, or xml for JATS.
        licence: such as `cc-by`, in its normal form; empty where none is stated.
        status: gold, diamond, hybrid, green or bronze; empty where it is not said.
        host: publisher or repository; empty where it is not said.
        version: published, accepted or submitted; empty where it is not said.
        said_by: the service.
    """

    url: str
    kind: str
    licence: str = ""
    status: str = ""
    host: str = ""
    version: str = ""
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class PaperNotice:
    """That a paper was retracted or corrected, or that it says so of another.

    Attributes:
        kind: retraction, correction, concern, retraction_of or correction_of.
        doi: of the other paper; empty where it is not said.
        date: as the service writes it; empty where it is not said.
        said_by: the service, and whom it has it from.
    """

    kind: str
    doi: str = ""
    date: str = ""
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class RelatedPaper:
    """Another version of the work: preprint_of, has_preprint, version_of."""

    kind: str
    doi: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRecord:
    """A paper as one service has it.

    Attributes:
        service: that said so.
        asked: when.
        ids: by kind, in their normal forms.
        published: as exactly as it is said: 2024, 2024-03 or 2024-03-01.
        kind: of CSL, such as `article-journal`.
        version: of a preprint, such as `v2`.
        retracted: None where the service does not tell.
        cited_by: how many papers cite it; None where the service does not tell.
    """

    service: str
    asked: datetime
    ids: dict[str, str]
    title: str = ""
    authors: tuple[PaperAuthor, ...] = ()
    published: str = ""
    venue: str = ""
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    kind: str = ""
    abstract: str = ""
    language: str = ""
    version: str = ""
    retracted: bool | None = None
    cited_by: int | None = None
    locations: tuple[PaperLocation, ...] = ()
    notices: tuple[PaperNotice, ...] = ()
    related: tuple[RelatedPaper, ...] = field(default=())

    @property
    def year(self) -> int | None:
        """Of publication."""
        return int(self.published[:4]) if self.published[:4].isdigit() else None

    def as_json(self) -> dict[str, Any]:
        """Returns what was said, without what was not."""
        said = asdict(self) | {"asked": self.asked.isoformat()}
        return {name: value for name, value in said.items() if value not in ("", (), {}, None)}


def is_titled_retracted(title: str) -> bool:
    """Says whether a title says that the paper was retracted, as publishers mark them."""
    return title.strip().lower().startswith(_RETRACTED_TITLES)
