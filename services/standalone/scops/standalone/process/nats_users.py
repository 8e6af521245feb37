"""The `authorization` block of a nats-server: a user a role, with hashed passwords."""

import json
import secrets
from pathlib import Path
from typing import Any

import bcrypt

from scops.common.bus.admin.permissions import Permissions, users
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.runtime.private_files import write_private

PASSWORD_BYTES = 32
PASSWORD_CHARACTERS_MIN = 16
# A server hashes at every connection; what makes these passwords safe is their length.
HASH_ROUNDS = 8
# The prefix that nats-server's bcrypt knows for certain.
HASH_PREFIX = b"2a"


def authorization(folder: Path, *, create: bool, previous: bool = False) -> str:
    """Returns the block to include in the configuration of a nats-server.

    Args:
        folder: a file a user, named as the user, which holds the password.
        create: whether missing passwords are drawn.
        previous: whether roles of the release before run beside.

    Raises:
        InvalidInput: a password is missing or short.
        StoreUnavailable: the folder cannot be read or written.
    """
    try:
        passwords = {one.user: _password(folder, one.user, create=create) for one in users()}
    except OSError as error:
        raise StoreUnavailable(
            f"The folder of passwords {folder} cannot be used: {error.strerror or error}.",
            reason="PASSWORDS_UNREADABLE",
        ) from error
    entries = [_entry(one, passwords[one.user]) for one in users(previous=previous)]
    return f"authorization {json.dumps({'users': entries}, indent=2)}\n"


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
