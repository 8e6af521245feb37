"""A login of the database a role: each has the rows of its own schema and nothing else."""

from pathlib import Path

import asyncpg
import pytest
from sqlalchemy.engine import make_url

from scops.change_detector.adapters import tables as change_tables
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.organisations import SCHEMA_PREFIX
from scops.common.contract.service_table import Role
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.postgres.logins import Login, ensure_logins
from scops.common.db.schema import schema_check
from scops.fetcher.adapters.sql import tables as fetcher_tables
from scops.indexer.adapters.tables import STORE_HEALTH
from scops.libraries.index.rows.head_reader import SqlHeadReader
from scops.libraries.index.rows.mirror_reader import SqlMirrorReader
from scops.standalone.process.database_logins import provision_logins
from scops.standalone.process.parts import PARTS, parts_of
from scops.standalone.process.roles import upgrade_schemas
from tests.connected.postgres.test_schemas import migrations_of
from tests.fakes.servers.postgres_states import OWNERS, PostgresStates

PASSWORD = "a password of some length for "
STATEFUL = ("fetcher", "change_detector", "indexer", "gateway")
WRITTEN = {
    "fetcher": fetcher_tables.page,
    "change_detector": change_tables.page,
    "indexer": STORE_HEALTH,
    "gateway": None,
}


@pytest.fixture
async def url(postgres: PostgresStates, tmp_path: Path) -> str:
    """A provisioned database with a login a role."""
    url = postgres.url()
    for role in Role:
        (tmp_path / role.value).write_text(PASSWORD + role.value)
    common = CommonSettings.model_validate({"data_dir": tmp_path, "database_url": url})
    for _ in range(2):
        await provision_logins(common, PARTS, tmp_path)
    return url


def _url(url: str, role: str) -> str:
    parsed = make_url(url).set(
        username=SCHEMA_PREFIX + role, password=PASSWORD + role.replace("_", "-")
    )
    return parsed.render_as_string(hide_password=False)


async def _connect(url: str, role: str) -> asyncpg.Connection:
    return await asyncpg.connect(_url(url, role))


async def _tables(connection: asyncpg.Connection, schema: str) -> list[str]:
    found = await connection.fetch(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = $1 AND c.relkind = 'r'",
        schema,
    )
    return [row["relname"] for row in found]


@pytest.mark.parametrize("name", STATEFUL)
async def test_a_role_has_every_row_of_its_schema(url: str, name: str) -> None:
    """It reads its revision and reads and writes all of its tables; so it becomes ready."""
    database = Database(Address(url=_url(url, name), schema=SCHEMA_PREFIX + name), name=name)
    check = schema_check(database, migrations_of(name), name=name, written=WRITTEN[name])
    assert None is await check.probe()
    await database.close()

    connection = await _connect(url, name)
    tables = await _tables(connection, SCHEMA_PREFIX + name)
    assert tables
    for table in tables:
        await connection.fetch(f"SELECT * FROM {SCHEMA_PREFIX}{name}.{table}")
        if table != "alembic_version":
            await connection.execute(f"DELETE FROM {SCHEMA_PREFIX}{name}.{table}")
    await connection.close()


@pytest.mark.parametrize("name", [*STATEFUL, "retriever"])
async def test_a_role_has_nothing_of_another(url: str, name: str) -> None:
    """Neither rows of another schema, nor a table of its own making, nor a login."""
    connection = await _connect(url, name)
    refused = [
        f"SELECT * FROM {SCHEMA_PREFIX}{other}.alembic_version" for other in OWNERS if other != name
    ]
    for statement in (
        *refused,
        f"CREATE TABLE {SCHEMA_PREFIX}{name.replace('retriever', 'indexer')}.mine (id int)",
        "CREATE TABLE public.mine (id int)",
        "CREATE TEMPORARY TABLE mine (id int)",
        "CREATE ROLE another LOGIN",
        "ALTER ROLE scops PASSWORD 'mine'",
        f"DROP TABLE {SCHEMA_PREFIX}indexer.head",
        f"UPDATE {SCHEMA_PREFIX}indexer.alembic_version SET version_num = 'x'",
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    await connection.close()


async def test_the_retriever_reads_what_it_needs_and_writes_nothing(url: str) -> None:
    """Its questions to the heads work; no row of the indexer changes by it."""
    address = Address(url=_url(url, "retriever"), schema="scops_indexer")
    database = Database(address, name="retriever")
    assert {} == dict(await SqlHeadReader(database).heads((PageId("page"),)))
    mirrors = SqlMirrorReader(database)
    assert {} == dict(await mirrors.wordings((ChunkId("chunk"),)))
    await database.close()

    connection = await _connect(url, "retriever")
    for statement in (
        "DELETE FROM scops_indexer.head",
        "UPDATE scops_indexer.chunk SET page_id=''",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    await connection.close()


async def test_a_wrong_password_is_refused(url: str) -> None:
    """The verifier that the provisioner makes is of the password in the file."""
    wrong = make_url(url).set(username="scops_gateway", password="x" * 20)

    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(wrong.render_as_string(hide_password=False))


async def test_a_later_schema_and_password_reach_the_login(
    postgres: PostgresStates, url: str, tmp_path: Path
) -> None:
    """A table that an upgrade adds is the role's after the provisioner has run again."""
    owner = await asyncpg.connect(url)
    await owner.execute("CREATE TABLE scops_gateway.added (id int)")
    await owner.close()
    (tmp_path / "gateway").write_text("another password, as long")
    common = CommonSettings.model_validate({"data_dir": tmp_path, "database_url": url})

    await provision_logins(common, parts_of((Role.GATEWAY,)), tmp_path)

    later = make_url(_url(url, "gateway")).set(password="another password, as long")
    connection = await asyncpg.connect(later.render_as_string(hide_password=False))
    await connection.execute("INSERT INTO scops_gateway.added VALUES (1)")
    await connection.close()


async def test_a_login_has_nothing_of_another_organisation(
    url: str, postgres: PostgresStates, tmp_path: Path
) -> None:
    """Two organisations in one database: schemas and logins of their own, both ways."""
    values = {"data_dir": tmp_path, "database_url": url, "organisation_id": "acme"}
    common = CommonSettings.model_validate(values)
    await upgrade_schemas(common, PARTS)
    await provision_logins(common, PARTS, tmp_path)
    password = PASSWORD + "gateway"
    for mine, foreign in (("", "acme_"), ("acme_", "")):
        login = make_url(url).set(username=f"scops_{mine}gateway", password=password)
        connection = await asyncpg.connect(login.render_as_string(hide_password=False))
        assert await _tables(connection, f"scops_{mine}gateway")
        await connection.fetch(f"SELECT * FROM scops_{mine}gateway.scope")
        for owner in OWNERS:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch(f"SELECT * FROM scops_{foreign}{owner}.alembic_version")
        await connection.close()


async def test_bad_input_is_a_clear_error(url: str, tmp_path: Path) -> None:
    """No server, no file, a short password, and a user that may make no logins."""
    files = CommonSettings.model_validate({"data_dir": tmp_path})
    server = CommonSettings.model_validate({"data_dir": tmp_path, "database_url": url})
    with pytest.raises(InvalidInput, match="SCOPS_DATABASE_URL"):
        await provision_logins(files, PARTS, tmp_path)
    with pytest.raises(InvalidInput, match="There is no password"):
        await provision_logins(server, PARTS, tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="at least 16"):
        Login(name="scops_gateway", password="short", schema="scops_gateway")
    address = Address(url=_url(url, "gateway"), schema="scops_gateway")
    login = Login(name="scops_more", password="x" * 16, schema="scops_gateway")
    with pytest.raises(StoreUnavailable, match="logins"):
        await ensure_logins(address, (login,))
