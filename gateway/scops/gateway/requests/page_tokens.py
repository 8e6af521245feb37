"""Page tokens: opaque, signed, and bound to the arguments they were given for (AIP-158)."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence

from scops.common.contract.errors import InvalidInput

KEY_BYTES = 32
MAC_BYTES = 16
TOKEN_CHARACTERS_MAX = 8192


class PageTokens:
    """Seals the cursor of a listing into a token and opens it again.

    Args:
        load_key: returns the secret of this installation, always the same; asked once.
    """

    def __init__(self, load_key: Callable[[], Awaitable[bytes]]) -> None:
        self._load_key = load_key
        self._key = b""

    async def seal(self, cursor: str, *, bound_to: Sequence[str]) -> str:
        """Returns the token of a cursor, or nothing for no cursor: the listing is at its end."""
        if not cursor:
            return ""
        data = cursor.encode()
        mac = await self._mac(data, bound_to)
        return base64.urlsafe_b64encode(mac + data).decode().rstrip("=")

    async def open(self, token: str, *, bound_to: Sequence[str]) -> str:
        """Returns the cursor of a token, or nothing for none: the listing begins.

        Raises:
            InvalidInput: the token is not ours, was altered, or belongs to other arguments.
        """
        if not token:
            return ""
        raw = _decoded(token)
        mac, data = raw[:MAC_BYTES], raw[MAC_BYTES:]
        if not hmac.compare_digest(mac, await self._mac(data, bound_to)):
            raise _refused()
        return data.decode()

    async def _mac(self, data: bytes, bound_to: Sequence[str]) -> bytes:
        if not self._key:
            self._key = await self._load_key()
        mac = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in (*(text.encode() for text in bound_to), data):
            mac.update(len(part).to_bytes(8, "big"))
            mac.update(part)
        return mac.digest()[:MAC_BYTES]


def _decoded(token: str) -> bytes:
    if len(token) > TOKEN_CHARACTERS_MAX:
        raise _refused()
    try:
        return base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise _refused() from error


def _refused() -> InvalidInput:
    return InvalidInput(
        "The page_token was not given out for these arguments. "
        "Repeat the call that gave it with only page_size changed, or start without a token.",
        reason="PAGE_TOKEN_INVALID",
        field="page_token",
    )
