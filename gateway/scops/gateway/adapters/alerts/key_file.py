"""The key that encrypts targets, in a file, where an installation is one machine."""

import base64
import os
import random
from pathlib import Path

KEY_BYTES = 32
OWNER_ALONE = 0o600


def kept_key(path: Path, chance: random.Random) -> str:
    """Returns the key of a file, which is made at the first call.

    Args:
        chance: must not be predictable: `random.SystemRandom` outside of tests.

    Raises:
        OSError: the file can be neither read nor made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(path, flags, OWNER_ALONE)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        key = base64.urlsafe_b64encode(chance.randbytes(KEY_BYTES)).decode()
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    return key
