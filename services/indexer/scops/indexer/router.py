"""Which messages the indexer consumes, and by which handler."""

from scops.common.bus.consume.router import ServiceRouter
from scops.common.contract.messages.change import (
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionsDropped,
    VersionsVerified,
    VersionUnchanged,
)
from scops.common.contract.messages.purge import VersionsPurged
from scops.common.contract.service_table import Role
from scops.indexer.handlers.dropping import handle_versions_dropped
from scops.indexer.handlers.purging import handle_versions_purged
from scops.indexer.handlers.verdicts import (
    handle_version_added,
    handle_version_closed,
    handle_version_restored,
    handle_version_unchanged,
)
from scops.indexer.handlers.verified import handle_versions_verified
from scops.indexer.ports import IndexerPorts


def build_router(ports: IndexerPorts, *, concurrency: int) -> ServiceRouter:
    """Returns the indexer's subscribers."""
    router = ServiceRouter(Role.INDEXER, ports, concurrency=concurrency, fair=True)
    router.consumes(VersionAdded)(handle_version_added)
    router.consumes(VersionUnchanged)(handle_version_unchanged)
    router.consumes(VersionRestored)(handle_version_restored)
    router.consumes(VersionClosed)(handle_version_closed)
    router.consumes(VersionsVerified)(handle_versions_verified)
    router.consumes(VersionsDropped)(handle_versions_dropped)
    router.consumes(VersionsPurged)(handle_versions_purged)
    return router
