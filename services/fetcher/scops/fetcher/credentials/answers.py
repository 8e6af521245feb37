"""What is answered about credentials: kept, dropped and listed, and never told."""

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import (
    DropCredentialRequest,
    DropCredentialResponse,
    ListCredentialsRequest,
    ListCredentialsResponse,
    PutCredentialRequest,
    PutCredentialResponse,
    SecretKind,
)
from scops.common.scope.contexts import is_credential_context
from scops.common.scope.urls import canonical_url, origin_of
from scops.fetcher.credentials.sealing import CredentialPlace
from scops.fetcher.credentials.secret import Secret, check_secret
from scops.fetcher.ports.fetcher import FetcherPorts


async def put_credential(
    request: PutCredentialRequest, ports: FetcherPorts
) -> PutCredentialResponse:
    """Keeps a credential, sealed, in place of what the scope had for the origin.

    Raises:
        InvalidInput: it cannot be sent, is of no origin or context, is over, or no key seals it.
    """
    now = ports.clock.now()
    secret = Secret(kind=request.kind, fields={one.name: one.value for one in request.fields})
    check_secret(secret)
    _check_form_origin(secret, request.origin)
    if not _is_origin(request.origin) or not is_credential_context(request.access_context):
        raise InvalidInput(
            "A credential is for one origin, such as https://docs.example.org, and has an access "
            "context of its own.",
            reason="CREDENTIAL_MALFORMED",
            field="origin",
        )
    if request.expire_time is not None and request.expire_time <= now:
        raise InvalidInput(
            "The credential has expired already. Name a later instant, or none.",
            reason="CREDENTIAL_MALFORMED",
            field="expire_time",
        )
    place = CredentialPlace(
        organisation_id=ports.organisation_id,
        scope_id=request.scope_id,
        access_context=request.access_context,
        origin=request.origin,
    )
    await ports.credentials.put(
        secret, place, put_by=request.put_by, expire_time=request.expire_time, now=now
    )
    return PutCredentialResponse()


async def drop_credential(
    request: DropCredentialRequest, ports: FetcherPorts
) -> DropCredentialResponse:
    """Forgets a credential."""
    named = (ports.organisation_id, request.scope_id, request.origin)
    return DropCredentialResponse(dropped=await ports.credentials.drop(*named))


async def list_credentials(
    request: ListCredentialsRequest, ports: FetcherPorts
) -> ListCredentialsResponse:
    """Lists the credentials of a scope, without what is secret."""
    kept = await ports.credentials.of_scope(ports.organisation_id, request.scope_id)
    return ListCredentialsResponse(credentials=tuple(kept))


def _check_form_origin(secret: Secret, origin: str) -> None:
    if secret.kind is SecretKind.FORM and origin_of(secret.fields["url"]) != origin:
        raise InvalidInput(
            f"The page of a login is one of the credential's own origin, {origin}. Where a login "
            "is elsewhere, put the cookies that it gives.",
            reason="CREDENTIAL_MALFORMED",
            field="secret",
        )


def _is_origin(text: str) -> bool:
    try:
        return origin_of(canonical_url(text)) == text
    except InvalidInput:
        return False
