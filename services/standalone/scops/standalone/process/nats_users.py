"""The users of a nats-server, with hashed passwords: a user a role, an account an organisation.

Subjects, streams, buckets and inboxes of one account are those of another in name alone, so that
nothing of an organisation is told apart by a name that somebody might forget. A server without
accounts keeps its streams as those of account `$G`, which has none beside others: `main`'s folder
there is renamed when a second organisation comes.
"""

import json
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import Any

import bcrypt

from scops.common.bus.admin.permissions import Permissions, users
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.organisations import MAIN, NAME, bus_user
from scops.common.runtime.private_files import write_private

PASSWORD_BYTES = 32
PASSWORD_CHARACTERS_MIN = 16
# A server hashes at every connection; what makes these passwords safe is their length.
HASH_ROUNDS = 8
# The prefix that nats-server's bcrypt knows for certain.
HASH_PREFIX = b"2a"


def authorization(
    folder: Path,
    *,
    create: bool,
    previous: bool = False,
    organisations: Collection[str] = (),
) -> str:
    """Returns the block to include in the configuration of a nats-server.

    Args:
        folder: a file a user, named as the user, which holds the password; those of another
            organisation than `main` in a folder of its name.
        create: whether missing passwords are drawn.
        previous: whether roles of the release before run beside.
        organisations: those that the installation has beside `main`.

    Raises:
        InvalidInput: a password is missing or short, or no organisation is called so.
        StoreUnavailable: the folder cannot be read or written.
    """
    _check_names(organisations)
    of_main = _users(folder, MAIN, create=create, previous=previous)
    if not organisations:
        return f"authorization {json.dumps({'users': of_main}, indent=2)}\n"
    accounts = {MAIN: of_main} | {
        name: _users(folder / name, name, create=create, previous=previous)
        for name in sorted(set(organisations))
    }
    block = {name: {"jetstream": "enabled", "users": held} for name, held in accounts.items()}
    return f"accounts {json.dumps(block, indent=2)}\n"


def _check_names(organisations: Collection[str]) -> None:
    for name in organisations:
        if name == MAIN or not NAME.fullmatch(name):
            raise InvalidInput(
                f"No organisation beside {MAIN} is called {name[:40]!r}: it takes 1 to 32 small "
                "letters, digits and dashes, and no dash first.",
                reason="ORGANISATION_NAME",
            )


def _users(
    folder: Path, organisation_id: str, *, create: bool, previous: bool
) -> list[dict[str, Any]]:
    """Returns the users of an organisation, whose names no two organisations share."""
    try:
        passwords = {one.user: _password(folder, one.user, create=create) for one in users()}
    except OSError as error:
        raise StoreUnavailable(
            f"The folder of passwords {folder} cannot be used: {error.strerror or error}.",
            reason="PASSWORDS_UNREADABLE",
        ) from error
    return [
        {**_entry(one, passwords[one.user]), "user": bus_user(organisation_id, one.user)}
        for one in users(previous=previous)
    ]


def _password(folder: Path, user: str, *, create: bool) -> str:
    path = folder / user
    if create and not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Without an end of line: it may be mounted or passed on as it is.
        write_private(path, secrets.token_urlsafe(PASSWORD_BYTES))
    if not path.exists():
        raise InvalidInput(
            f"There is no password for {user}: write one to {path}, or let `--create` draw it.",
            reason="PASSWORD_MISSING",
        )
    password = path.read_text().strip()
    if len(password) < PASSWORD_CHARACTERS_MIN:
        raise InvalidInput(
            f"The password in {path} has {len(password)} characters; "
            f"take at least {PASSWORD_CHARACTERS_MIN}.",
            reason="PASSWORD_SHORT",
        )
    return password


def _entry(one: Permissions, password: str) -> dict[str, Any]:
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(HASH_ROUNDS, prefix=HASH_PREFIX))
    permissions: dict[str, Any] = {
        "publish": {"allow": list(one.publish)},
        "subscribe": {"allow": list(one.subscribe)},
    }
    if one.answers:
        permissions["allow_responses"] = {"max": 1, "expires": "2m"}
    return {"user": one.user, "password": hashed.decode(), "permissions": permissions}
