"""How the organisations of an installation are kept apart on the servers that they share.

A process belongs to one organisation. What it has on a server carries the organisation's name;
that of `main` carries none, so that an installation with one organisation has plain names.
"""

import re

from scops.common.contract.errors import PermanentError

MAIN = "main"
NAME = re.compile(r"^[a-z0-9][a-z0-9-]{0,31}$")
SCHEMA_PREFIX = "scops_"


def schema_name(organisation_id: str, name: str) -> str:
    """Returns a schema or login of a database server.

    No two meet: an organisation holds no `_`, and no service's name ends like another's.

    Args:
        name: of a database or role, such as `change-detector`.
    """
    owner = "" if organisation_id == MAIN else f"{organisation_id}-"
    return SCHEMA_PREFIX + f"{owner}{name}".replace("-", "_")


def session_owner(organisation_id: str) -> str:
    """Returns the first word of the names that sessions of a database server have."""
    return "scops" if organisation_id == MAIN else f"scops-{organisation_id}"


def bus_user(organisation_id: str, user: str) -> str:
    """Returns a user of the bus; every organisation but `main` has an account of its own."""
    return user if organisation_id == MAIN else f"{organisation_id}.{user}"


def role_of_user(user: str) -> str:
    """Returns the user within its organisation: a role or the provisioner."""
    return user.rpartition(".")[2]


def check_mine(said: str, *, organisation_id: str, what: str) -> None:
    """Refuses what says to be of another organisation.

    Args:
        what: begins the message, such as "The question".

    Raises:
        PermanentError: it does.
    """
    if said != organisation_id:
        raise PermanentError(
            f"{what} is of another organisation. Give each organisation users of its own on the "
            "bus (`scops nats-config --organisation`), and all of its processes the same "
            "SCOPS_ORGANISATION_ID.",
            reason="ORGANISATION_FOREIGN",
        )
