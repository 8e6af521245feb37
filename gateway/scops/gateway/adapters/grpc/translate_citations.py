"""Citations between the API's messages and ours, and what became of them."""

from datetime import UTC, datetime

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.contract.ids import ChunkId, VersionId
from scops.common.contract.messages.explanation import Anchor, Citation, ResolvedCitation
from scops.common.contract.messages.types import Clocks
from scops.gateway.adapters.grpc.translate_clocks import clocks_message
from scops.gateway.adapters.grpc.translate_pages import hunk_messages
from scops.gateway.adapters.grpc.translate_times import timestamp
from scops.gateway.requests.names import page_name, page_of

ANCHORS = {
    Anchor.UNSPECIFIED: pb.ResolvedCitation.ANCHOR_UNSPECIFIED,
    Anchor.SAME: pb.ResolvedCitation.ANCHOR_SAME,
    Anchor.MOVED: pb.ResolvedCitation.ANCHOR_MOVED,
    Anchor.SUPERSEDED: pb.ResolvedCitation.ANCHOR_SUPERSEDED,
    Anchor.TOMBSTONE: pb.ResolvedCitation.ANCHOR_TOMBSTONE,
}
# The clocks of a citation that is sent back are not read.
NO_CLOCKS = Clocks(observed_time=datetime(1970, 1, 1, tzinfo=UTC))


def citation_message(citation: Citation) -> pb.Citation:
    """Returns the message of a citation."""
    return pb.Citation(
        number=citation.number,
        uri=citation.canonical_url,
        page=page_name(citation.page_id),
        version=citation.version_id,
        title=citation.title,
        section_path=citation.section_path,
        start=citation.start,
        end=citation.end,
        quote=citation.quote,
        quote_digest=citation.quote_digest,
        prefix=citation.prefix,
        suffix=citation.suffix,
        text_digest=citation.text_digest,
        clocks=clocks_message(citation.clocks),
        fragment_uri=citation.fragment_url,
        page_number=citation.page_number,
        superseded=citation.superseded,
    )


def citation_of(message: pb.Citation, field: str) -> Citation:
    """Returns what counts of a citation that a caller sends back.

    Raises:
        InvalidInput: its page's name has another form.
    """
    return Citation(
        number=message.number,
        canonical_url=message.uri,
        page_id=page_of(message.page, f"{field}.page"),
        version_id=VersionId(message.version),
        start=message.start,
        end=message.end,
        quote=message.quote,
        quote_digest=message.quote_digest,
        text_digest=message.text_digest,
        clocks=NO_CLOCKS,
        chunk_id=ChunkId(""),
    )


def resolved_message(resolved: ResolvedCitation) -> pb.ResolvedCitation:
    """Returns the message of what became of a citation."""
    return pb.ResolvedCitation(
        number=resolved.number,
        page=page_name(resolved.page_id),
        version=resolved.version_id,
        uri=resolved.canonical_url,
        anchor=ANCHORS[resolved.anchor],
        verbatim=resolved.verbatim,
        quote=resolved.quote,
        quote_digest=resolved.quote_digest,
        head_start=resolved.head_start,
        head_end=resolved.head_end,
        head_version=resolved.head_version_id,
        superseded_time=timestamp(resolved.superseded_time),
        stood_until_time=timestamp(resolved.stood_until_time),
        diff=hunk_messages(resolved.diff),
        reason=resolved.reason,
        page_closed=resolved.page_closed,
    )
