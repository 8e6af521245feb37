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
    """Databases with the schemas of services, as `scops provision` makes them."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._templates: dict[tuple[str, ...], str] = {}

    def address(self, name: str, *, url: str = "") -> Address:
        """Returns the empty state of a service, in a new database that holds no other.

        Args:
            name: as the service calls its state.
            url: of a database that `url()` gave, to share it.
        """
        url = url or self._new_database(name)
        return Address(url=url, schema=SCHEMA_PREFIX + name, bounds=BOUNDS)

    def url(self) -> str:
        """Returns a new database for `SCOPS_DATABASE_URL`, provisioned for all and empty."""
        return self._new_database(*OWNERS)

    def _new_database(self, *names: str) -> str:
        """Copies a template, which is made once for the same services: each table is files."""
        if names not in self._templates:
            self._templates[names] = self._made_template(names)
        return self.server.new_database(template=self._templates[names])

    def _made_template(self, names: tuple[str, ...]) -> str:
        url = self.server.new_database()
        for name in names:
            migrations = Path(next(iter(OWNERS[name].__path__))) / "migrations"
            # An upgrade on a server runs a loop of its own.
            apart(partial(upgrade, self.address(name, url=url), migrations))
        return url.rpartition("/")[2]
