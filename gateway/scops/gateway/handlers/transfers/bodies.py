"""What versions were taken out of: the body as it came, else the clean text alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scops.common.contract.errors import BlobMissing, InvalidInput, NotFound
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.explanation import Citation
from scops.common.contract.messages.types import BodyRef
from scops.gateway.calls import Call
from scops.gateway.handlers.pages import ReadPage, read_page
from scops.gateway.handlers.purges import check_unpurged
from scops.gateway.handlers.transfers.importing import MEDIA_TYPE
from scops.gateway.ports import GatewayPorts

# Of all that one response holds.
BODIES_BYTES_MAX = 64 * 1024 * 1024
TEXT_TYPE, TEXT_CHARSET = "text/plain", "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """A version as the archive has it.

    Attributes:
        page_id, version_id, uri, observed_time: which it is, where it was and since when.
        body: what `data` is called in the archive; of a text its digest is the text's.
        data: the body as it came, or the clean text where that is all that is kept.
        is_text: whether it is the clean text.
    """

    page_id: PageId
    version_id: VersionId
    uri: str
    observed_time: datetime
    body: BodyRef
    data: bytes
    is_text: bool = False


async def read_body(
    ports: GatewayPorts, call: Call, *, page_id: PageId, version: str
) -> StoredVersion:
    """Returns a version with the body that it was taken out of.

    Args:
        version: its id; empty for the newest.

    Raises:
        InvalidInput: the version has no id's form.
        NotFound: there is no such page or version, no visible scope holds the page, or the body
            is not kept.
    """
    found = await _read(ports, call, page_id, version)
    stored = await _as_it_came(ports, found)
    if stored is None:
        raise NotFound(
            f"The body of version {found.read.version_id} is not kept: another installation or an "
            "earlier release read it, or it was dropped. Its text is read by GET "
            f"/v1/pages/{page_id}:read.",
            reason="BODY_NOT_KEPT",
            field="version",
        )
    await check_unpurged(ports, found.page.page)
    return stored


async def cited_versions(
    ports: GatewayPorts, call: Call, *, citations: Sequence[Citation]
) -> tuple[StoredVersion, ...]:
    """Returns each version that citations name, once and in their order.

    Args:
        citations: that may be resolved; see `resolve_citations`.

    Raises:
        InvalidInput: their bodies are too large together.
        NotFound: a cited page or version is not there, or no visible scope holds the page.
    """
    versions: list[StoredVersion] = []
    left = BODIES_BYTES_MAX
    for page_id, version_id in dict.fromkeys((one.page_id, one.version_id) for one in citations):
        found = await _read(ports, call, page_id, version_id)
        stored = await _as_it_came(ports, found) or await _text(ports, found)
        left -= len(stored.data)
        if left < 0:
            raise InvalidInput(
                f"What is cited has more than {BODIES_BYTES_MAX} bytes. Ask in parts.",
                reason="BODIES_TOO_LARGE",
                field="citations",
            )
        # A purge may have begun while they were read.
        await check_unpurged(ports, found.page.page)
        versions.append(stored)
    return tuple(versions)


async def _read(ports: GatewayPorts, call: Call, page_id: PageId, version: str) -> ReadPage:
    """Returns a version that the caller may read, with as little of its text as may be."""
    return await read_page(
        ports,
        call,
        page_id=page_id,
        uri="",
        version=version,
        as_of=None,
        section=(),
        start=0,
        character_limit=1,
    )


async def _as_it_came(ports: GatewayPorts, found: ReadPage) -> StoredVersion | None:
    body = found.read.body
    # What another installation read comes as its text, packed in a way of ours.
    if body is None or body.media_type == MEDIA_TYPE:
        return None
    try:
        return _stored(found, body, await ports.archive.get(body))
    except BlobMissing:
        return None


async def _text(ports: GatewayPorts, found: ReadPage) -> StoredVersion:
    ref = BodyRef(digest=found.read.text_digest, media_type=TEXT_TYPE, charset=TEXT_CHARSET)
    try:
        return _stored(found, ref, await ports.archive.get(ref), is_text=True)
    except BlobMissing as error:
        raise NotFound(
            f"The text of version {found.read.version_id} is not kept any more. Leave its "
            "citations out.",
            reason="TEXT_NOT_KEPT",
            field="citations",
        ) from error


def _stored(found: ReadPage, body: BodyRef, data: bytes, *, is_text: bool = False) -> StoredVersion:
    return StoredVersion(
        page_id=found.page.page.page_id,
        version_id=found.read.version_id,
        uri=found.page.page.canonical_url,
        observed_time=found.read.order_key.observed_from,
        body=body,
        data=data,
        is_text=is_text,
    )
