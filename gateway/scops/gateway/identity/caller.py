"""Who a call comes from, and by what credential."""

from dataclasses import dataclass
from enum import StrEnum

from scops.common.access.principal import Principal
from scops.gateway.identity.api_key import ApiKey


class CredentialKind(StrEnum):
    """What a caller came in by."""

    LOCAL = "local"
    NONE = "none"
    KEY = "key"
    TOKEN = "token"
    PROXY = "proxy"


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal with its credential.

    Attributes:
        key: that it came in by; None for another credential.
    """

    principal: Principal
    kind: CredentialKind
    key: ApiKey | None = None
