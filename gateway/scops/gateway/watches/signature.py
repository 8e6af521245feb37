"""Signatures of webhooks, as Standard Webhooks 1.0 has them: HMAC-SHA256 over id, time and body.

A receiver computes the same, compares in constant time, and refuses what is older than some
minutes: https://github.com/standard-webhooks/standard-webhooks.
"""

import base64
import hashlib
import hmac
import random
from collections.abc import Mapping
from datetime import datetime

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret(chance: random.Random) -> str:
    """Returns a secret to sign with.

    Args:
        chance: must not be predictable: `random.SystemRandom` outside of tests.
    """
    return PREFIX + base64.b64encode(chance.randbytes(SECRET_BYTES)).decode()


def signed_headers(
    delivery_id: str, body: bytes, *, secret: str, now: datetime
) -> Mapping[str, str]:
    """Returns the headers by which a receiver knows who sent a body, when, and under which id."""
    moment = str(int(now.timestamp()))
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b".".join((delivery_id.encode(), moment.encode(), body))
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{digest}",
    }
