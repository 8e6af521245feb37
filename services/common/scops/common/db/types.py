"""Column types that mean the same on SQLite and PostgreSQL."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Text
from sqlalchemy.types import TypeDecorator

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware instant, stored as microseconds since 1970 so that it compares everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:
        return None if value is None else (value - EPOCH) // MICROSECOND

    def process_result_value(self, value: int | None, dialect: Any) -> datetime | None:
        return None if value is None else EPOCH + value * MICROSECOND


class ForeignText(TypeDecorator[str]):
    """Text that somebody else wrote: U+0000, which PostgreSQL cannot hold, becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else value.replace("\0", "\ufffd")
