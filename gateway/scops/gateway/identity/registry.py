"""What use cases work with of who may come in."""

import random
from dataclasses import dataclass, field

from scops.gateway.identity.issuer import Issuer
from scops.gateway.identity.store import IdentityStore


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRegistry:
    """The store of identities with what an operator says of them.

    Attributes:
        is_required: whether callers say who they are; else everybody is local.
        chance: makes secrets, and so must not be predictable outside of tests.
    """

    store: IdentityStore
    is_required: bool = False
    issuers: tuple[Issuer, ...] = ()
    chance: random.Random = field(default_factory=random.SystemRandom)
