"""What checking a token costs, its issuer's keys being at hand."""

import statistics
import time

from scops.common.runtime.clock import SystemClock
from scops.gateway.identity.signing_keys import SigningKeys
from scops.gateway.identity.tokens import TokenVerifier
from tests.fakes.issuer import FakeIssuer

CHECKS = 500


async def token_check_ms() -> float:
    """Returns the median milliseconds of a check."""
    issuer, clock = FakeIssuer(), SystemClock()
    verifier = TokenVerifier(
        [issuer.settings],
        keys_of=lambda _: SigningKeys(issuer.key_set, clock),
        clock=clock,
        organisation_id="main",
    )
    token = issuer.token(issuer.claims(clock.now()))
    taken = []
    for _ in range(CHECKS):
        begun = time.perf_counter()
        await verifier.principal(token)
        taken.append(time.perf_counter() - begun)
    return 1000 * statistics.median(taken)
