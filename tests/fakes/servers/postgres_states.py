"""Fresh state on a real PostgreSQL: a database a test, copied from one with every schema."""

from functools import partial
from pathlib import Path

import scops.change_detector
import scops.fetcher
import scops.gateway
import scops.indexer
from scops.common.contract.organisations import SCHEMA_PREFIX
from scops.common.db.address import Address, ServerBounds
from scops.common.db.migrate import upgrade
from tests.fakes.servers.postgres import PostgresServer, apart

# The services with state, by the name of their database.
OWNERS = {
    "fetcher": scops.fetcher,
    "change_detector": scops.change_detector,
    "indexer": scops.indexer,
    "gateway": scops.gateway,
}
# Small, so that tests meet the end of the pool as loaded processes do.
BOUNDS = ServerBounds(pool_size=4, connect_timeout_seconds=10.0, lock_timeout_seconds=10.0)


class PostgresStates:
    """Databases with the schemas of all services, as `scops provision` makes them."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._template = ""

    def address(self, name: str, *, url: str = "") -> Address:
        """Returns the empty state of a service, in a new database.

        Args:
            name: as the service calls its state.
            url: of a database that `url()` gave, to share it.
        """
        return Address(url=url or self.url(), schema=SCHEMA_PREFIX + name, bounds=BOUNDS)

    def url(self) -> str:
        """Returns a new database for `SCOPS_DATABASE_URL`, provisioned and empty."""
        if not self._template:
            self._template = self._made_template()
        return self.server.new_database(template=self._template)

    def _made_template(self) -> str:
        url = self.server.new_database()
        for name, package in OWNERS.items():
            migrations = Path(next(iter(package.__path__))) / "migrations"
            # An upgrade on a server runs a loop of its own.
            apart(partial(upgrade, self.address(name, url=url), migrations))
        return url.rpartition("/")[2]
