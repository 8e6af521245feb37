"""Versions as a WARC file (ISO 28500): a `resource` record each, as it came.

HTTP headers are not kept, so there is no `response` record. Where the body is not kept, or another
installation read it, the clean text is a `conversion` record; a `metadata` record beside each says
which of the two it is, and which page and version.
"""

from collections.abc import Sequence

from fastwarc.warc import WarcRecordType

from scops.common.archive.warc_writing import (
    WrittenRecord,
    content_record,
    info_record,
)
from scops.gateway.handlers.transfers.bodies import StoredVersion

WARC_TYPE = "application/warc"
AS_IT_CAME = "the body as it came; HTTP headers are not kept"
TEXT_ALONE = "the clean text that was taken out of the body, which is not kept"
UNKNOWN_TYPE = "application/octet-stream"
ABOUT_TYPE = "application/warc-fields"


def warc_of(versions: Sequence[StoredVersion], *, name: str) -> bytes:
    """Returns a WARC file, each record packed by itself.

    Args:
        name: of the file.
    """
    records = [info_record(name, software="scops")]
    for version in versions:
        content = _content(version)
        records += content, _about(version, content)
    return b"".join(record.packed for record in records)


def _content(version: StoredVersion) -> WrittenRecord:
    kind = WarcRecordType.conversion if version.is_text else WarcRecordType.resource
    return content_record(
        kind, version.uri, version.observed_time, version.data, media_type=_kind(version)
    )


def _about(version: StoredVersion, content: WrittenRecord) -> WrittenRecord:
    fields = {
        "page": f"pages/{version.page_id}",
        "version": version.version_id,
        "content": TEXT_ALONE if version.is_text else AS_IT_CAME,
    }
    return content_record(
        WarcRecordType.metadata,
        version.uri,
        version.observed_time,
        "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode(),
        media_type=ABOUT_TYPE,
        headers={"WARC-Refers-To": content.identity},
    )


def _kind(version: StoredVersion) -> str:
    kind, charset = version.body.media_type or UNKNOWN_TYPE, version.body.charset
    return f"{kind}; charset={charset}" if charset else kind
