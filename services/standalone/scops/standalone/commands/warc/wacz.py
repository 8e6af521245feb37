"""Packs a WARC file with its index and its pages as a WACZ file.

Source: CDXJ as pywb reads it, WACZ 1.1.1.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from scops.standalone.commands.transfer.folder import UNFINISHED, settle, sha256_of
from scops.standalone.commands.warc.record_index import RecordIndex
from scops.standalone.commands.warc.writing import REVISIT

WACZ_VERSION = "1.1.1"
PAGES_FORMAT = "json-pages-1.0"


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
        packed.write(warc, archive)
        resources.append(_resource(archive, sha256_of(warc), warc.stat().st_size))
        resources.append(_written(packed, "indexes/index.cdx", _cdx(index)))
        resources.append(_written(packed, "pages/pages.jsonl", _pages(index)))
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


def _written(packed: zipfile.ZipFile, name: str, lines: Iterator[bytes]) -> dict[str, Any]:
    """Writes a file line by line; returns what the package says of it."""
    digest, size = hashlib.sha256(), 0
    with packed.open(name, "w", force_zip64=True) as file:
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
