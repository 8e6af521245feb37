"""What is given out of pages and what became of what was taken in, by the names of the API."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scops.common.contract.ids import PageId


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenChunk:
    """A chunk of a version; places are code points of its text.

    Attributes:
        vector: float32, little-endian; empty where there is none to give.
    """

    chunk: str
    start: int
    end: int
    section_path: tuple[str, ...]
    header: str
    lineage: str
    embedding_key: str
    vector: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenVersion:
    """A version with what is kept of it.

    Attributes:
        content: gzip of a serialised `content.PortableVersion`; empty where it is left out.
        body: what it was taken out of, as it came; empty where it was not asked for or not kept.
    """

    version: str
    observed_from_time: datetime
    revision: int
    observed_to_time: datetime | None
    last_verified_time: datetime
    text_digest: str
    title: str
    change_class: str
    change_reasons: tuple[str, ...]
    semantic: bool
    restored_version: str
    language: str = ""
    content: bytes = b""
    embedder: str = ""
    chunks: tuple[GivenChunk, ...] = ()
    left_out_reason: str = ""
    body: bytes = b""
    media_type: str = ""
    charset: str = ""

    @property
    def size(self) -> int:
        """About how many bytes it takes in a response."""
        chunks = sum(
            len(one.vector) + 4 * (len(one.header) + sum(map(len, one.section_path))) + 200
            for one in self.chunks
        )
        return len(self.content) + len(self.body) + chunks + 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPage:
    """A page with some of its versions, oldest first."""

    page_id: PageId
    uri: str
    aliases: tuple[str, ...]
    versions: tuple[GivenVersion, ...]
    closed: bool
    closed_reason: str
    closed_time: datetime | None
    continues: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenResponse:
    """What a server sent, without transfer and content encodings; headers are as they came."""

    body: bytes
    media_type: str
    charset: str = ""
    content_language: str = ""
    robots_tag: str = ""
    last_modified_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPage:
    """What a page showed elsewhere at an instant.

    Attributes:
        page_id: as it was called there; None where that is not said.
        content, response, confirmed_time, gone_reason: one of them says what it showed.
        joined: its URLs name another page; its history stays its own.
        confirmed_uri: whose response is confirmed; empty for a content of this page.
        came_by: what the record was in; empty for an export.
        asks: nothing is taken in; what became of it is asked for.
    """

    page_id: PageId | None
    uri: str
    aliases: tuple[str, ...]
    observed_time: datetime | None
    content: bytes
    confirmed_time: datetime | None
    gone_reason: str
    joined: bool = False
    response: SeenResponse | None = None
    confirmed_uri: str = ""
    came_by: str = ""
    asks: bool = False


class TakenState(StrEnum):
    """What is done with it: as the fetcher says, or that the scope does not hold the page."""

    UNSPECIFIED = "unspecified"
    ACCEPTED = "accepted"
    KNOWN = "known"
    BUSY = "busy"
    TAKEN = "taken"
    OUTSIDE = "outside"
    NEW = "new"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenPage:
    """What became of it, and how it ended where that was asked for."""

    page_id: PageId
    state: TakenState
    outcome: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedPage:
    """A page as it was captured.

    Attributes:
        known: this very capture was taken in before.
    """

    page_id: PageId
    known: bool
