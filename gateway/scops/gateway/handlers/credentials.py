"""Use cases of credentials: what a scope's pages of an origin are asked for with.

The scope says that there is one and in which access context it fetches; the fetcher alone has the
secret, which passes through here once and is kept nowhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import ScopeId, uuid7
from scops.common.contract.messages import crawl
from scops.common.contract.messages.crawl import (
    CredentialField,
    DropCredentialRequest,
    KeptCredential,
    ListCredentialsRequest,
    PutCredentialRequest,
    SecretKind,
)
from scops.common.contract.messages.types import Scope, ScopeCredential
from scops.common.query.ports import (
    DROP_CREDENTIAL,
    LIST_CREDENTIALS,
    PUT_CREDENTIAL,
    TEST_CREDENTIAL,
)
from scops.common.scope.contexts import credential_context
from scops.common.scope.urls import canonical_url, origin_of
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import change_scope, scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import about_field
from scops.gateway.requests.names import scope_name

ENTROPY_BYTES = 10
CREDENTIALS_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSecret:
    """A secret as its owner gives it; see `SecretKind` for the fields."""

    kind: SecretKind
    fields: Mapping[str, str] = field(repr=False)


async def put_credential(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    origin: str,
    secret: GivenSecret,
    expire_time: datetime | None,
) -> KeptCredential:
    """Has a scope's pages of an origin asked for with a credential from now on.

    The fetcher gets it first: a scope that names one which nobody has would have its pages
    blocked.

    Raises:
        InvalidInput: the origin is none, the secret cannot be sent, or there is no key to seal it.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not keep credentials for it.
        Conflict: others keep changing the scope.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.KEEP_CREDENTIALS)).scope
    checked = _origin(ports, origin)
    _check_room(scope, checked)
    now = ports.clock.now()
    drawn = credential_context(uuid7(now, ports.random.randbytes(ENTROPY_BYTES)))
    wanted = ScopeCredential(origin=checked, access_context=drawn)

    def change(scope: Scope) -> Scope:
        if _held(scope, checked) is not None:
            return scope
        return replace(scope, credentials=(*scope.credentials, wanted))

    request = PutCredentialRequest(
        scope_id=scope_id,
        origin=checked,
        access_context=(_held(scope, checked) or wanted).access_context,
        kind=secret.kind,
        fields=tuple(CredentialField(name=n, value=v) for n, v in secret.fields.items()),
        put_by=call.principal.principal_id,
        expire_time=expire_time,
    )
    await ask(ports, PUT_CREDENTIAL, request, call=call)
    stored = await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag="",
        permission=Permission.KEEP_CREDENTIALS,
        change=change,
        reason=f"a credential for {checked} was put",
    )
    held = _held(stored.scope, checked)
    assert held is not None, "the change put it there"
    if held.access_context != request.access_context:
        # Somebody else was first: the scope's context is the one that holds.
        request = replace(request, access_context=held.access_context)
        await ask(ports, PUT_CREDENTIAL, request, call=call)
    return KeptCredential(
        origin=checked,
        access_context=held.access_context,
        kind=secret.kind,
        put_by=request.put_by,
        put_time=now,
        expire_time=expire_time,
    )


async def list_credentials(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId
) -> tuple[KeptCredential, ...]:
    """Returns the credentials of a scope, by origin, without what is secret.

    Raises:
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not keep credentials for it.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.KEEP_CREDENTIALS)).scope
    request = ListCredentialsRequest(scope_id=scope_id)
    kept = (await ask(ports, LIST_CREDENTIALS, request, call=call)).credentials
    mine = {one.access_context for one in scope.credentials}
    return tuple(one for one in kept if one.access_context in mine)


async def delete_credential(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, origin: str
) -> None:
    """Forgets a credential; from the next revision of the scope on nobody reads what it fetched.

    Raises:
        NotFound: there is no such scope, it is hidden, or it has none for the origin.
        NotPermitted: the caller may not keep credentials for it.
        Conflict: others keep changing the scope.
    """
    checked = _origin(ports, origin)
    before = (await scope_for(ports, call, scope_id, Permission.KEEP_CREDENTIALS)).scope

    def change(scope: Scope) -> Scope:
        kept = tuple(one for one in scope.credentials if one.origin != checked)
        return replace(scope, credentials=kept)

    await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag="",
        permission=Permission.KEEP_CREDENTIALS,
        change=change,
        reason=f"the credential for {checked} was deleted",
    )
    request = DropCredentialRequest(scope_id=scope_id, origin=checked)
    dropped = (await ask(ports, DROP_CREDENTIAL, request, call=call)).dropped
    if not dropped and _held(before, checked) is None:
        raise _none_for(scope_id, checked)


async def test_credential(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId, uri: str
) -> crawl.TestCredentialResponse:
    """Returns what comes of asking for a page with the credential for its origin.

    Raises:
        InvalidInput: the URL is none.
        NotFound: there is no such scope, it is hidden, or it has no credential for the origin.
        NotPermitted: the caller may not keep credentials for it.
        TransientError: the host is being asked by somebody else.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.KEEP_CREDENTIALS)).scope
    with about_field("uri"):
        url = canonical_url(uri)
        ports.hosts.check(url, field="uri")
    held = _held(scope, origin_of(url))
    if held is None:
        raise _none_for(scope_id, origin_of(url))
    request = crawl.TestCredentialRequest(
        scope_id=scope_id, access_context=held.access_context, url=url
    )
    return await ask(ports, TEST_CREDENTIAL, request, call=call)


def _held(scope: Scope, origin: str) -> ScopeCredential | None:
    return next((one for one in scope.credentials if one.origin == origin), None)


def _origin(ports: GatewayPorts, text: str) -> str:
    """Returns the canonical form of an origin, which may end in a slash."""
    with about_field("origin"):
        url = canonical_url(text)
        ports.hosts.check(url, field="origin")
    origin = origin_of(url)
    if url != f"{origin}/":
        raise InvalidInput(
            f"A credential is for a whole origin, such as {origin}: leave out what follows it.",
            reason="CREDENTIAL_MALFORMED",
            field="origin",
        )
    return origin


def _check_room(scope: Scope, origin: str) -> None:
    if _held(scope, origin) is None and len(scope.credentials) >= CREDENTIALS_MAX:
        raise InvalidInput(
            f"{scope_name(scope.scope_id)} has {CREDENTIALS_MAX} credentials, which is as many as "
            "a scope may have. Delete one that it needs no more.",
            reason="CREDENTIALS_TOO_MANY",
            field="origin",
        )


def _none_for(scope_id: ScopeId, origin: str) -> NotFound:
    return NotFound(
        f"{scope_name(scope_id)} has no credential for {origin}. List its credentials to see "
        "which there are.",
        reason="CREDENTIAL_NOT_FOUND",
        field="origin",
        resource=scope_name(scope_id),
    )
