"""What travels between a parsing process and its owner, as byte strings."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from scops.common.contract import wire
from scops.common.contract.messages.content import Document, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.ocr import Ocr
from scops.extractor.ports import PackedExtraction


def request_parts(body: bytes, fetched: PageFetched, ocr: Ocr | None) -> tuple[bytes, ...]:
    """Returns the parts of a request."""
    return (body, wire.encode(fetched), json.dumps(asdict(ocr)).encode() if ocr else b"")


def read_request(parts: Sequence[bytes]) -> tuple[bytes, PageFetched, Ocr | None]:
    """Returns the body and the fetch of a request, and how scanned pages are read."""
    body, encoded, asked = parts
    return body, wire.decode(PageFetched, encoded), _ocr(asked) if asked else None


def _ocr(asked: bytes) -> Ocr:
    fields = json.loads(asked)
    return Ocr(**{**fields, "languages": tuple(fields["languages"])})


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
