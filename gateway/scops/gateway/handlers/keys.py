"""Use cases of API keys: each is its maker's own, or of a service account."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.access.principal import SERVICE
from scops.common.access.visibility import may_in_installation
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole
from scops.gateway.access.installation import check_installation
from scops.gateway.calls import Call
from scops.gateway.handlers.identity import required
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.identity.api_key import ApiKey, new_secret, new_signing_secret
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size
from scops.gateway.requests.names import key_name
from scops.gateway.scopes.grants import checked_subject

NAME_CHARACTERS_MAX = 200
SCOPES_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedKey:
    """A key as its maker wants it.

    Attributes:
        principal_id: empty for the caller.
        role: UNSPECIFIED has no bound.
        scope_ids: none is for all.
        signing: whether it signs, instead of being sent.
    """

    principal_id: str
    display_name: str
    role: ScopeRole
    scope_ids: Sequence[ScopeId]
    expired_time: datetime | None
    signing: bool = False


async def create_key(ports: GatewayPorts, call: Call, *, wanted: WantedKey) -> tuple[ApiKey, str]:
    """Makes a key and returns it with its text, or with the secret that it signs with.

    Raises:
        InvalidInput: a bound cannot be used, or everybody is local here.
        NotFound: it is to be for a scope that there is not, or that is hidden.
        NotPermitted: it would be somebody else's, or outlive the key that makes it.
    """
    identity = required(ports)
    now = ports.clock.now()
    _check_end(call, wanted.expired_time, now)
    principal_id = _owner(call, wanted.principal_id)
    if len(wanted.display_name) > NAME_CHARACTERS_MAX or len(wanted.scope_ids) > SCOPES_MAX:
        raise InvalidInput(
            f"A key has a name of at most {NAME_CHARACTERS_MAX} characters and is for at most "
            f"{SCOPES_MAX} scopes.",
            reason="KEY_TOO_LARGE",
            field="key",
        )
    for scope_id in wanted.scope_ids:
        await scope_for(ports, call, scope_id, Permission.VIEW_SCOPE)
    secret_hash = b""
    if wanted.signing:
        key_id, text = new_signing_secret(identity.chance)
    else:
        key_id, text, secret_hash = new_secret(identity.chance)
    key = ApiKey(
        key_id=key_id,
        organisation_id=call.principal.organisation_id,
        principal_id=principal_id,
        display_name=wanted.display_name,
        secret_hash=secret_hash,
        signing_secret=text.encode() if wanted.signing else b"",
        role=wanted.role if wanted.role is not ScopeRole.UNSPECIFIED else ScopeRole.OWNER,
        scope_ids=tuple(sorted(set(wanted.scope_ids))),
        created_time=now,
        created_by=call.principal.principal_id,
        expired_time=wanted.expired_time,
    )
    await identity.store.add_key(key)
    return key, text


def _owner(call: Call, wanted: str) -> str:
    """Returns whose a new key is: its maker's, or that of a service account.

    Raises:
        InvalidInput: it is to be a person's, who makes their own, or nobody's.
        NotPermitted: the caller may not make keys of service accounts.
    """
    own = call.principal.principal_id
    principal_id = checked_subject(wanted or own, field="key.principal", groups=False)
    if principal_id == own:
        return own
    check_installation(call.principal, Permission.MANAGE_KEYS)
    if not principal_id.startswith(SERVICE):
        raise InvalidInput(
            f"A key of {principal_id} is made by that person. Name a service account, such as "
            "service:assistant.",
            reason="KEY_OF_ANOTHER",
            field="key.principal",
        )
    return principal_id


def _check_end(call: Call, end: datetime | None, now: datetime) -> None:
    if end is not None and end <= now:
        raise InvalidInput(
            "The key would have ended already. Give an expire_time that lies ahead, or none.",
            reason="KEY_ENDED",
            field="key.expire_time",
        )
    bound = call.key.expired_time if call.key is not None else None
    if bound is not None and (end is None or end > bound):
        raise NotPermitted(
            f"The key that you came in by ends at {bound:%Y-%m-%dT%H:%M:%SZ}; what it makes "
            "ends no later. Give an expire_time, or come in by another credential.",
            reason="KEY_OUTLIVES",
        )


async def list_keys(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[ApiKey, ...], str]:
    """Returns the caller's keys, newest first, everybody's for who manages them, and a token."""
    identity, principal = required(ports), call.principal
    everybody = may_in_installation(principal, Permission.MANAGE_KEYS)
    size = checked_page_size(page_size)
    bound_to = ("Keys", principal.organisation_id, principal.principal_id, str(everybody))
    found = await identity.store.keys(
        principal.organisation_id,
        principal_id="" if everybody else principal.principal_id,
        before=await ports.tokens.open(page_token, bound_to=bound_to),
        limit=size + 1,
    )
    cursor = found[size - 1].key_id if len(found) > size else ""
    return found[:size], await ports.tokens.seal(cursor, bound_to=bound_to)


async def revoke_key(ports: GatewayPorts, call: Call, *, key_id: str) -> ApiKey:
    """Ends a key: one's own, anybody's for who manages them; by a bounded key that key alone.

    Raises:
        NotFound: there is none, or it is somebody else's.
        NotPermitted: the caller came in by another key, which may not end this one.
    """
    identity, principal = required(ports), call.principal
    if call.key is None or call.key.key_id != key_id:
        check_installation(principal, Permission.MANAGE_OWN_KEYS)
    key = await identity.store.key(key_id)
    manages = may_in_installation(principal, Permission.MANAGE_KEYS)
    is_there = key is not None and key.organisation_id == principal.organisation_id
    if key is None or not is_there or not (manages or key.principal_id == principal.principal_id):
        raise NotFound(
            f"{key_name(key_id)} was not found, or is not yours. List the keys to see which there "
            "are.",
            reason="KEY_NOT_FOUND",
            field="name",
        )
    now = ports.clock.now()
    await identity.store.revoke_key(key_id, now=now)
    return replace(key, revoked_time=key.revoked_time or now)
