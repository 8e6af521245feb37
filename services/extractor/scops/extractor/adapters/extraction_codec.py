"""What travels between a parsing process and its owner, as byte strings."""

from collections.abc import Sequence

from scops.common.contract import wire
from scops.common.contract.messages.content import Document, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.ports import PackedExtraction


def request_parts(body: bytes, fetched: PageFetched) -> tuple[bytes, ...]:
    """Returns the parts of a request."""
    return (body, wire.encode(fetched))


def read_request(parts: Sequence[bytes]) -> tuple[bytes, PageFetched]:
    """Returns the body and the fetch of a request."""
    body, encoded = parts
    return body, wire.decode(PageFetched, encoded)


def result_parts(packed: PackedExtraction) -> tuple[bytes, ...]:
    """Returns the parts of a result."""
    head, pipeline = wire.encode(packed.head), packed.pipeline_version.encode()
    kind = packed.kind.value.encode()
    return (kind, head, packed.text, packed.document, packed.links, pipeline)


def read_result(parts: Sequence[bytes]) -> PackedExtraction:
    """Returns the extraction of some parts."""
    kind, head, text, document, links, pipeline = parts
    return PackedExtraction(
        kind=PageKind(kind.decode()),
        head=wire.decode(Document, head),
        text=text,
        document=document,
        links=links,
        pipeline_version=pipeline.decode(),
    )
