"""The migrations make the tables that the code declares."""

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from scops.common.db.migrate import upgrade
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.service import MIGRATIONS


def test_migrated_schema_equals_the_declared_one(tmp_path: Path) -> None:
    """Nothing is declared that no migration makes, and the other way round."""
    path = tmp_path / "gateway.db"
    upgrade(f"sqlite:///{path}", MIGRATIONS)
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = [
            difference
            for difference in compare_metadata(context, metadata)
            if "alembic_version" not in str(difference)
        ]
    engine.dispose()

    assert [] == differences
