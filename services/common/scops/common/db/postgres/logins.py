"""Logins of a PostgreSQL server with the least rights: rows of one schema, or reading some tables.

Made by the provisioner, who owns the schemas; a login neither makes nor alters anything.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.db.address import Address
from scops.common.db.postgres.errors import advice
from scops.common.db.postgres.server import open_engine

# What PostgreSQL itself takes (RFC 7677).
SCRAM_ITERATIONS = 4096
SALT_BYTES = 16
PASSWORD_CHARACTERS_MIN = 16
REVISIONS = "alembic_version"
FIND = text("SELECT 1 FROM pg_roles WHERE rolname = :login")
ROWS = "SELECT, INSERT, UPDATE, DELETE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login and what it may do.

    Attributes:
        name: plain, such as `scops_fetcher`; so are schema and tables.
        schema: whose rows it reads and writes, or whose `tables` it reads.
        tables: that it reads and nothing else; empty: every row of the schema, to write as well.
        functions: of another schema, whose functions it calls; empty for none.
    """

    name: str
    password: str = field(repr=False)
    schema: str
    tables: tuple[str, ...] = ()
    functions: str = ""

    def __post_init__(self) -> None:
        if len(self.password) < PASSWORD_CHARACTERS_MIN:
            raise InvalidInput(
                f"The password of the login {self.name} has {len(self.password)} characters; "
                f"take at least {PASSWORD_CHARACTERS_MIN}.",
                reason="PASSWORD_SHORT",
            )


async def ensure_logins(address: Address, logins: tuple[Login, ...]) -> None:
    """Makes logins, sets their passwords and rights; may be repeated.

    Args:
        address: of the database, as whoever owns the schemas, which exist.

    Raises:
        StoreUnavailable: the server does not answer, or whoever asks may not make logins.
    """
    engine = open_engine(address, name="provision")
    try:
        async with engine.begin() as connection:
            database = (await connection.execute(text("SELECT current_database()"))).scalar_one()
            for login in logins:
                known = (await connection.execute(FIND, {"login": login.name})).scalar()
                for statement in _statements(login, database, known=bool(known)):
                    await connection.exec_driver_sql(statement)
    except (SQLAlchemyError, OSError) as error:
        raise StoreUnavailable(
            f"Making the logins of {address} failed: {getattr(error, 'orig', error)}. "
            f"{advice(error) or 'The provisioner needs CREATEROLE and owns the schemas.'}",
            reason="LOGINS_NOT_MADE",
        ) from error
    finally:
        await engine.dispose()


def _statements(login: Login, database: str, *, known: bool) -> Iterator[str]:
    named, schema = login.name, login.schema
    yield (
        f"{'ALTER' if known else 'CREATE'} ROLE {named} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE "
        # The server logs statements; a verifier is no password.
        f"NOREPLICATION NOBYPASSRLS PASSWORD '{_verifier(login.password)}'"
    )
    yield f'REVOKE ALL ON DATABASE "{database}" FROM PUBLIC'
    yield f'GRANT CONNECT ON DATABASE "{database}" TO {named}'
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {named}"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {named}"
    if login.functions:
        yield f"GRANT USAGE ON SCHEMA {login.functions} TO {named}"
        yield f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {login.functions} TO {named}"
    if login.tables:
        yield f"GRANT SELECT ON {', '.join(f'{schema}.{one}' for one in login.tables)} TO {named}"
        return
    yield f"GRANT {ROWS} ON ALL TABLES IN SCHEMA {schema} TO {named}"
    yield f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {named}"
    yield f"REVOKE INSERT, UPDATE, DELETE ON {schema}.{REVISIONS} FROM {named}"


def _verifier(password: str) -> str:
    """Returns what PostgreSQL keeps of a password (RFC 5803)."""
    salt = os.urandom(SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, SCRAM_ITERATIONS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt_text, stored_text, server_text = (
        base64.b64encode(part).decode() for part in (salt, stored, server)
    )
    return f"SCRAM-SHA-256${SCRAM_ITERATIONS}:{salt_text}${stored_text}:{server_text}"
