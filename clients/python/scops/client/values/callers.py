"""Who calls."""

from dataclasses import dataclass

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
