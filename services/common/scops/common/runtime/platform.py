"""What a process gives to every service it runs: the ports that all of them share."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.bus.ports import BusOperations, DurableProgress, Publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.organisations import MAIN
from scops.common.contract.service_table import Role
from scops.common.db.address import state_address
from scops.common.db.database import Database
from scops.common.processes.pool import ChildPool
from scops.common.query.ports import QueryClient
from scops.common.runtime.clock import Clock, SystemClock
from scops.common.runtime.private_files import make_private
from scops.common.runtime.service import WRITES_SECONDS, Loop, ReadinessCheck, Remembered
from scops.common.scope.book import ScopeBook
from scops.common.scope.ports import ScopePublisher

Backlog = Callable[[Role], Awaitable[int]]
Progress = Callable[[Role], Awaitable[Mapping[str, DurableProgress]]]
LOAD_RETRY_SECONDS = 30.0
# Between two looks at what comes due in the archive, such as a segment that is old.
TIDY_SECONDS = 60.0
# Says whose a data folder is, where that is not `main`.
OWNER_FILE = "organisation"


class Closeable(Protocol):
    """Something that a process opens once and closes at its end."""

    def close(self) -> None:
        """Lets go of memory and threads."""


CloseableT = TypeVar("CloseableT", bound=Closeable)


async def _nothing() -> None:
    return None


@dataclass(slots=True)
class SharedResources:
    """What is expensive to load, loaded once a process for whoever asks first.

    A model may have to be fetched before it is loaded. Whoever waits no longer, as a readiness
    check after some seconds, leaves the load to the next who asks.
    """

    common: CommonSettings
    opened: dict[Callable[..., Any], Closeable] = field(default_factory=dict)
    loading: dict[Callable[..., Any], asyncio.Task[Any]] = field(default_factory=dict)
    # So long everybody is told the same of a load that failed.
    retry_seconds: float = LOAD_RETRY_SECONDS

    async def __call__(self, opening: Callable[[CommonSettings], CloseableT]) -> CloseableT:
        if opening not in self.opened:
            if opening not in self.loading:
                task = asyncio.create_task(asyncio.to_thread(opening, self.common))
                task.add_done_callback(partial(self._loaded, opening))
                self.loading[opening] = task
            return cast(CloseableT, await asyncio.shield(self.loading[opening]))
        return cast(CloseableT, self.opened[opening])

    def _loaded(self, opening: Callable[..., Any], task: asyncio.Task[Any]) -> None:
        if task.cancelled() or task.exception() is not None:
            task.get_loop().call_later(self.retry_seconds, self.loading.pop, opening)
        else:
            self.opened[opening] = task.result()
            del self.loading[opening]

    def close(self) -> None:
        """Closes what was loaded."""
        for resource in self.opened.values():
            resource.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The shared ports of one process.

    Attributes:
        scope_book: filled by the watch of the scopes' projection; unready before that.
        random: the only source of chance; seeded in tests and the simulation.
        shared: returns what an opening function makes of the settings, such as the embedder; it
            runs in a thread at the first call, and every later call returns the same.
        database: returns the state of a service by name; a second call returns the same one.
        children: the child processes that work on what pages hold; they have imported the
            tasks that services name.
        backlog: returns how many messages the durables of a role have still to acknowledge.
        progress: returns how far each durable of a role has come; None where nobody can tell.
        scope_publisher: writes the projection of scopes; only the gateway needs it.
        operations: the bus as operators see it; only the gateway needs it.
        checks: that the shared ports answer.
        archive_writable: that the archive takes what it is given; for services that put.
        loops: what the shared ports do without being asked.
    """

    common: CommonSettings
    clock: Clock
    archive: Archive
    publisher: Publisher
    query_client: QueryClient
    scope_book: ScopeBook
    random: random.Random
    shared: SharedResources
    children: ChildPool
    database: Callable[[str], Database]
    backlog: Backlog
    scope_publisher: ScopePublisher | None = None
    operations: BusOperations | None = None
    progress: Progress | None = None
    checks: tuple[ReadinessCheck, ...] = ()
    archive_writable: tuple[ReadinessCheck, ...] = ()
    loops: tuple[Loop, ...] = ()
    close: Callable[[], Awaitable[None]] = field(default=_nothing)


@dataclass(slots=True)
class _Databases:
    """The databases that were asked for, so that they are shared and closed."""

    common: CommonSettings
    opened: dict[str, Database] = field(default_factory=dict)

    def open(self, name: str) -> Database:
        if name not in self.opened:
            try:
                self.opened[name] = Database(state_address(self.common, name), name=name)
            except OSError as error:
                raise _unwritable(self.common, error) from error
        return self.opened[name]

    async def close(self) -> None:
        for database in self.opened.values():
            await database.close()


async def open_platform(
    common: CommonSettings,
    *,
    publisher: Publisher,
    query_client: QueryClient,
    backlog: Backlog,
    scope_publisher: ScopePublisher | None = None,
    operations: BusOperations | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
    chance: random.Random | None = None,
) -> Platform:
    """Opens the shared ports of a process on a bus that is already connected.

    Raises:
        StoreUnavailable: the data folder or the archive cannot be opened.
    """
    databases = _Databases(common)
    shared = SharedResources(common)
    children = ChildPool.of_settings(common)
    archive = open_archive(
        common.archive_url, common.organisation_id, in_segments=common.archive_segments
    )

    clock = clock or SystemClock()
    tidying = Loop.every(
        TIDY_SECONDS, archive.tidy, name="archive", pause=clock.sleep, waits_first=True
    )

    async def close() -> None:
        await children.close()
        shared.close()
        await databases.close()
        archive.close()

    return Platform(
        common=common,
        clock=clock,
        archive=archive,
        publisher=publisher,
        query_client=query_client,
        scope_book=ScopeBook(),
        random=chance or random.Random(random.SystemRandom().getrandbits(64)),
        shared=shared,
        children=children,
        database=databases.open,
        backlog=backlog,
        scope_publisher=scope_publisher,
        operations=operations,
        progress=progress,
        checks=(ReadinessCheck(name="archive", probe=archive.check_read),),
        archive_writable=(
            ReadinessCheck(
                name="archive-writable",
                probe=partial(Remembered(WRITES_SECONDS).problem, archive.check_write),
            ),
        ),
        loops=(tidying,),
        close=close,
    )


def prepare_data_dir(common: CommonSettings) -> None:
    """Creates the data folder, for one organisation, and proves that it can be written.

    Raises:
        StoreUnavailable: it cannot.
        InvalidInput: it is another organisation's.
    """
    try:
        make_private(common.data_dir)
        _claim(common)
        probe = common.data_dir / ".writable"
        probe.write_bytes(b"")
        probe.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(common, error) from error


def _claim(common: CommonSettings) -> None:
    """Sees to it that a data folder has one owner; one that says nothing is `main`'s."""
    mark = common.data_dir / OWNER_FILE
    if common.organisation_id != MAIN and not any(
        (common.data_dir / name).exists() for name in (OWNER_FILE, "state", "nats", "index")
    ):
        mark.write_text(common.organisation_id)
    owner = mark.read_text().strip() if mark.exists() else MAIN
    if owner != common.organisation_id:
        raise InvalidInput(
            f"The data folder {common.data_dir} belongs to organisation {owner}, and "
            f"SCOPS_ORGANISATION_ID is {common.organisation_id}. Set SCOPS_DATA_DIR to a folder "
            "of its own.",
            reason="DATA_DIR_OF_ANOTHER",
        )


def _unwritable(common: CommonSettings, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(
        f"The data folder {common.data_dir} cannot be written: {error.strerror or error}. "
        "Set SCOPS_DATA_DIR to a folder that this user may write, with space left.",
        reason="DATA_DIR_UNWRITABLE",
    )
