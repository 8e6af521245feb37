"""The key that evidence bundles are signed with: from the settings, or from a file of our own."""

import os
import secrets
from pathlib import Path

from scops.common.contract.errors import StoreUnavailable
from scops.explainer.answer.bundles import KEY_BYTES

OWNER_ONLY = 0o600


def bundle_key(configured: str, file: Path) -> bytes:
    """Returns the configured key, else that of the file, which is made where it is missing.

    Instances on several machines need the same configured key, or one cannot explain what
    another answered.

    Raises:
        StoreUnavailable: the file can be neither read nor made.
    """
    if configured:
        return configured.encode()
    try:
        return _read(file) or _made(file)
    except OSError as error:
        raise StoreUnavailable(
            f"The key {file} of evidence bundles cannot be read or made: {error.strerror}. Make "
            "its folder writable, or set SCOPS_EXPLAINER_BUNDLE_KEY.",
            reason="BUNDLE_KEY_UNAVAILABLE",
        ) from error


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
