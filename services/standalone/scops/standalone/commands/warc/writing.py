"""Writes versions as a WARC file.

Source: WARC 1.1 (ISO 28500:2017). HTTP headers are not kept, so that a body is a `resource`
record; where the body is not kept, the clean text is a `conversion` record. That a version was
verified later is a `revisit` record.
"""

from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from fastwarc.warc import WarcRecordType

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.common.archive.warc_writing import (
    PAYLOAD_DIGEST,
    WrittenRecord,
    content_record,
    digest_text,
    info_record,
    time_text,
    warc_record,
)
from scops.standalone.commands.transfer.folder import UNFINISHED, settle
from scops.standalone.commands.transfer.packing import unpack

if TYPE_CHECKING:
    from scops.standalone.commands.warc.record_index import RecordIndex

TEXT_TYPE = "text/plain; charset=utf-8"
REVISIT = "warc/revisit"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


class WarcFileWriter:
    """A WARC file that is being written; it has its name once it is whole.

    Args:
        name: what the file is called in itself and in the index.
        index: takes a line a record that is replayed; without it none is kept.
    """

    def __init__(
        self, path: Path, software: str, *, name: str, index: "RecordIndex | None" = None
    ) -> None:
        self._path, self._name, self._records = path, name, index
        self._aside = path.with_name(f"{path.name}{UNFINISHED}")
        self._file = self._aside.open("wb")
        self._write(info_record(name, software=software))
        self.bodies = self.texts = self.left_out = 0

    def __enter__(self) -> "WarcFileWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        if error is not None:
            self._aside.unlink(missing_ok=True)

    def add(self, uri: str, version: pb.ExportedVersion) -> None:
        """Writes a version; one without content is passed over."""
        if version.body:
            data, declared, kind = version.body, _declared(version), WarcRecordType.resource
            self.bodies += 1
        elif version.content:
            data = unpack(version.content).text.encode()
            declared, kind = TEXT_TYPE, WarcRecordType.conversion
            self.texts += 1
        else:
            self.left_out += 1
            return
        at = version.observed_from_time.ToDatetime()
        verified = version.last_verified_time.ToDatetime()
        identity = {"WARC-Record-ID": f"<urn:uuid:{version.version}>"}
        record = content_record(kind, uri, at, data, media_type=declared, headers=identity)
        offset = self._write(record)
        if kind != WarcRecordType.resource:
            return
        mime, digest = declared.partition(";")[0], digest_text(data)
        self._index(uri, at, offset, mime=mime, status="200", digest=digest, title=version.title)
        if verified > at:
            offset = self._write(_verified(uri, at, verified, digest))
            self._index(uri, verified, offset, mime=REVISIT, digest=digest)

    def finish(self) -> None:
        """Gives the file its name."""
        self._file.close()
        settle(self._aside, self._path)

    def _write(self, record: WrittenRecord) -> int:
        offset = self._file.tell()
        self._file.write(record.packed)
        return offset

    def _index(self, uri: str, at: datetime, offset: int, **fields: str) -> None:
        if self._records is not None:
            placed = {"length": str(self._file.tell() - offset), "offset": str(offset)}
            said = {"url": uri, **fields, **placed, "filename": self._name}
            self._records.add(uri, at, said)


def _verified(uri: str, first: datetime, at: datetime, digest: str) -> WrittenRecord:
    headers = {
        "WARC-Profile": SAME_PAYLOAD,
        "WARC-Refers-To-Target-URI": uri,
        "WARC-Refers-To-Date": time_text(first),
        PAYLOAD_DIGEST: digest,
    }
    return warc_record(WarcRecordType.revisit, uri, at, headers, b"")


def _declared(version: pb.ExportedVersion) -> str:
    kind = version.media_type or "application/octet-stream"
    return f"{kind}; charset={version.charset}" if version.charset else kind
