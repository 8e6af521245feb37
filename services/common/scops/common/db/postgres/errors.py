"""What the errors of a PostgreSQL server mean, and what to do about them."""

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# By class: connection lost, transaction rolled back, no room, told to stop, the machine failed.
PASSING_CLASSES = ("08", "40", "53", "57", "58")
PASSING_STATES = {
    "0A000": "a cached plan of an earlier schema",
    "25006": "the server is a standby",
    "25P03": "the transaction idled too long",
}
# Rolled back for another transaction, or tired of waiting for it.
BUSY_STATES = ("40001", "40P01", "55P03")
# Text that UTF-8 has and PostgreSQL has not: U+0000.
UNSTORABLE_STATE = "22021"
# Nothing that trying the work again changes, but something that an operator does.
MISCONFIGURED_STATES = {
    "28000": "Check user and password in SCOPS_DATABASE_URL and the server's pg_hba.conf.",
    "28P01": "Check user and password in SCOPS_DATABASE_URL.",
    "3D000": "Create the database that SCOPS_DATABASE_URL names.",
    "3F000": "Run `scops provision`.",
    "42501": "Grant the user of SCOPS_DATABASE_URL what `scops provision` needs.",
    "42P01": "Run `scops provision`.",
}


def state_of(error: BaseException) -> str:
    """Returns the SQLSTATE of an error of the server; empty for any other."""
    return str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")


def advice(error: BaseException) -> str | None:
    """Returns what to do where a server is away, busy or set up wrongly; None for a bug."""
    if isinstance(error, PoolTimeout):
        return "Every connection is in use: raise SCOPS_DATABASE_POOL_SIZE if this goes on."
    if isinstance(error, OSError):
        return "Check SCOPS_DATABASE_URL and that the server runs."
    if not isinstance(error, DBAPIError):
        return None
    state = state_of(error)
    if state in MISCONFIGURED_STATES:
        return MISCONFIGURED_STATES[state]
    passing = state[:2] in PASSING_CLASSES or state in PASSING_STATES
    if passing or error.connection_invalidated or _is_closed(error):
        return "Check that the server runs and has room; the work is retried."
    return None


def _is_closed(error: DBAPIError) -> bool:
    """Returns whether the driver had no connection to begin with; it gives no state then."""
    return type(error.orig).__name__ == "InterfaceError" and "closed" in str(error.orig)
