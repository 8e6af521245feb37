"""What is wrong with a store that did not do what it was asked, as operators tell it apart.

What no adapter knows as our fault is the store's: its work is kept and waits, it is never buried.
"""

import errno
import sqlite3
from enum import StrEnum


class StoreFault(StrEnum):
    """Why a store did not do what it was asked."""

    # No answer, no connection, no time, no place among those who ask.
    AWAY = "away"
    # No room on its disk, in its memory or under a quota.
    FULL = "full"
    # It reads and does not write: a standby, a limit, a mount, a missing right.
    READ_ONLY = "read_only"
    # It answered with an error that nobody knows.
    REFUSED = "refused"


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.ENOMEM})
NO_RIGHT = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
# SQLite's primary result codes, the low byte of an extended one.
SQLITE_NO_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM})
SQLITE_NO_RIGHT = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH})
PRIMARY = 0xFF
# A statement, its values or our use of the driver; the rest is the file's or the disk's.
SQLITE_OURS = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    sqlite3.NotSupportedError,
)


def os_fault(error: BaseException) -> StoreFault:
    """Returns what an error of the operating system says of the store behind it."""
    code = error.errno if isinstance(error, OSError) else None
    if code in NO_ROOM:
        return StoreFault.FULL
    return StoreFault.READ_ONLY if code in NO_RIGHT else StoreFault.AWAY


def sqlite_fault(error: BaseException) -> StoreFault | None:
    """Returns what an error of SQLite says of its file; None where the statement is at fault."""
    if isinstance(error, SQLITE_OURS):
        return None
    code = getattr(error, "sqlite_errorcode", None)
    if code is None and isinstance(error.__cause__, sqlite3.Error):
        # A commit that several shared: the statement at fault was another's.
        return sqlite_fault(error.__cause__) or StoreFault.AWAY
    if code is None:
        return StoreFault.AWAY
    if code & PRIMARY in SQLITE_NO_ROOM:
        return StoreFault.FULL
    return StoreFault.READ_ONLY if code & PRIMARY in SQLITE_NO_RIGHT else StoreFault.AWAY
