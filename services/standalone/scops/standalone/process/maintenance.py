"""Work on the index in a process of its own: no bus, the indexer's rows and the store alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from scops.common.bus.ports import Outgoing, Sealed
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.service_table import Role
from scops.common.query.ports import QueryMethod
from scops.common.runtime.platform import Platform, open_platform, prepare_data_dir
from scops.indexer.service import maintenance
from scops.indexer.settings import IndexerSettings
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.rebuild import RebuildReport, rebuild
from scops.indexer.upkeep.reconcile import ReconcileReport, reconcile
from scops.libraries.index.opening import open_generations
from scops.standalone.process.roles import load_common


async def reconcile_index(*, since: timedelta | None, dry_run: bool) -> ReconcileReport:
    """Compares the index with its rows and mends it; see `scops.indexer.upkeep.reconcile`.

    Args:
        since: only pages that a verdict was applied to within this time.

    Raises:
        ScopsError: a setting is wrong, or something does not answer.
    """
    async with _tools() as (tools, _):
        after = None if since is None else tools.ports.clock.now() - since
        return await reconcile(tools, since=after, dry_run=dry_run)


async def rebuild_index(*, drop_old: bool, accept_loss: bool) -> RebuildReport:
    """Builds the index anew and switches to it; see `scops.indexer.upkeep.rebuild`.

    Raises:
        ScopsError: a setting is wrong, something does not answer or cannot be restored.
    """
    async with _tools() as (tools, platform):
        generations = open_generations(platform.common)
        try:
            return await rebuild(tools, generations, drop_old=drop_old, accept_loss=accept_loss)
        finally:
            await generations.close()


class _Offline:
    """Stands for the bus where there is none: work on the index asks and publishes nothing."""

    async def publish(self, outgoing: Outgoing) -> None:
        raise _no_bus()

    async def send(self, sealed: Sealed) -> None:
        raise _no_bus()

    async def call(self, method: QueryMethod[Any, Any], request: Any, *, deadline: datetime) -> Any:
        raise _no_bus()

    async def backlog(self, role: Role) -> int:
        raise _no_bus()


def _no_bus() -> StoreUnavailable:
    return StoreUnavailable("This command works without a bus.", reason="NO_BUS")


@asynccontextmanager
async def _tools() -> AsyncIterator[tuple[MaintenanceTools, Platform]]:
    common = load_common()
    settings = IndexerSettings.load()
    prepare_data_dir(common)
    offline = _Offline()
    platform = await open_platform(
        common, publisher=offline, query_client=offline, backlog=offline.backlog
    )
    try:
        async with maintenance(settings, platform) as tools:
            yield tools, platform
    finally:
        await platform.close()
