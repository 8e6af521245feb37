"""The keyring of the system, where the extra `keyring` is installed and a keyring is unlocked.

It is a place, not a promise: whatever fails there is as if there were none.
"""

from typing import Any

SERVICE = "scops"


def store(address: str, secret: str) -> bool:
    """Keeps a secret for a gateway; False where no keyring does."""
    keyring = _keyring()
    if keyring is None:
        return False
    try:
        keyring.set_password(SERVICE, address, secret)
        # Some keyrings cut what is long.
        return bool(keyring.get_password(SERVICE, address) == secret)
    except _failures():
        return False


def load(address: str) -> str | None:
    """Returns the secret for a gateway."""
    keyring = _keyring()
    if keyring is None:
        return None
    try:
        found: str | None = keyring.get_password(SERVICE, address)
    except _failures():
        return None
    return found


def remove(address: str) -> None:
    """Forgets the secret for a gateway."""
    keyring = _keyring()
    if keyring is None:
        return
    try:
        keyring.delete_password(SERVICE, address)
    except _failures():
        return


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        return None
    # A keyring without priority is none; one in the clear is worse than our file.
    found = keyring.get_keyring()
    return keyring if found.priority >= 1 else None


def _failures() -> tuple[type[Exception], ...]:
    from keyring.errors import KeyringError

    # Backends pass on what their systems raise: OSError, and pywin32's and D-Bus's own.
    return (KeyringError, OSError, RuntimeError, ValueError)
