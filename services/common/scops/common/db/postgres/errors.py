"""What the errors of a PostgreSQL server mean, and what to do about them."""

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from scops.common.config.authority import certificate_problem
from scops.common.contract.store_faults import StoreFault

# By class: cardinality, a value, a constraint, state of a cursor or transaction, a statement or
# right, a limit of the program. What else a server says is not known as our fault, and passes.
OUR_CLASSES = frozenset(
    ("0A", "21", "22", "23", "24", "25", "26", "2B", "2D", "2F", "34", "42", "44", "54", "P0")
)
# Of these classes, all the same.
PASSING_STATES = {
    "0A000": "a cached plan of an earlier schema",
    "25006": "the server is a standby",
    "25P03": "the transaction idled too long",
}
NO_ROOM_STATES = ("53100", "53200")
NO_RIGHT_STATES = ("25006", "42501")
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
    # What fails while a connection is made comes as the driver's own error.
    cause = getattr(error, "orig", None) or error
    return str(getattr(cause, "sqlstate", None) or "")


def fault(error: BaseException) -> StoreFault | None:
    """Returns what is wrong with a server; None where the statement or its use is at fault."""
    state = state_of(error)
    if state in NO_ROOM_STATES:
        return StoreFault.FULL
    if state in NO_RIGHT_STATES:
        return StoreFault.READ_ONLY
    if state in MISCONFIGURED_STATES or state in PASSING_STATES:
        return StoreFault.AWAY
    if state:
        return None if state[:2] in OUR_CLASSES else StoreFault.AWAY
    if isinstance(error, PoolTimeout | OSError):
        return StoreFault.AWAY
    if isinstance(error, DBAPIError):
        # A value that the driver refuses never comes to the server.
        is_value = error.orig is not None and isinstance(error.orig.__cause__, ValueError)
        return None if is_value else StoreFault.AWAY
    return None if isinstance(error, SQLAlchemyError) else StoreFault.AWAY


def advice(error: BaseException) -> str:
    """Returns what to do where a server is away, busy, full or set up wrongly."""
    state = state_of(error)
    why = certificate_problem(error)
    if why:
        return f"The server is not trusted: {why}."
    if state in MISCONFIGURED_STATES:
        return MISCONFIGURED_STATES[state]
    if state in NO_ROOM_STATES:
        return "Make room on the server; the work is retried."
    if state in NO_RIGHT_STATES:
        return "Point SCOPS_DATABASE_URL at a server that takes writes; the work is retried."
    if isinstance(error, PoolTimeout):
        return "Every connection is in use: raise SCOPS_DATABASE_POOL_SIZE if this goes on."
    if isinstance(error, OSError):
        return "Check SCOPS_DATABASE_URL and that the server runs."
    return "Check that the server runs and has room; the work is retried."
