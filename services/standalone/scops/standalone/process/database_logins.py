"""A login of the database for each role that uses it: rows of its own schema, or reading heads."""

from pathlib import Path

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput
from scops.common.contract.organisations import schema_name
from scops.common.contract.service_table import Role
from scops.common.db.address import state_address
from scops.standalone.process.parts import RolePart

# What fetchers of all organisations share; see the fetcher's migration 0013.
CLAIMS = "scops_hosts"


async def provision_logins(
    common: CommonSettings, parts: tuple[RolePart, ...], folder: Path
) -> tuple[str, ...]:
    """Makes or renews the logins; returns their names. The schemas exist.

    Args:
        folder: a file a role, named as the role, which holds the password.

    Raises:
        InvalidInput: the state is in files, or a password is missing or short.
        StoreUnavailable: the server does not answer, or its user may not make logins.
    """
    # Imported here: a process that runs roles on files does without the driver.
    from scops.common.db.postgres.logins import Login, ensure_logins
    from scops.libraries.index.opening import DATABASE_NAME
    from scops.libraries.index.rows.tables import READ_TABLES

    if not common.database_url.get_secret_value():
        raise InvalidInput(
            "Logins are of a database server: set SCOPS_DATABASE_URL, or leave out --logins.",
            reason="NO_DATABASE_SERVER",
        )
    logins = []
    for part in parts:
        if not (part.stateful or part.reads_index):
            continue
        name = part.database or DATABASE_NAME
        logins.append(
            Login(
                name=schema_name(common.organisation_id, part.role.value),
                password=_password(folder / part.role.value),
                schema=state_address(common, name).schema,
                tables=() if part.stateful else READ_TABLES,
                functions=CLAIMS if part.role is Role.FETCHER else "",
            )
        )
    await ensure_logins(state_address(common, DATABASE_NAME), tuple(logins))
    return tuple(login.name for login in logins)


def _password(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise InvalidInput(
            f"There is no password of the database in {path}: {error.strerror or error}. "
            "Write one there (`deploy/secrets.sh` draws them).",
            reason="PASSWORD_MISSING",
        ) from error
