"""Bodies that are signed, in place of a key that is sent: HMAC-SHA256 over what came.

Source: RFC 2104; the header is that of GitHub's webhooks, `X-Hub-Signature-256: sha256=<hex>`, and
its value that of WebSub's `X-Hub-Signature` (W3C Recommendation, section 8.1).
"""

import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from scops.common.contract.errors import NotAuthenticated
from scops.gateway.identity.api_key import ApiKey

SIGNATURE = "x-hub-signature-256"
# Of the query: the id of the key whose secret signs.
KEY_PARAMETER = "key"
SENT = ("authorization", "x-api-key")
SIGNATURE_FORM = re.compile(r"sha256=([0-9a-fA-F]{64})")
KEY_ID_FORM = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class SignedBody:
    """A body with who says to have signed it.

    Attributes:
        digest: HMAC-SHA256 as it was sent, in hexadecimal.
        read: returns the body as it came; the same each time.
    """

    key_id: str
    digest: str
    read: Callable[[], Awaitable[bytes]]

    async def is_of(self, kept: ApiKey) -> bool:
        """Returns whether a key signed the body, in a time that tells nothing of its secret."""
        expected = hmac.new(kept.signing_secret, await self.read(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected, self.digest)


def signed_body(
    headers: Mapping[str, str],
    query: Sequence[tuple[str, str]],
    read: Callable[[], Awaitable[bytes]],
) -> SignedBody | None:
    """Returns what says to be signed; None for a call that neither signs nor names a key.

    Args:
        headers: names in lower case.

    Raises:
        NotAuthenticated: the signature, or the key that it is of, is missing or has no such form.
    """
    signature = headers.get(SIGNATURE, "").strip()
    key_ids = [value for name, value in query if name == KEY_PARAMETER]
    if not signature and not key_ids:
        return None
    if any(headers.get(name) for name in SENT):
        raise NotAuthenticated(
            "The call is signed and carries another credential; send one of them.",
            reason="CREDENTIALS_TWO",
        )
    found = SIGNATURE_FORM.fullmatch(signature)
    if found is None or len(key_ids) != 1 or not KEY_ID_FORM.fullmatch(key_ids[0]):
        raise NotAuthenticated(
            "A signed call has the header X-Hub-Signature-256 with `sha256=` and the HMAC-SHA256 "
            "of the body in hexadecimal, and in its address `?key=` with the id of the signing "
            "key, as `scops key create --signing` says it.",
            reason="SIGNATURE_MALFORMED",
        )
    return SignedBody(key_ids[0], found[1].lower(), read)


def signature_refused() -> NotAuthenticated:
    """Returns the error of a signature that does not count; it is the same whatever is wrong."""
    return NotAuthenticated(
        "The signature does not count here: the key is unknown, revoked, has run out or signs "
        "nothing, or the body is not the one that was signed with its secret. Sign the bytes of "
        "the body as they are sent, or make another key (`scops key create --signing`).",
        reason="SIGNATURE_INVALID",
    )
