"""Who calls.

A principal is named by subjects: its own id, its confirmed e-mail address and its groups. A scope
is shared with subjects, so that it may be shared with somebody who has never called yet.
"""

from dataclasses import dataclass
from enum import StrEnum

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole

LOCAL = "local"
# Whoever has not said who they are.
ANONYMOUS = "anonymous"
USER, SERVICE, GROUP = "user:", "service:", "group:"
# In the order of what they may.
ROLES_IN_ORDER = (
    ScopeRole.UNSPECIFIED,
    ScopeRole.VIEWER,
    ScopeRole.CONTRIBUTOR,
    ScopeRole.EDITOR,
    ScopeRole.OWNER,
)


class InstallationRole(StrEnum):
    """What a principal is in the installation, whatever scopes it has."""

    # Runs it: sees the definition of every scope, and purges beyond scopes.
    OPERATOR = "operator"
    # Says who may what: shares every scope, hands it on and deletes it.
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A caller.

    Attributes:
        principal_id: `user:…` or `service:…`, stable for ever; `local` without identity.
        email: confirmed by its issuer, in lower case; empty where none is.
        groups: names, without prefix.
        limited_to: the scopes that the credential is for; None for all.
        ceiling: the highest role that the credential lets its bearer have in a scope.
    """

    principal_id: str
    organisation_id: str
    email: str = ""
    groups: frozenset[str] = frozenset()
    roles: frozenset[InstallationRole] = frozenset()
    limited_to: frozenset[ScopeId] | None = None
    ceiling: ScopeRole = ScopeRole.OWNER

    @property
    def subjects(self) -> frozenset[str]:
        """Everything that a grant may name this principal by."""
        by_email = {f"{USER}{self.email}"} if self.email else set()
        return frozenset({self.principal_id, *by_email, *(f"{GROUP}{g}" for g in self.groups)})


def local_principal(organisation_id: str) -> Principal:
    """Returns the caller of an installation without identity, who may do everything."""
    return Principal(
        principal_id=LOCAL,
        organisation_id=organisation_id,
        roles=frozenset(InstallationRole),
    )


def anonymous_principal(organisation_id: str) -> Principal:
    """Returns a caller who has not said who they are, and may see nothing."""
    return Principal(principal_id=ANONYMOUS, organisation_id=organisation_id)
