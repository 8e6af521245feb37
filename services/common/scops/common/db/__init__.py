"""Service state: SQLAlchemy on SQLite or PostgreSQL, one file or schema a service."""

from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime

__all__ = ["Connection", "Database", "UtcDateTime"]
