"""What the handlers of the extractor need."""

from dataclasses import dataclass
from typing import Protocol

from scops.common.archive import Archive
from scops.common.contract.errors import PermanentError
from scops.common.contract.messages.content import Document, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.pipeline import PIPELINE_VERSION


class ParseFailed(PermanentError):
    """A body could not be parsed, and would not be next time either.

    Reasons: `PARSER_TIMEOUT`, `PARSER_OUT_OF_MEMORY`, `PARSER_CRASHED`, `PARSER_ERROR`.
    """

    default_reason = "PARSER_ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedExtraction:
    """An extraction as it is stored: text and messages are bytes already.

    Attributes:
        head: the document without its blocks, values and alternates.
        text: UTF-8.
        document: an encoded `content.Document`.
        links: an encoded `content.LinkList`.
        pipeline_version: of what extracted it, here or in another installation.
    """

    kind: PageKind
    head: Document
    text: bytes
    document: bytes
    links: bytes
    pipeline_version: str = PIPELINE_VERSION


class Parser(Protocol):
    """Extracts bodies; one bad body neither delays nor changes the result of another."""

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        """Returns the extraction: the same for the same body and fetch.

        Raises:
            ParseFailed: the body exceeds what a parse may take, or breaks the parser.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorPorts:
    """Everything outside that the handlers touch."""

    archive: Archive
    parser: Parser
