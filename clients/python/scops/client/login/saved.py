"""Logins that are kept: one a gateway, in a file that its owner alone reads.

~/.config/scops/logins.json     who is logged in where, mode 0600, in a folder of mode 0700
the keyring of the system       the tokens, where the extra `keyring` is installed and it works
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scops.client.errors import InvalidRequest, ScopsError
from scops.client.login import system_keyring
from scops.client.login.device_flow import Client, IssuedTokens

FILE, LOCK = "logins.json", "logins.lock"
OWNER_ONLY, FOLDER_MODE = 0o600, 0o700
OTHERS = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedLogin:
    """A login at one gateway."""

    issuer: str
    client: Client
    tokens: IssuedTokens
    in_keyring: bool = False


class Logins:
    """The logins of whoever owns a folder.

    Args:
        folder: made where it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / FILE

    @property
    def path(self) -> Path:
        """The file."""
        return self._file

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other commands from changing logins meanwhile: a refresh token counts once."""
        self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        handle = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def find(self, address: str) -> SavedLogin | None:
        """Returns the login at a gateway; None where there is none, or its tokens are gone.

        Raises:
            ScopsError: the file cannot be used, or others could read it.
        """
        described = self._read().get(address)
        if described is None:
            return None
        try:
            tokens = described["tokens"]
            if described["in_keyring"]:
                kept = system_keyring.load(address)
                if kept is None:
                    return None
                tokens = json.loads(kept)
            return SavedLogin(
                issuer=described["issuer"],
                client=Client(**described["client"]),
                tokens=IssuedTokens(**tokens),
                in_keyring=described["in_keyring"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise self._unusable(repr(error)) from error

    def save(self, address: str, login: SavedLogin, *, keyring: bool = True) -> SavedLogin:
        """Keeps a login, its tokens in the keyring where there is one.

        Args:
            keyring: whether it is tried at all.
        """
        tokens = asdict(login.tokens)
        kept = keyring and system_keyring.store(address, json.dumps(tokens))
        saved = replace(login, in_keyring=kept)
        described = asdict(saved)
        described["tokens"] = None if kept else tokens
        self._write({**self._read(), address: described})
        return saved

    def remove(self, address: str) -> bool:
        """Forgets the login at a gateway; False where there was none."""
        found = self._read()
        described = found.pop(address, None)
        if described is None:
            return False
        if described.get("in_keyring"):
            system_keyring.remove(address)
        self._write(found)
        return True

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            handle = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unusable(error.strerror or repr(error)) from error
        with os.fdopen(handle, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if mode & OTHERS:
                raise self._unusable(
                    "others could read it. Whoever did has its tokens: run `scops logout`, "
                    f"after `chmod 600 {self._file}`"
                )
            try:
                found = json.load(file)
            except ValueError as error:
                raise self._unusable(f"it is no JSON ({error})") from error
        if not isinstance(found, dict) or not all(isinstance(v, dict) for v in found.values()):
            raise self._unusable("it is no list of logins")
        return found

    def _write(self, logins: dict[str, dict[str, Any]]) -> None:
        # A temporary file has mode 0600 from its first moment on.
        handle, path = tempfile.mkstemp(dir=self._folder, prefix=f".{FILE}.")
        try:
            with os.fdopen(handle, "w") as file:
                json.dump(logins, file)
                file.flush()
                os.fsync(file.fileno())
            Path(path).replace(self._file)
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise

    def _unusable(self, why: str) -> ScopsError:
        return InvalidRequest(
            f"The logins in {self._file} cannot be used: {why}. Remove the file to begin anew.",
            reason="LOGINS_UNUSABLE",
        )


def own_logins() -> Logins:
    """Returns the logins of whoever runs the command."""
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Logins(Path(base).expanduser() / "scops")
