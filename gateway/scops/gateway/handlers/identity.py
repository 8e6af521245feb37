"""Use cases of identity: who calls, and who becomes the first administrator."""

import random
from dataclasses import dataclass
from datetime import timedelta

from scops.common.access.permissions import Permission
from scops.common.access.principal import SERVICE, InstallationRole, Principal
from scops.common.access.visibility import may_in_installation
from scops.common.contract.errors import InvalidInput, NotPermitted
from scops.gateway.calls import Call
from scops.gateway.identity.api_key import ApiKey, new_secret
from scops.gateway.identity.caller import CredentialKind
from scops.gateway.identity.first_administrator import LASTS, claim_hash
from scops.gateway.identity.issuer import Issuer
from scops.gateway.identity.registry import IdentityRegistry
from scops.gateway.ports import GatewayPorts

# Whose key it is that somebody without a credential gets by the first claim.
FIRST_ADMINISTRATOR = f"{SERVICE}first-administrator"
CLAIM_CHARACTERS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoAmI:
    """A caller as it is shown itself."""

    principal: Principal
    permissions: tuple[Permission, ...]
    kind: CredentialKind
    issuers: tuple[Issuer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """Who is administrator from now on.

    Attributes:
        key: of the service account that was made; empty where the caller has a credential.
    """

    principal: str
    key: str = ""


async def who_am_i(ports: GatewayPorts, call: Call) -> WhoAmI:
    """Returns who calls, and by whom one may be confirmed here."""
    return WhoAmI(
        principal=call.principal,
        permissions=tuple(one for one in Permission if may_in_installation(call.principal, one)),
        kind=call.kind,
        issuers=ports.identity.issuers,
    )


async def claim_installation(ports: GatewayPorts, call: Call, *, token: str) -> Claimed:
    """Makes the caller administrator and operator, by the token of a start without any.

    Raises:
        InvalidInput: everybody is local here.
        NotPermitted: the token does not count, or somebody was faster.
    """
    identity = required(ports)
    now = ports.clock.now()
    principal_id, text, key = call.principal.principal_id, "", None
    if call.kind is CredentialKind.NONE:
        principal_id = FIRST_ADMINISTRATOR
        text, key = _key(identity.chance, call, principal_id, ports)
    roles = tuple(InstallationRole)
    if len(token) > CLAIM_CHARACTERS_MAX or not await identity.store.claim(
        call.principal.organisation_id,
        claim_hash(token),
        principal_id,
        roles,
        key=key,
        offered_after=now - LASTS,
    ):
        raise NotPermitted(
            "The token does not make you administrator: it is none of the last "
            f"{LASTS // timedelta(hours=1)} hours, or somebody is administrator already. A start "
            "of the gateway without any administrator prints one in its log.",
            reason="CLAIM_REFUSED",
        )
    return Claimed(principal=principal_id, key=text)


def required(ports: GatewayPorts) -> IdentityRegistry:
    """Returns what is kept of who may come in.

    Raises:
        InvalidInput: everybody is local here.
    """
    if not ports.identity.is_required:
        raise InvalidInput(
            "Everybody is `local` here, so that keys, groups and roles mean nothing. Start the "
            "gateway with SCOPS_GATEWAY_IDENTITY=required.",
            reason="IDENTITY_OFF",
        )
    return ports.identity


def _key(
    chance: random.Random, call: Call, principal_id: str, ports: GatewayPorts
) -> tuple[str, ApiKey]:
    key_id, text, secret_hash = new_secret(chance)
    key = ApiKey(
        key_id=key_id,
        organisation_id=call.principal.organisation_id,
        principal_id=principal_id,
        display_name="of the first administrator",
        secret_hash=secret_hash,
        created_time=ports.clock.now(),
        created_by=principal_id,
    )
    return text, key
