"""Where a service's state lies, as `SCOPS_DATABASE_URL` says."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from scops.common.config.authority import server_context
from scops.common.config.servers import AuthoritySettings
from scops.common.config.settings import CommonSettings
from scops.common.contract.organisations import schema_name, session_owner

SQLITE_DRIVER = "sqlite"
SERVER_DRIVER = "postgresql+asyncpg"
# As libpq names it.
SSL_MODE = "sslmode"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBounds:
    """Bounds of the connections to a database server.

    Attributes:
        pool_size: connections held by one process; who wants more waits `connect_timeout_seconds`.
        statement_timeout_seconds: 0 sets no bound.
        lock_timeout_seconds: how long a statement waits for rows that another one has locked.
    """

    pool_size: int = 8
    connect_timeout_seconds: float = 5.0
    statement_timeout_seconds: float = 30.0
    lock_timeout_seconds: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The state of one service: a SQLite file or memory, or a schema on a PostgreSQL server.

    Attributes:
        url: `sqlite:///path`, `sqlite://` (memory) or `postgresql://…`; may
            hold a password and is never printed; `str()` of this leaves it out.
        schema: on a server; empty takes the server's default.
        sessions: the first word of their names there.
        server_ca: whose signatures a server's certificate is trusted by; None for the system's.
    """

    url: str = field(repr=False)
    schema: str = ""
    sessions: str = "scops"
    bounds: ServerBounds = ServerBounds()
    server_ca: Path | None = None

    @property
    def is_server(self) -> bool:
        """Whether others share the database over a network."""
        return not self.url.startswith("sqlite")

    def parsed(self) -> URL:
        """Returns the URL with the driver that is used."""
        url = make_url(self.url)
        if not self.is_server:
            return url
        return url.difference_update_query([SSL_MODE]).set(drivername=SERVER_DRIVER)

    def privacy(self) -> ssl.SSLContext | bool | None:
        """Returns what connections to a server begin with: TLS that verifies whom it talks to.

        False is none. None leaves it to the server, and verifies nothing.

        Raises:
            InvalidInput: the authorities to trust cannot be read.
        """
        mode = make_url(self.url).query.get(SSL_MODE)
        if mode == "disable":
            return False
        if mode is None and self.server_ca is None:
            return None
        return server_context(AuthoritySettings(server_ca=self.server_ca))

    def __str__(self) -> str:
        shown = make_url(self.url).render_as_string(hide_password=True)
        return f"{shown}, schema {self.schema}" if self.schema else shown


def address_of(url_or_address: str | Address) -> Address:
    """Returns an address; a plain URL has the default bounds and schema."""
    if isinstance(url_or_address, Address):
        return url_or_address
    return Address(url=url_or_address)


def state_address(common: CommonSettings, name: str) -> Address:
    """Returns where the settings put the state of a service; makes the folder of a file.

    Args:
        name: of the database, such as `change-detector`.

    Raises:
        OSError: the folder cannot be made.
    """
    url = common.database_url.get_secret_value()
    if not url:
        return Address(url=sqlite_url(common.data_dir / "state" / f"{name}.db"))
    return Address(
        url=url,
        schema=schema_name(common.organisation_id, name),
        sessions=session_owner(common.organisation_id),
        bounds=ServerBounds(pool_size=common.database_pool_size),
        server_ca=common.server_ca,
    )


def sqlite_url(path: Path) -> str:
    """Returns the URL of a SQLite file; its folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return f"{SQLITE_DRIVER}:///{path}"
