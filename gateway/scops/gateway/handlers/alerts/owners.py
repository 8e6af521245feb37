"""Who a watch or research sees for: its owner as they are now, within what they made it with."""

from dataclasses import replace

from scops.common.access.principal import LOCAL, Principal, local_principal
from scops.gateway.ports import GatewayPorts
from scops.gateway.research.research import Research
from scops.gateway.watches.watch import Watch


async def owner_of(ports: GatewayPorts, watch: Watch | Research) -> Principal | None:
    """Returns the owner of a watch or research; None where the API key that made it has ended.

    Groups and roles are what is kept of them now, so that what was taken back does not count.
    """
    identity = ports.identity
    if watch.principal_id == LOCAL and not identity.is_required:
        return local_principal(watch.organisation_id)
    now = ports.clock.now()
    if watch.bounds.key_id:
        key = await identity.store.key(watch.bounds.key_id)
        if key is None or not key.is_good(now):
            return None
    owner = Principal(
        principal_id=watch.principal_id,
        organisation_id=watch.organisation_id,
        limited_to=watch.bounds.limited_to,
        ceiling=watch.bounds.ceiling,
    )
    kept = await identity.store.membership(owner, now=now)
    return replace(owner, email=kept.email, groups=kept.groups, roles=kept.roles)
