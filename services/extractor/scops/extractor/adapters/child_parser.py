"""Parsing in child processes, so that no page can hurt more than itself."""

from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.common.observe.log import get_logger
from scops.common.processes import tasks
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import ChildTask, TaskFailed
from scops.extractor.adapters.extraction_codec import read_result, request_parts
from scops.extractor.ocr import SCANNED_PAGES, Ocr
from scops.extractor.ports import PackedExtraction, ParseFailed

log = get_logger(__name__)
# By name: what it imports is only for the child.
PARSE = ChildTask("scops.extractor.adapters.parse_task", "parse")
_REASONS = {
    tasks.TIMEOUT: "PARSER_TIMEOUT",
    tasks.OUT_OF_MEMORY: "PARSER_OUT_OF_MEMORY",
    tasks.CRASHED: "PARSER_CRASHED",
}
_ADVICE = {
    tasks.TIMEOUT: "Raise SCOPS_EXTRACTOR_PAGE_SECONDS if such pages matter.",
    tasks.OUT_OF_MEMORY: "Raise SCOPS_CHILD_MEMORY_BYTES if such pages matter.",
    tasks.CRASHED: "Keep the body and report it; other pages are not affected.",
}


class ChildParser:
    """A `Parser` on the child processes of this process."""

    def __init__(self, children: ChildPool, *, page_seconds: float, ocr: Ocr | None = None) -> None:
        self._children = children
        self._page_seconds = page_seconds
        self._ocr = ocr

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        """Has a child process parse the body, and once more by OCR where pages are scanned.

        What takes the longer time of OCR has shown that it is read within the time of a page, and
        what OCR cannot do takes nothing from what was read without it.
        """
        found = await self._parse(body, fetched, None, seconds=self._page_seconds)
        if self._ocr is None or not _has_scanned_pages(found):
            return found
        seconds = self._page_seconds + self._ocr.seconds
        try:
            return await self._parse(body, fetched, self._ocr, seconds=seconds)
        except ParseFailed as error:
            log.warning("ocr_failed", page_id=fetched.page_id, reason=error.reason)
            return found

    async def _parse(
        self, body: bytes, fetched: PageFetched, ocr: Ocr | None, *, seconds: float
    ) -> PackedExtraction:
        try:
            answer = await self._children.run(
                PARSE, request_parts(body, fetched, ocr), seconds=seconds
            )
        except TaskFailed as error:
            raise _parse_failed(body, error) from error
        return read_result(answer)


def _has_scanned_pages(found: PackedExtraction) -> bool:
    # Where crawlers are asked to keep away there is nothing to read.
    some = found.kind is PageKind.ARTICLE and SCANNED_PAGES in found.head.flags
    return some or found.kind is PageKind.SCANNED


def _parse_failed(body: bytes, error: TaskFailed) -> ParseFailed:
    reason = _REASONS.get(error.reason, ParseFailed.default_reason)
    if error.reason not in _ADVICE:
        return ParseFailed(error.message, reason=reason)
    about = f"Parsing a body of {len(body)} bytes failed: {error.message}"
    return ParseFailed(f"{about} {_ADVICE[error.reason]}", reason=reason)
