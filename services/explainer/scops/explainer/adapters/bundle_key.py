"""The key that evidence bundles are signed with: from the settings, or from a file of our own."""

import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.organisations import MAIN
from scops.explainer.answer.bundles import KEY_BYTES

OWNER_ONLY = 0o600


def bundle_key(configured: str, file: Path, *, organisation_id: str) -> bytes:
    """Returns the configured key, else that of the file, which is made where it is missing.

    Instances on several machines need the same configured key, or one cannot explain what
    another answered. Each organisation has its own made of it (RFC 5869), so that several may be
    configured with one; that of `main` is the key itself.

    Raises:
        InvalidInput: the key has fewer than 32 bytes.
        StoreUnavailable: the file can be neither read nor made.
    """
    key = _configured_or_kept(configured, file)
    return key if organisation_id == MAIN else _of_organisation(key, organisation_id)


def _of_organisation(key: bytes, organisation_id: str) -> bytes:
    purpose = f"scops evidence bundles of {organisation_id}".encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose).derive(key)


def _configured_or_kept(configured: str, file: Path) -> bytes:
    if configured:
        return _checked(configured.encode(), "SCOPS_EXPLAINER_BUNDLE_KEY")
    try:
        return _checked(_read(file) or _made(file), str(file))
    except OSError as error:
        raise StoreUnavailable(
            f"The key {file} of evidence bundles cannot be read or made: {error.strerror}. Make "
            "its folder writable, or set SCOPS_EXPLAINER_BUNDLE_KEY.",
            reason="BUNDLE_KEY_UNAVAILABLE",
        ) from error


def _checked(key: bytes, where: str) -> bytes:
    """Refuses a key that is shorter than what its signature is worth (RFC 2104, section 3)."""
    if len(key) < KEY_BYTES:
        raise InvalidInput(
            f"The key of evidence bundles in {where} has {len(key)} bytes; take at least "
            f"{KEY_BYTES}, drawn by chance, such as `openssl rand -hex 32` gives.",
            reason="BUNDLE_KEY_SHORT",
        )
    return key


def _read(file: Path) -> bytes:
    return file.read_bytes() if file.exists() else b""


def _made(file: Path) -> bytes:
    file.parent.mkdir(parents=True, exist_ok=True)
    mine = file.with_name(f"{file.name}.{os.getpid()}")
    mine.touch(mode=OWNER_ONLY)
    mine.write_bytes(secrets.token_bytes(KEY_BYTES))
    try:
        # A link fails where another process was quicker: its key counts.
        os.link(mine, file)
    except FileExistsError:
        pass
    finally:
        mine.unlink()
    return file.read_bytes()
