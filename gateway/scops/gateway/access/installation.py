"""What a caller may apart from any scope: checked before a use case runs, or by it."""

from collections.abc import Collection

from scops.common.access.permissions import ANYBODY, SCOPE_PERMISSIONS, Permission
from scops.common.access.principal import ANONYMOUS, Principal
from scops.common.access.visibility import may_in_installation
from scops.common.contract.errors import NotAuthenticated, NotPermitted


def check_caller(principal: Principal, permissions: Collection[Permission]) -> None:
    """Checks that a call may begin; what it takes in a scope its use case checks.

    Args:
        permissions: of the method; one of them is needed.

    Raises:
        NotAuthenticated: nobody has said who calls.
        NotPermitted: the caller may not do this in the installation.
    """
    if principal.principal_id == ANONYMOUS and not ANYBODY.issuperset(permissions):
        raise NotAuthenticated(
            "This needs an identity. Send `authorization: Bearer` and an API key or a token of "
            "your organisation's issuer; `scops login` gets one.",
            reason="CREDENTIAL_MISSING",
        )
    if SCOPE_PERMISSIONS.isdisjoint(permissions):
        for permission in permissions:
            check_installation(principal, permission)


def check_installation(principal: Principal, permission: Permission) -> None:
    """Checks that a caller may do something that belongs to no scope.

    Raises:
        NotPermitted: it may not.
    """
    if not may_in_installation(principal, permission):
        raise NotPermitted(
            f"This takes {permission}, which {principal.principal_id} has not got, or not with "
            "this credential. An administrator of the installation gives it.",
            reason="PERMISSION_MISSING",
            permission=permission.value,
        )
