"""Schema revisions are applied once, named, and checked before a service is ready."""

from pathlib import Path

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import text

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.db.database import Database, sqlite_url
from scops.common.db.migrate import current, upgrade
from scops.common.db.schema import head, schema_check

FIRST = '''
"""First."""
import sqlalchemy as sa
from alembic import op
revision = "0001"
down_revision = None
def upgrade() -> None:
    op.create_table("page", sa.Column("page_id", sa.String, primary_key=True))
def downgrade() -> None:
    op.drop_table("page")
'''
SECOND = '''
"""Second."""
import sqlalchemy as sa
from alembic import op
revision = "0002"
down_revision = "0001"
def upgrade() -> None:
    op.add_column("page", sa.Column("url", sa.String))
def downgrade() -> None:
    op.drop_column("page", "url")
'''


@pytest.fixture
def migrations(tmp_path: Path) -> Path:
    versions = tmp_path / "my migrations" / "versions"
    versions.mkdir(parents=True)
    (versions / "0001_first.py").write_text(FIRST)
    return versions.parent


async def _columns(url: str) -> list[str]:
    database = Database(url)
    async with database.reading() as connection:
        rows = (await connection.execute(text("SELECT name FROM pragma_table_info('page')"))).all()
    await database.close()
    return [row.name for row in rows]


async def test_upgrade_applies_every_revision_and_may_be_repeated(
    tmp_path: Path, migrations: Path
) -> None:
    """An upgrade ends at the head, from nothing, from behind, and from the head."""
    url = sqlite_url(tmp_path / "state" / "x.db")
    upgrade(url, migrations)
    upgrade(url, migrations)
    assert current(url, migrations) == "0001"
    (migrations / "versions" / "0002_second.py").write_text(SECOND)

    upgrade(url, migrations)

    assert current(url, migrations) == head(migrations) == "0002"
    assert await _columns(url) == ["page_id", "url"]


async def test_schema_check_names_the_remedy_until_the_schema_is_there(
    tmp_path: Path, migrations: Path
) -> None:
    """A service stays unready, and says what to run, until its schema is at the head."""
    url = sqlite_url(tmp_path / "x.db")
    database = Database(url)
    check = schema_check(database, migrations, name="fetcher")
    before = await check.probe()
    upgrade(url, migrations)

    after = await check.probe()

    assert before is not None
    assert "revision none" in before
    assert "scops provision" in before
    assert after is None
    await database.close()


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path, migrations: Path) -> None:
    """What is no database says so, without a driver's traceback at the edge."""
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, it is a text file that is long enough" * 20)

    with pytest.raises(StoreUnavailable, match="Migrating the database"):
        upgrade(f"sqlite:///{broken}", migrations)


async def test_the_version_before_goes_on_with_a_later_schema(
    tmp_path: Path, migrations: Path
) -> None:
    """Provisioning by the older of two versions leaves what the newer one has added."""
    url = sqlite_url(tmp_path / "x.db")
    newest = migrations / "versions" / "0002_second.py"
    newest.write_text(SECOND)
    upgrade(url, migrations)
    newest.unlink()
    upgrade(url, migrations)
    database = Database(url)

    assert current(url, migrations) == "0002"
    assert await schema_check(database, migrations, name="fetcher").probe() is None
    async with database.transaction() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '1003'"))
    with pytest.raises(PermanentError, match="later version"):
        upgrade(url, migrations)
    told = await schema_check(database, migrations, name="fetcher").probe()
    assert told is not None
    assert "1003" in told
    await database.close()


async def test_a_service_that_only_reads_tells_the_size_of_its_tables(
    tmp_path: Path, migrations: Path
) -> None:
    """It is measured where nobody asks whether the database takes writes, too."""
    url = sqlite_url(tmp_path / "x.db")
    upgrade(url, migrations)
    database = Database(url)

    assert await schema_check(database, migrations, name="of-a-reader").probe() is None
    assert REGISTRY.get_sample_value("scops_database_bytes", {"database": "of-a-reader"})
    await database.close()
