"""What travels between a parsing process and its owner, as parts of a frame."""

from collections.abc import Sequence

from scops.common.contract import wire
from scops.common.contract.messages.content import Document, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.ports import PackedExtraction, ParseFailed

_DONE, _FAILED = b"done", b"failed"


def request_parts(body: bytes, fetched: PageFetched) -> tuple[bytes, ...]:
    """Returns the parts of a request."""
    return (body, wire.encode(fetched))


def read_request(parts: Sequence[bytes]) -> tuple[bytes, PageFetched]:
    """Returns the body and the fetch of a request."""
    body, encoded = parts
    return body, wire.decode(PageFetched, encoded)


def result_parts(packed: PackedExtraction) -> tuple[bytes, ...]:
    """Returns the parts of a result."""
    head = wire.encode(packed.head)
    return (_DONE, packed.kind.value.encode(), head, packed.text, packed.document, packed.links)


def failure_parts(reason: str, detail: str) -> tuple[bytes, ...]:
    """Returns the parts of a failure."""
    return (_FAILED, reason.encode(), detail.encode("utf-8", "replace"))


def read_result(parts: Sequence[bytes]) -> PackedExtraction:
    """Returns the extraction of some parts.

    Raises:
        ParseFailed: the parts say so.
    """
    outcome, *rest = parts
    if outcome == _FAILED:
        reason, detail = rest
        raise ParseFailed(detail.decode("utf-8", "replace"), reason=reason.decode())
    kind, head, text, document, links = rest
    return PackedExtraction(
        kind=PageKind(kind.decode()),
        head=wire.decode(Document, head),
        text=text,
        document=document,
        links=links,
    )
