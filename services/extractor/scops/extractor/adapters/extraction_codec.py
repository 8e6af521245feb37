"""What travels between a parsing process and its owner, as parts of a frame."""

from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract import wire
from scops.common.contract.messages.content import Document, PageKind, TrustTier
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.extractor.ports import BodyFacts, PackedExtraction, ParseFailed

_DONE, _FAILED = b"done", b"failed"


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """A body to parse."""

    body: bytes
    facts: BodyFacts


def request_parts(body: bytes, facts: BodyFacts) -> tuple[bytes, ...]:
    """Returns the parts of a request; the facts travel as the event they stem from."""
    event = PageFetched(
        url=facts.url,
        observed_time=facts.observed_time,
        body=BodyRef(media_type=facts.media_type, charset=facts.charset),
        last_modified_time=facts.last_modified_time,
        sitemap_time=facts.sitemap_time,
        content_language=facts.content_language,
        robots_tag=facts.robots_tag,
    )
    return (body, wire.encode(event))


def read_request(parts: Sequence[bytes]) -> ParseRequest:
    """Returns the request of some parts."""
    body, encoded = parts
    event = wire.decode(PageFetched, encoded)
    facts = BodyFacts(
        url=event.url,
        media_type=event.body.media_type,
        charset=event.body.charset,
        observed_time=event.observed_time,
        last_modified_time=event.last_modified_time,
        sitemap_time=event.sitemap_time,
        content_language=event.content_language,
        robots_tag=event.robots_tag,
    )
    return ParseRequest(body, facts)


def result_parts(packed: PackedExtraction) -> tuple[bytes, ...]:
    """Returns the parts of a result; a document without blocks carries its small fields."""
    head = Document(
        title=packed.title,
        language=packed.language,
        stated=packed.stated,
        flags=packed.flags,
        extractor=packed.extractor,
    )
    names = (packed.kind.value.encode(), packed.trust.value.encode())
    return (_DONE, *names, packed.text, packed.document, packed.links, wire.encode(head))


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
    kind, trust, text, document, links, encoded_head = rest
    head = wire.decode(Document, encoded_head)
    return PackedExtraction(
        kind=PageKind(kind.decode()),
        text=text,
        document=document,
        links=links,
        title=head.title,
        language=head.language,
        stated=head.stated,
        flags=head.flags,
        extractor=head.extractor,
        trust=TrustTier(trust.decode()),
    )
