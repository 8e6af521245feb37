"""What the handlers of the extractor need."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.archive import Archive
from scops.common.contract.errors import PermanentError
from scops.common.contract.messages.content import PageKind, TrustTier
from scops.common.contract.messages.types import StatedTime


class ParseFailed(PermanentError):
    """A body could not be parsed, and would not be next time either.

    Reasons: `PARSER_TIMEOUT`, `PARSER_OUT_OF_MEMORY`, `PARSER_CRASHED`, `PARSER_ERROR`.
    """

    default_reason = "PARSER_ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyFacts:
    """What is known of a body beside its bytes.

    Attributes:
        url: of the page; links are resolved against it.
        charset: as HTTP declared it; empty when it did not.
        sitemap_time: `lastmod` of the sitemap that names the page.
        robots_tag: the X-Robots-Tag header; empty when not sent.
    """

    url: str
    media_type: str
    observed_time: datetime
    charset: str = ""
    last_modified_time: datetime | None = None
    sitemap_time: datetime | None = None
    content_language: str = ""
    robots_tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedExtraction:
    """An extraction as it is stored: texts and messages are bytes already.

    Attributes:
        text: UTF-8.
        document: an encoded `content.Document`.
        links: an encoded `content.LinkList`.
    """

    kind: PageKind
    text: bytes
    document: bytes
    links: bytes
    title: str
    language: str
    stated: tuple[StatedTime, ...]
    flags: tuple[str, ...]
    extractor: str
    trust: TrustTier


class Parser(Protocol):
    """Extracts bodies; one bad body neither delays nor changes the result of another."""

    async def parse(self, body: bytes, facts: BodyFacts) -> PackedExtraction:
        """Returns the extraction: the same for the same body and facts.

        Raises:
            ParseFailed: the body exceeds what a parse may take, or breaks the parser.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything outside that the handlers touch."""

    archive: Archive
    parser: Parser
