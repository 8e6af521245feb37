"""Runs roles in this process: the bus, the platform, the services, until a signal ends it."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from scops.common.bus.admin.handback import hand_back
from scops.common.bus.admin.operations import NatsOperations
from scops.common.bus.admin.provisioner import Provisioned
from scops.common.bus.admin.provisioner import provision as provision_bus
from scops.common.bus.embedded.nats_child import NatsAddress, running_nats
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.environment import check_environment
from scops.common.config.settings import CommonSettings, ServiceSettings
from scops.common.contract.errors import InvalidInput
from scops.common.contract.service_table import Role
from scops.common.db.address import state_address
from scops.common.observe.log import configure_logging, get_logger
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.heap import settle_heap
from scops.common.runtime.lifecycle import ProcessLifecycle, process_lifecycle
from scops.common.runtime.platform import open_platform, prepare_data_dir
from scops.common.runtime.process_run import run_between
from scops.common.runtime.turns import shorten_turns
from scops.common.scope.projection import ScopeProjection
from scops.standalone.process.database_logins import provision_logins
from scops.standalone.process.parts import (
    PARTS,
    RolePart,
    foreign_prefixes,
    parts_of,
    settings_classes,
)
from scops.standalone.process.reaching import reach_bus

# Called with where health is told, and where the roles can be reached by protocol.
Announce = Callable[[str, Mapping[str, str]], Awaitable[None]]
log = get_logger(__name__)


def load_common(parts: tuple[RolePart, ...] = PARTS) -> CommonSettings:
    """Reads the common settings and refuses unknown variables.

    Args:
        parts: that this process knows; what the environment says to others is not looked at.

    Raises:
        InvalidInput: an unknown `SCOPS_*` variable, or a value that cannot be.
    """
    check_environment(os.environ, settings_classes(parts), foreign=foreign_prefixes(parts))
    common = CommonSettings.load()
    configure_logging(common)
    return common


async def run_roles(roles: tuple[Role, ...], *, on_running: Announce | None = None) -> None:
    """Runs provisioned roles until SIGTERM or SIGINT; waits for what is not there yet.

    Raises:
        ScopsError: a setting cannot be, or a port is taken; the message says what to do.
    """
    common = load_common(parts_of(roles))
    need_bus_address(common)
    # Read before anything starts: a bad value is the first thing to be told.
    parts = {part: part.settings.load() for part in parts_of(roles)}
    if keeps_files(common, tuple(parts)):
        prepare_data_dir(common)
    address = NatsAddress(url=common.nats_url, monitor_url=common.nats_monitor_url)
    async with process_lifecycle(common) as lifecycle:
        bus = await reach_bus(address, lifecycle, name="scops " + " ".join(roles))
        if bus is None:
            return
        try:
            await _run_parts(parts, bus, lifecycle, on_running)
        finally:
            await bus.close()


async def run_everything(*, on_running: Announce | None = None) -> None:
    """Brings schemas and streams up and runs all roles, on a bus of its own if none is named.

    Raises:
        ScopsError: something that is needed is missing; the message says what to do.
    """
    common = load_common()
    parts = {part: part.settings.load() for part in PARTS}
    prepare_data_dir(common)
    async with opened_bus(common) as bus, process_lifecycle(common) as lifecycle:
        await upgrade_schemas(common, PARTS)
        if not common.nats_url:
            # A bus of our own: whoever had messages in hand is dead.
            await hand_back(bus.jetstream, tuple(Role))
        await provision_bus(bus.jetstream, tuple(Role), common=common)
        await _run_parts(parts, bus, lifecycle, on_running)


async def _run_parts(
    parts: Mapping[RolePart, ServiceSettings],
    bus: NatsBus,
    lifecycle: ProcessLifecycle,
    on_running: Announce | None,
) -> None:
    clock = SystemClock()
    shorten_turns()

    platform = await open_platform(
        lifecycle.common,
        publisher=bus.publisher,
        query_client=bus.query_client,
        backlog=bus.backlog,
        progress=bus.backlog.progress,
        scope_publisher=ScopeProjection(bus.jetstream, clock=clock),
        operations=NatsOperations(bus, lifecycle.common, clock=clock),
        clock=clock,
    )
    try:
        services = [part.build(settings, platform) for part, settings in parts.items()]

        async def running(health_url: str) -> None:
            settle_heap()
            if on_running is not None:
                doors = {name: door for each in services for name, door in each.doors().items()}
                await on_running(health_url, doors)

        await run_between(lifecycle, services, platform, bus, on_running=running)
    finally:
        await platform.close()


def keeps_files(common: CommonSettings, parts: tuple[RolePart, ...]) -> bool:
    """Returns whether roles need the data folder: what they keep is not elsewhere."""
    state = any(part.database or part.reads_index for part in parts)
    index = any(part.reads_index for part in parts)
    on_sqlite = not common.database_url.get_secret_value()
    return (state and on_sqlite) or (index and not common.weaviate_url)


async def provision_roles(
    roles: tuple[Role, ...], *, logins: Path | None = None, index_rights: bool = False
) -> Provisioned:
    """Creates or upgrades schemas, streams and durables of the roles.

    Args:
        logins: folder with the passwords of their logins of the database; None makes none.
        index_rights: whether the users of the index are given the rights of their roles.

    Raises:
        ScopsError: the data folder or the bus cannot be used, or something differs that
            cannot be changed in place.
    """
    common = load_common()
    if not common.nats_url or keeps_files(common, parts_of(roles)):
        prepare_data_dir(common)
    await upgrade_schemas(common, parts_of(roles))
    if logins is not None:
        await provision_logins(common, parts_of(roles), logins)
    if index_rights:
        await _give_index_rights(common)
    async with opened_bus(common) as bus:
        return await provision_bus(bus.jetstream, roles, common=common)


async def upgrade_schemas(common: CommonSettings, parts: tuple[RolePart, ...]) -> None:
    """Brings the state of each role to its newest revision, and the indexer's index.

    Raises:
        StoreUnavailable: a database does not answer, or cannot be written.
    """
    # Imported here: a process that only runs roles does without Alembic.
    from scops.common.db.migrate import upgrade

    for part in parts:
        if part.migrations is not None:
            # An upgrade may wait for another one; the bus wants to be answered meanwhile.
            address = state_address(common, part.database)
            await asyncio.to_thread(upgrade, address, part.migrations)
        if part.role is Role.INDEXER:
            await provision_index(common)


async def provision_index(common: CommonSettings) -> None:
    """Creates the chunk store for the embedder of the settings, where there is none yet.

    Raises:
        StoreUnavailable: the folder cannot be written, or Weaviate does not answer.
        PermanentError: the store has a format that this version does not read.
    """
    # Imported here: the libraries of embedders cost memory in processes that embed nothing.
    from scops.libraries.index.opening import provision_chunk_store

    await provision_chunk_store(common)


async def _give_index_rights(common: CommonSettings) -> None:
    from scops.libraries.index.opening import give_index_rights

    users = await give_index_rights(common)
    log.info("index_rights_given", users=list(users))


def need_bus_address(common: CommonSettings) -> None:
    """Refuses to run single roles without a bus that others can reach, too.

    Raises:
        InvalidInput: SCOPS_NATS_URL is not set.
    """
    if not common.nats_url:
        raise InvalidInput(
            "Single roles need a bus that all of them reach: set SCOPS_NATS_URL, such as "
            "nats://127.0.0.1:4222. To run everything in one process, use `scops up`.",
            reason="NATS_URL_MISSING",
        )


@asynccontextmanager
async def opened_bus(common: CommonSettings) -> AsyncIterator[NatsBus]:
    """Connects to the bus of the settings, or runs an embedded one, while inside."""
    async with running_nats(common) as address:
        bus = await open_bus(address, common)
        try:
            yield bus
        finally:
            await bus.close()
