"""Roles in a scope, as the command writes and takes them."""

from enum import StrEnum

from scops.api.v1alpha1 import scope_service_pb2 as pb

PREFIX = "SCOPE_ROLE_"


class RoleName(StrEnum):
    """A role in a scope; each may what the one before it may."""

    VIEWER = "viewer"
    CONTRIBUTOR = "contributor"
    EDITOR = "editor"
    OWNER = "owner"


def role_value(role: RoleName) -> pb.ScopeRole.ValueType:
    """Returns a role as the API has it."""
    return pb.ScopeRole.Value(f"{PREFIX}{role.name}")


def role_name(role: int) -> str:
    """Returns a role as the command takes it, a dash for none."""
    if not role:
        return "–"
    found = pb.ScopeRole.DESCRIPTOR.values_by_number.get(role)
    return str(found.name).removeprefix(PREFIX).lower() if found else "unknown"
