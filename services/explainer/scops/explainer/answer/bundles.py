"""Evidence bundles: what an answer was made of, signed so that it can be explained later.

Source: RFC 2104 (HMAC).
"""

import hmac
from hashlib import sha256

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import EvidenceBundle, SignedBundle

KEY_BYTES = 32
# Of passages and bundle in one reply, which the bus bounds at 512 KiB.
REPLY_BYTES_MAX = 448 * 1024


def seal_bundle(bundle: EvidenceBundle, key: bytes) -> bytes:
    """Returns a bundle with its signature, as it travels."""
    data = wire.encode(bundle)
    return wire.encode(SignedBundle(bundle=data, signature=_signature(data, key)))


def open_bundle(data: bytes, key: bytes) -> EvidenceBundle:
    """Returns the bundle that was sealed with a key.

    Raises:
        InvalidInput: it is no bundle, or was changed, or was sealed with another key.
    """
    try:
        signed = wire.decode(SignedBundle, data)
    except InvalidInput as error:
        raise _foreign() from error
    if not hmac.compare_digest(signed.signature, _signature(signed.bundle, key)):
        raise _foreign()
    return wire.decode(EvidenceBundle, signed.bundle)


def _signature(data: bytes, key: bytes) -> bytes:
    return hmac.new(key, data, sha256).digest()


def _foreign() -> InvalidInput:
    return InvalidInput(
        "The evidence bundle was not made by this installation, or was changed. Send it back as "
        "Answer returned it, or ask again.",
        reason="BUNDLE_INVALID",
        field="evidence_bundle",
    )
