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
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any

from surt import surt
from warcio.warcwriter import WARCWriter

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.standalone.commands.transfer.folder import UNFINISHED, settle, sha256_of
from scops.standalone.commands.transfer.packing import unpack

WARC_VERSION = "1.1"
WACZ_VERSION = "1.1.1"
TEXT_TYPE = "text/plain; charset=utf-8"
PAGES_FORMAT = "json-pages-1.0"
REVISIT = "warc/revisit"


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
        self._writer = WARCWriter(self._file, gzip=True, warc_version=WARC_VERSION)
        info = {"software": software, "format": "WARC File Format 1.1"}
        self._writer.write_record(self._writer.create_warcinfo_record(name, info))
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
            data, declared, kind = version.body, _declared(version), "resource"
            self.bodies += 1
        elif version.content:
            data, declared, kind = unpack(version.content).text.encode(), TEXT_TYPE, "conversion"
            self.texts += 1
        else:
            self.left_out += 1
            return
        at = version.observed_from_time.ToDatetime()
        verified = version.last_verified_time.ToDatetime()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        record = self._writer.create_warc_record(
            uri,
            kind,
            payload=BytesIO(data),
            length=len(data),
            warc_content_type=declared,
            warc_headers_dict={
                "WARC-Date": _date(at),
                "WARC-Record-ID": f"<urn:uuid:{version.version}>",
                "WARC-Payload-Digest": digest,
            },
        )
        offset = self._write(record)
        if kind != "resource":
            return
        mime = declared.partition(";")[0]
        self._index(uri, at, offset, mime=mime, status="200", digest=digest, title=version.title)
        if verified > at:
            again = self._writer.create_revisit_record(
                uri,
                digest,
                uri,
                _date(at),
                warc_headers_dict={"WARC-Date": _date(verified)},
            )
            self._index(uri, verified, self._write(again), mime=REVISIT, digest=digest)

    def finish(self) -> None:
        """Gives the file its name."""
        self._file.close()
        settle(self._aside, self._path)

    def _write(self, record: Any) -> int:
        offset = self._file.tell()
        self._writer.write_record(record)
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


def _declared(version: pb.ExportedVersion) -> str:
    kind = version.media_type or "application/octet-stream"
    return f"{kind}; charset={version.charset}" if version.charset else kind


def _date(at: datetime) -> str:
    """Returns an instant in microseconds, as WARC 1.1 lets them be written."""
    return f"{at:%Y-%m-%dT%H:%M:%S.%fZ}" if at.microsecond else f"{at:%Y-%m-%dT%H:%M:%SZ}"
