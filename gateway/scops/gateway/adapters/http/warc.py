"""Versions as a WARC file (ISO 28500): a `resource` record each, as it came.

HTTP headers are not kept, so there is no `response` record. Where the body is not kept, or another
installation read it, the clean text is a `conversion` record; a `metadata` record beside each says
which of the two it is, and which page and version.
"""

from collections.abc import Sequence
from io import BytesIO

from warcio.recordloader import ArcWarcRecord
from warcio.warcwriter import BufferWARCWriter

from scops.gateway.handlers.transfers.bodies import StoredVersion

WARC_TYPE = "application/warc"
FORMAT = "WARC File Format 1.0"
AS_IT_CAME = "the body as it came; HTTP headers are not kept"
TEXT_ALONE = "the clean text that was taken out of the body, which is not kept"
UNKNOWN_TYPE = "application/octet-stream"


def warc_of(versions: Sequence[StoredVersion], *, name: str) -> bytes:
    """Returns a WARC file, each record packed by itself.

    Args:
        name: of the file.
    """
    writer = BufferWARCWriter(gzip=True)
    info = {"software": "scops", "format": FORMAT}
    writer.write_record(writer.create_warcinfo_record(name, info))
    for version in versions:
        content = _content(writer, version)
        writer.write_record(content)
        writer.write_record(_about(writer, version, content))
    written: bytes = writer.get_contents()
    return written


def _content(writer: BufferWARCWriter, version: StoredVersion) -> ArcWarcRecord:
    return writer.create_warc_record(
        version.uri,
        "conversion" if version.is_text else "resource",
        payload=BytesIO(version.data),
        length=len(version.data),
        warc_content_type=_kind(version),
        warc_headers_dict={
            "WARC-Date": _date(version),
            "WARC-Payload-Digest": f"sha256:{version.body.digest}",
        },
    )


def _about(
    writer: BufferWARCWriter, version: StoredVersion, content: ArcWarcRecord
) -> ArcWarcRecord:
    fields = {
        "page": f"pages/{version.page_id}",
        "version": version.version_id,
        "content": TEXT_ALONE if version.is_text else AS_IT_CAME,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()
    refers_to = content.rec_headers.get_header("WARC-Record-ID")
    return writer.create_warc_record(
        version.uri,
        "metadata",
        payload=BytesIO(lines),
        length=len(lines),
        warc_headers_dict={"WARC-Date": _date(version), "WARC-Refers-To": refers_to},
    )


def _kind(version: StoredVersion) -> str:
    kind, charset = version.body.media_type or UNKNOWN_TYPE, version.body.charset
    return f"{kind}; charset={charset}" if charset else kind


def _date(version: StoredVersion) -> str:
    return f"{version.observed_time:%Y-%m-%dT%H:%M:%SZ}"
