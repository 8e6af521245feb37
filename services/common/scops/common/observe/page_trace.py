"""What the services have on record of one page, as entries of one timeline.

Each service that keeps rows of pages has one function that reads them as entries; nothing is
written for it, so the timeline reaches as far back as the rows do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEntry:
    """One thing that is on record of a page.

    Attributes:
        what: an event by its type, or a row by what it is, such as `head`.
        fetch_id: of the fetch that it belongs to; empty where it belongs to none.
        facts: what else the record says; empty values are not shown.
        blobs: digests of the blobs that it refers to, by what they are.
    """

    time: datetime
    service: str
    what: str
    fetch_id: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    blobs: Mapping[str, str] = field(default_factory=dict)
