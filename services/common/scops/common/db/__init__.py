"""Service state: SQLAlchemy async on SQLite or PostgreSQL, one file or schema a service."""

from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime

__all__ = ["Database", "UtcDateTime"]
