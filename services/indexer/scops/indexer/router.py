"""Which messages the indexer consumes, and by which handler."""

from collections.abc import Mapping
from typing import Any

from scops.common.contract.messages.change import (
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionsDropped,
    VersionsVerified,
    VersionUnchanged,
)
from scops.common.contract.messages.purge import VersionsPurged
from scops.common.runtime.service import Handle
from scops.indexer.handlers.dropping import handle_versions_dropped
from scops.indexer.handlers.purging import handle_versions_purged
from scops.indexer.handlers.verdicts import (
    handle_version_added,
    handle_version_closed,
    handle_version_restored,
    handle_version_unchanged,
)
from scops.indexer.handlers.verified import handle_versions_verified

HANDLERS: Mapping[type[Any], Handle] = {
    VersionAdded: handle_version_added,
    VersionUnchanged: handle_version_unchanged,
    VersionRestored: handle_version_restored,
    VersionClosed: handle_version_closed,
    VersionsVerified: handle_versions_verified,
    VersionsDropped: handle_versions_dropped,
    VersionsPurged: handle_versions_purged,
}
