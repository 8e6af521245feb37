"""Runs a single step of a schema once more, over rows that were stored before it."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine


def rerun(path: Path, migrations_dir: Path, name: str) -> None:
    """Runs one step again, by the name of its file, on the SQLite database at `path`."""
    spec = spec_from_file_location(name, migrations_dir / "versions" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    step = module_from_spec(spec)
    spec.loader.exec_module(step)
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        step.upgrade()
    engine.dispose()
