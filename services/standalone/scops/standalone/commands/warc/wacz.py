"""Packs a WARC file with its index and its pages as a WACZ file.

Source: CDXJ as pywb reads it, WACZ 1.1.1.
"""

import hashlib
import json
import shutil
import struct
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from scops.standalone.commands.transfer.folder import UNFINISHED, settle, sha256_of
from scops.standalone.commands.warc.record_index import RecordIndex
from scops.standalone.commands.warc.writing import REVISIT

WACZ_VERSION = "1.1.1"
PAGES_FORMAT = "json-pages-1.0"
# "Extended timestamp" of Info-ZIP: id, length, that a time of modification follows, the time.
TIME_FIELD = "<HHBI"
TIME_FIELD_ID = 0x5455


def write_wacz(
    path: Path, warc: Path, index: RecordIndex, *, name: str, title: str, now: datetime
) -> None:
    """Packs a WARC file that is whole with its index and its pages as a WACZ file.

    Args:
        name: what the index calls the WARC file.
    """
    aside = path.with_name(f"{path.name}{UNFINISHED}")
    resources: list[dict[str, Any]] = []
    with zipfile.ZipFile(aside, "w", zipfile.ZIP_STORED) as packed:
        archive = f"archive/{name}"
        with warc.open("rb") as source, _opened(packed, archive, now) as file:
            shutil.copyfileobj(source, file)
        resources.append(_resource(archive, sha256_of(warc), warc.stat().st_size))
        resources.append(_written(packed, "indexes/index.cdx", _cdx(index), now))
        resources.append(_written(packed, "pages/pages.jsonl", _pages(index), now))
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
        packed.writestr(_member("datapackage.json", now), package)
        digest = {
            "path": "datapackage.json",
            "hash": f"sha256:{hashlib.sha256(package).hexdigest()}",
        }
        packed.writestr(_member("datapackage-digest.json", now), _json(digest))
    settle(aside, path)


def _opened(packed: zipfile.ZipFile, name: str, now: datetime) -> IO[bytes]:
    return packed.open(_member(name, now), "w", force_zip64=True)


def _member(name: str, now: datetime) -> zipfile.ZipInfo:
    """Returns the entry of a file, with an extra field in the central directory too.

    Without one there ReplayWeb.page takes it that there is none before the data either, and reads
    the sizes of ZIP64, which stand there alone, as data.
    """
    info = zipfile.ZipInfo(name, now.timetuple()[:6])
    size = struct.calcsize(TIME_FIELD) - struct.calcsize("<HH")
    info.extra = struct.pack(TIME_FIELD, TIME_FIELD_ID, size, 1, int(now.timestamp()))
    return info


def _written(
    packed: zipfile.ZipFile, name: str, lines: Iterator[bytes], now: datetime
) -> dict[str, Any]:
    """Writes a file line by line; returns what the package says of it."""
    digest, size = hashlib.sha256(), 0
    with _opened(packed, name, now) as file:
        for line in lines:
            file.write(line)
            digest.update(line)
            size += len(line)
    return _resource(name, digest.hexdigest(), size)


def _cdx(index: RecordIndex) -> Iterator[bytes]:
    for one in index.by_key():
        yield f"{one.key} {one.stamp} ".encode() + _line({**one.fields, "title": None})


def _pages(index: RecordIndex) -> Iterator[bytes]:
    yield _line({"format": PAGES_FORMAT, "id": "pages", "title": "All Pages"})
    for one in index.by_arrival():
        if one.fields["mime"] == REVISIT:
            continue
        url = one.fields["url"]
        yield _line(
            {
                "id": hashlib.sha256(f"{url} {one.stamp}".encode()).hexdigest()[:24],
                "url": url,
                "ts": f"{datetime.strptime(one.stamp, '%Y%m%d%H%M%S'):%Y-%m-%dT%H:%M:%SZ}",
                "title": one.fields["title"] or url,
            }
        )


def _line(fields: dict[str, Any]) -> bytes:
    said = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def _json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, indent=2).encode()


def _resource(path: str, digest: str, size: int) -> dict[str, Any]:
    name = path.rpartition("/")[2]
    return {"name": name, "path": path, "hash": f"sha256:{digest}", "bytes": size}
