"""Who calls, and how much they may."""

from dataclasses import dataclass
from datetime import datetime

from scops.client.values.words import CredentialKind, InstallationRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """As whom the gateway is asked, and what that may apart from any scope.

    Attributes:
        principal: `user:…`, `service:…`, `local` where nobody is asked who they are, or
            `anonymous`.
        permissions: apart from any scope, as docs/reference/permissions.md lists them.
    """

    principal: str = ""
    email: str = ""
    groups: tuple[str, ...] = ()
    roles: tuple[InstallationRole, ...] = ()
    permissions: tuple[str, ...] = ()
    credential: CredentialKind = CredentialKind.UNSPECIFIED
    organisation_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A quota of a principal, and what is used of it.

    Attributes:
        name: scopes | rules | pages | recrawls | fetches | bytes | checked_answers | model_cost.
        limit: 0 is none; of model_cost, as `used`, in millionths of the currency of prices.
        used: held, or spent today (UTC); jobs that run count what they may fetch.
        reset_time: when what was spent counts no more; None for what is held.
    """

    name: str = ""
    limit: int = 0
    used: int = 0
    reset_time: datetime | None = None
