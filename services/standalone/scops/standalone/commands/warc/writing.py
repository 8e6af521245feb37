"""Writes versions as a WARC file, and as a WACZ file with index and pages beside it.

Source: WARC 1.1 (ISO 28500:2017), CDXJ as pywb reads it, WACZ 1.1.1. HTTP headers are not kept, so
that a body is a `resource` record; where the body is not kept, the clean text is a `conversion`
record. That a version was verified later is a `revisit` record.
"""

import hashlib
import json
import zipfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from fastwarc.warc import WarcRecordType
from surt import surt

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
from scops.standalone.commands.transfer.folder import UNFINISHED, settle, sha256_of
from scops.standalone.commands.transfer.packing import unpack

WACZ_VERSION = "1.1.1"
TEXT_TYPE = "text/plain; charset=utf-8"
PAGES_FORMAT = "json-pages-1.0"
REVISIT = "warc/revisit"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the index, and what `pages.jsonl` says of it."""

    key: str
    stamp: str
    fields: dict[str, Any]


class WarcFileWriter:
    """A WARC file that is being written; it has its name once it is whole.

    What is held in memory is a line of the index a record.

    Args:
        name: what the file is called in itself and in the index.
    """

    def __init__(self, path: Path, software: str, *, name: str) -> None:
        self._path, self.name = path, name
        self._aside = path.with_name(f"{path.name}{UNFINISHED}")
        self._file = self._aside.open("wb")
        self._write(info_record(name, software=software))
        self.entries: list[_Entry] = []
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
        placed = {"length": str(self._file.tell() - offset), "offset": str(offset)}
        entry = {"url": uri, **fields, **placed, "filename": self.name}
        self.entries.append(_Entry(surt(uri), f"{at:%Y%m%d%H%M%S}", entry))


def write_wacz(
    path: Path, warc: WarcFileWriter, warc_path: Path, *, title: str, now: datetime
) -> None:
    """Packs a WARC file that is whole with its index and its pages as a WACZ file."""
    aside = path.with_name(f"{path.name}{UNFINISHED}")
    resources: list[dict[str, Any]] = []
    with zipfile.ZipFile(aside, "w", zipfile.ZIP_STORED) as packed:
        archive = f"archive/{warc.name}"
        packed.write(warc_path, archive)
        resources.append(_resource(archive, sha256_of(warc_path), warc_path.stat().st_size))
        for name, content in (
            ("indexes/index.cdx", _cdx(warc.entries)),
            ("pages/pages.jsonl", _pages(warc.entries)),
        ):
            packed.writestr(name, content)
            resources.append(_resource(name, hashlib.sha256(content).hexdigest(), len(content)))
        package = _json(
            {
                "profile": "data-package",
                "wacz_version": WACZ_VERSION,
                "title": title,
                "created": f"{now:%Y-%m-%dT%H:%M:%SZ}",
                "software": "scops",
                "resources": resources,
            }
        )
        packed.writestr("datapackage.json", package)
        digest = {
            "path": "datapackage.json",
            "hash": f"sha256:{hashlib.sha256(package).hexdigest()}",
        }
        packed.writestr("datapackage-digest.json", _json(digest))
    settle(aside, path)


def _cdx(entries: list[_Entry]) -> bytes:
    ordered = sorted(entries, key=lambda one: (one.key, one.stamp))
    return b"".join(
        f"{one.key} {one.stamp} ".encode() + _line({**one.fields, "title": None}) for one in ordered
    )


def _pages(entries: list[_Entry]) -> bytes:
    head = _line({"format": PAGES_FORMAT, "id": "pages", "title": "All Pages"})
    return head + b"".join(
        _line(
            {
                "id": hashlib.sha256(f"{one.fields['url']} {one.stamp}".encode()).hexdigest()[:24],
                "url": one.fields["url"],
                "ts": f"{datetime.strptime(one.stamp, '%Y%m%d%H%M%S'):%Y-%m-%dT%H:%M:%SZ}",
                "title": one.fields["title"] or one.fields["url"],
            }
        )
        for one in entries
        if one.fields["mime"] != REVISIT
    )


def _line(fields: dict[str, Any]) -> bytes:
    said = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def _json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, indent=2).encode()


def _resource(path: str, digest: str, size: int) -> dict[str, Any]:
    name = path.rpartition("/")[2]
    return {"name": name, "path": path, "hash": f"sha256:{digest}", "bytes": size}


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
