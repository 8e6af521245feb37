"""Writes the parts of an export: lines, a WARC file of texts, and a Parquet file of chunks."""

import json
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from fastwarc.warc import WarcRecordType

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.common.archive.warc_writing import content_record, info_record
from scops.standalone.commands.transfer.folder import (
    CHUNKS,
    ENDINGS,
    PAGES,
    TEXTS,
    UNFINISHED,
    VERSIONS,
    ExportPart,
    part_name,
    settle,
    sha256_of,
)
from scops.standalone.commands.transfer.packing import UnpackedVersion, unpack

# Of the texts of a part, packed.
PART_BYTES = 64 * 1024 * 1024
# Chunks that are held before they are written.
ROWS_AT_ONCE = 2_000
TEXT_TYPE = "text/plain; charset=utf-8"
DOCUMENT_TYPE = "application/x-protobuf; message=scops.content.v1.Document"
COLUMNS = pa.schema(
    [
        ("page", pa.string()),
        ("uri", pa.string()),
        ("version", pa.string()),
        ("chunk", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("section_path", pa.list_(pa.string())),
        ("header", pa.string()),
        ("text", pa.string()),
        ("lineage", pa.string()),
        ("embedding_key", pa.string()),
        ("embedder", pa.string()),
        ("vector", pa.list_(pa.float32())),
    ]
)


class PartWriter:
    """A part that is being written; nothing of it counts before it is closed."""

    def __init__(self, folder: Path, number: int, software: str) -> None:
        self._folder, self._number = folder, number
        self._open: dict[str, IO[bytes]] = {
            kind: self._aside(kind).open("wb") for kind in (PAGES, VERSIONS, TEXTS)
        }
        self._open[TEXTS].write(info_record(self._name(TEXTS), software=software).packed)
        self._parquet = pq.ParquetWriter(self._aside(CHUNKS), COLUMNS, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._last_page = ""
        self._part = ExportPart(files={}, pages=0, versions=0, chunks=0)

    def __enter__(self) -> "PartWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._open.values():
            file.close()
        self._parquet.close()

    @property
    def is_full(self) -> bool:
        return self._open[TEXTS].tell() >= PART_BYTES

    def add(self, page: pb.ExportedPage) -> None:
        """Writes what was given out of a page."""
        if page.name != self._last_page:
            self._line(PAGES, _page_row(page))
            self._part.pages += 1
        self._last_page = page.name if page.continues else ""
        for version in page.versions:
            self._add_version(page, version)

    def finish(self) -> ExportPart:
        """Gives the files their names, and returns what they hold."""
        self._flush()
        self.__exit__(None, None, None)
        for kind in ENDINGS:
            target = self._folder / self._name(kind)
            settle(self._aside(kind), target)
            self._part.files[target.name] = sha256_of(target)
        return self._part

    def _add_version(self, page: pb.ExportedPage, version: pb.ExportedVersion) -> None:
        row = _version_row(page, version)
        if version.content:
            content = unpack(version.content)
            row |= {
                "pipeline_version": content.pipeline_version,
                "warc_file": self._name(TEXTS),
                "warc_offset": self._texts(page.uri, version, content),
            }
            self._rows += [_chunk_row(page, version, one, content) for one in version.chunks]
            self._part.chunks += len(version.chunks)
        self._line(VERSIONS, row)
        self._part.versions += 1
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def _texts(self, uri: str, version: pb.ExportedVersion, content: UnpackedVersion) -> int:
        """Writes a text and its structure, and returns where the text begins."""
        offset = self._open[TEXTS].tell()
        identity = f"<urn:uuid:{version.version}>"
        at = version.observed_from_time.ToDatetime()
        text = content_record(
            WarcRecordType.conversion,
            uri,
            at,
            content.text.encode(),
            media_type=TEXT_TYPE,
            headers={"WARC-Record-ID": identity},
        )
        document = content_record(
            WarcRecordType.metadata,
            uri,
            at,
            content.document,
            media_type=DOCUMENT_TYPE,
            headers={"WARC-Refers-To": identity},
        )
        self._open[TEXTS].write(text.packed)
        self._open[TEXTS].write(document.packed)
        return offset

    def _flush(self) -> None:
        if self._rows:
            self._parquet.write_table(pa.Table.from_pylist(self._rows, schema=COLUMNS))
            self._rows.clear()

    def _line(self, kind: str, row: dict[str, Any]) -> None:
        self._open[kind].write(json.dumps(row, ensure_ascii=False).encode() + b"\n")

    def _name(self, kind: str) -> str:
        return part_name(kind, self._number)

    def _aside(self, kind: str) -> Path:
        return self._folder / f"{self._name(kind)}{UNFINISHED}"


def _page_row(page: pb.ExportedPage) -> dict[str, Any]:
    return {
        "page": page.name,
        "uri": page.uri,
        "aliases": list(page.aliases),
        "closed": page.closed,
        "closed_reason": page.closed_reason,
        "closed_time": _time(page, "closed_time"),
    }


def _version_row(page: pb.ExportedPage, version: pb.ExportedVersion) -> dict[str, Any]:
    return {
        "page": page.name,
        "uri": page.uri,
        "version": version.version,
        "observed_from_time": _time(version, "observed_from_time"),
        "revision": version.revision,
        "observed_to_time": _time(version, "observed_to_time"),
        "last_verified_time": _time(version, "last_verified_time"),
        "text_digest": version.text_digest,
        "title": version.title,
        "language": version.language,
        "change_class": version.change_class,
        "change_reasons": list(version.change_reasons),
        "semantic": version.semantic,
        "restored_version": version.restored_version,
        "embedder": version.embedder,
        "left_out_reason": version.left_out_reason,
    }


def _chunk_row(
    page: pb.ExportedPage,
    version: pb.ExportedVersion,
    chunk: pb.ExportedChunk,
    content: UnpackedVersion,
) -> dict[str, Any]:
    vector = memoryview(chunk.vector).cast("f").tolist() if chunk.vector else None
    return {
        "page": page.name,
        "uri": page.uri,
        "version": version.version,
        "chunk": chunk.chunk,
        "start": chunk.start,
        "end": chunk.end,
        "section_path": list(chunk.section_path),
        "header": chunk.header,
        "text": content.text[chunk.start : chunk.end],
        "lineage": chunk.lineage,
        "embedding_key": chunk.embedding_key,
        "embedder": version.embedder,
        "vector": vector,
    }


def _time(message: Any, name: str) -> str | None:
    """Returns an instant in microseconds, as RFC 3339 has it; None where it is unset."""
    if not message.HasField(name):
        return None
    return f"{getattr(message, name).ToDatetime():%Y-%m-%dT%H:%M:%S.%fZ}"
