"""Parsing in child processes, so that no page can hurt more than itself."""

from scops.common.contract.messages.crawl import PageFetched
from scops.common.processes import tasks
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import ChildTask, TaskFailed
from scops.extractor.adapters.extraction_codec import read_result, request_parts
from scops.extractor.ports import PackedExtraction, ParseFailed

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

    def __init__(self, children: ChildPool, *, page_seconds: float) -> None:
        self._children = children
        self._page_seconds = page_seconds

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        """Has a child process parse the body."""
        try:
            answer = await self._children.run(
                PARSE, request_parts(body, fetched), seconds=self._page_seconds
            )
        except TaskFailed as error:
            raise _parse_failed(body, error) from error
        return read_result(answer)


def _parse_failed(body: bytes, error: TaskFailed) -> ParseFailed:
    reason = _REASONS.get(error.reason, ParseFailed.default_reason)
    if error.reason not in _ADVICE:
        return ParseFailed(error.message, reason=reason)
    about = f"Parsing a body of {len(body)} bytes failed: {error.message}"
    return ParseFailed(f"{about} {_ADVICE[error.reason]}", reason=reason)
