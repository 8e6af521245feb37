"""What this machine has: each thing that a start needs, probed."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scops.change_detector import service as change_detector
from scops.common.bus.embedded.nats_child import find_binary
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import ScopsError
from scops.common.db.address import Address, state_address
from scops.common.db.database import Database
from scops.common.db.sizes import TableSize, table_sizes
from scops.common.runtime.platform import prepare_data_dir
from scops.common.text.addresses import without_userinfo
from scops.fetcher import service as fetcher
from scops.fetcher.settings import FetcherSettings
from scops.gateway import service as gateway
from scops.indexer import service as indexer
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import advise
from scops.libraries.embedder.weights import ensure_model
from scops.libraries.index.opening import chunk_store_path, open_chunk_store
from scops.standalone.process.roles import load_common

FREE_BYTES_MIN = 2 * 1024**3
CHUNKS_HONEST_MAX = 200_000
LARGEST_SHOWN = 5
STATES = (fetcher.DATABASE, change_detector.DATABASE, indexer.DATABASE, gateway.DATABASE)
LIVE_CHUNKS = "SELECT count(*) FROM passage WHERE history = 0"


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """What the doctor found of one thing."""

    name: str
    ok: bool
    text: str


def examine(*, measure: bool) -> Iterator[DoctorFinding]:
    """Yields a finding for each thing, as soon as it is known."""
    try:
        common = load_common()
    except ScopsError as error:
        yield DoctorFinding("settings", False, str(error))
        return
    yield DoctorFinding("settings", True, "every SCOPS_* variable is known")
    yield _probed("data folder", lambda: _data_folder(common))
    yield DoctorFinding("crawler's contact", True, contact_advice(FetcherSettings().contact_url))
    yield _probed("nats-server", find_binary)
    yield _probed("embedding model", lambda: _model_folder(common))
    yield _probed("index", lambda: _index_size(common))
    yield _probed("state", lambda: _largest_tables(common))
    yield _probed("disk", lambda: _largest_folders(common))
    if measure:
        yield _probed("embedder", lambda: _embedder_advice(common))


def _probed(name: str, probe: Callable[[], str]) -> DoctorFinding:
    try:
        return DoctorFinding(name, True, without_userinfo(probe()))
    except (ScopsError, RuntimeError, OSError, sqlite3.Error) as error:
        return DoctorFinding(name, False, without_userinfo(str(error)))


def _data_folder(common: CommonSettings) -> str:
    prepare_data_dir(common)
    free = shutil.disk_usage(common.data_dir).free
    if free < FREE_BYTES_MIN:
        raise OSError(f"{common.data_dir} has only {free / 1024**3:.1f} GiB left; make room")
    return f"{common.data_dir}, {free / 1024**3:.0f} GiB free"


def _index_size(common: CommonSettings) -> str:
    if common.weaviate_url:
        chunks, history = asyncio.run(_writable_counts(common))
        return f"{chunks} chunks in Weaviate, {history} in the history"
    path = chunk_store_path(common.data_dir)
    if not path.exists():
        return "empty"
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        (chunks,) = connection.execute(LIVE_CHUNKS).fetchone()
    if chunks > CHUNKS_HONEST_MAX:
        raise OSError(f"{chunks} chunks: exact search grows slow here, move to Weaviate")
    return f"{chunks} chunks, good up to {CHUNKS_HONEST_MAX}"


def _largest_tables(common: CommonSettings) -> str:
    """Returns the tables that take most room; docs/reliability.md says what bounds each."""
    addresses = {name: state_address(common, name) for name in STATES}
    there = {name: one for name, one in addresses.items() if one.is_server or _is_file(one)}
    sizes = asyncio.run(_table_sizes(there))
    largest = sorted(sizes, key=lambda one: (one.bytes, one.rows), reverse=True)[:LARGEST_SHOWN]
    if not largest:
        return "empty"
    named = (f"{one.database}.{one.table} {one.rows} rows, {_mib(one.bytes)}" for one in largest)
    return f"{_mib(sum(one.bytes for one in sizes))} in all; largest: {'; '.join(named)}"


def _is_file(address: Address) -> bool:
    return Path(address.parsed().database or "").is_file()


async def _table_sizes(addresses: Mapping[str, Address]) -> list[TableSize]:
    sizes: list[TableSize] = []
    for name, address in addresses.items():
        database = Database(address, name=name)
        try:
            sizes += await table_sizes(database)
        finally:
            await database.close()
    return sizes


def _largest_folders(common: CommonSettings) -> str:
    sizes = {entry.name: _size_of(entry) for entry in os.scandir(common.data_dir)}
    largest = sorted(sizes.items(), key=lambda one: one[1], reverse=True)[:LARGEST_SHOWN]
    return ", ".join(f"{name} {_mib(size)}" for name, size in largest) or "empty"


def _size_of(entry: "os.DirEntry[str]") -> int:
    """Returns the bytes of a file, or of all files of a folder; what vanishes counts nothing."""
    with contextlib.suppress(FileNotFoundError):
        if not entry.is_dir(follow_symlinks=False):
            return entry.stat(follow_symlinks=False).st_size
        return sum(_size_of(one) for one in os.scandir(entry.path))
    return 0


def _mib(size: int) -> str:
    return f"{size / 1024**2:.1f} MiB"


def contact_advice(contact_url: str) -> str:
    """Returns where sites can complain about the crawler, or how to tell them."""
    if contact_url:
        return f"{contact_url} stands in the User-Agent header"
    return (
        "none: before crawling other people's sites, set SCOPS_FETCHER_CONTACT_URL to a page or "
        "mailto: address where they reach you"
    )


async def _writable_counts(common: CommonSettings) -> tuple[int, int]:
    """Returns how many chunks Weaviate holds, now and in the history.

    Raises:
        StoreUnavailable: it does not answer, or takes no writes.
    """
    store = open_chunk_store(common)
    try:
        await store.check_write()
        return await store.count()
    finally:
        await store.close()


def _model_folder(common: CommonSettings) -> str:
    return str(ensure_model(common.cache_dir, model=model_of(common.embedder)))


def _embedder_advice(common: CommonSettings) -> str:
    advice = asyncio.run(
        advise(common.embedder, threads=common.embedder_threads, cache_dir=common.cache_dir)
    )
    return str(advice.recommendation)
