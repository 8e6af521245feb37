"""Records of papers as tests need them."""

from datetime import UTC, datetime
from typing import Any

from scops.libraries.papers.record import PaperAuthor, PaperRecord

ASKED = datetime(2026, 3, 1, 12, tzinfo=UTC)
AUTHORS = (PaperAuthor("Ada Heron", "Heron", "Ada"), PaperAuthor("Bo Grebe", "Grebe", "Bo"))


def record(service: str = "crossref", **said: Any) -> PaperRecord:
    """Returns a record of a paper on gauges, unless told otherwise."""
    whole = {
        "ids": {"doi": "10.1000/gauge"},
        "title": "Levels of tidal gauges",
        "authors": AUTHORS,
        "published": "2024-03-01",
    }
    return PaperRecord(service=service, asked=ASKED, **{**whole, **said})
