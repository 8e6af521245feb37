"""Use cases of roles in the installation, and of groups that are kept here."""

import re

from scops.common.access.principal import InstallationRole
from scops.common.contract.errors import Conflict, InvalidInput
from scops.gateway.calls import Call
from scops.gateway.handlers.identity import required
from scops.gateway.identity.store import Member
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.scopes.grants import checked_subject

GROUP_FORM = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


async def set_installation_role(
    ports: GatewayPorts,
    call: Call,
    *,
    subject: str,
    role: InstallationRole | None,
    remove: bool,
) -> None:
    """Gives a subject a role in the installation, or takes it back.

    Raises:
        InvalidInput: the subject names nobody, or the role is none.
        Conflict: nobody would be administrator then.
    """
    identity = required(ports)
    if role is None:
        wanted = " or ".join(one.value for one in InstallationRole)
        raise InvalidInput(
            f"The role is missing or unknown. Name {wanted}.", reason="ROLE_INVALID", field="role"
        )
    named = checked_subject(subject, field="subject")
    organisation_id = call.principal.organisation_id
    if not await identity.store.set_role(organisation_id, named, role, held=not remove):
        raise Conflict(
            f"{named} is the last administrator. Make somebody else administrator first.",
            reason="LAST_ADMINISTRATOR",
        )


async def set_group_member(
    ports: GatewayPorts, call: Call, *, group: str, subject: str, remove: bool
) -> None:
    """Puts somebody into a group that is kept here, or takes them out.

    Raises:
        InvalidInput: the group has no usable name, or the subject names nobody.
    """
    identity = required(ports)
    if not GROUP_FORM.fullmatch(group):
        raise InvalidInput(
            f"The group {group[:80]!r} cannot be used: 1 to 63 characters of a-z, 0-9 and -.",
            reason="GROUP_INVALID",
            field="group",
        )
    named = checked_subject(subject, field="subject", groups=False)
    await identity.store.set_group_member(
        call.principal.organisation_id, group, named, held=not remove
    )


async def list_members(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[Member, ...], str]:
    """Returns roles and groups by subject, and the next token."""
    identity, organisation_id = required(ports), call.principal.organisation_id
    size = checked_page_size(page_size)
    bound_to = ("Members", organisation_id, call.principal.principal_id)
    after = await ports.tokens.open(page_token, bound_to=bound_to)
    found = await identity.store.members(organisation_id, after=after, limit=size + 1)
    cursor = found[size - 1][0] if len(found) > size else ""
    shown = tuple(member for _, member in found[:size])
    return shown, await ports.tokens.seal(cursor, bound_to=bound_to)
