"""The methods of the ScopeService that are about credentials, as rows."""

from typing import Any

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import SecretKind
from scops.common.scope.urls import canonical_url
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.method import Method
from scops.gateway.api.request_values import instant
from scops.gateway.handlers import credentials
from scops.gateway.handlers.credentials import GivenSecret
from scops.gateway.requests.limits import about_field
from scops.gateway.requests.names import scope_of


def _secret(request: Any) -> GivenSecret:
    which = request.WhichOneof("secret")
    if which is None:
        raise InvalidInput(
            "The request has no secret. Send one of header, basic, bearer, cookies, oauth_client "
            "and form.",
            reason="CREDENTIAL_MALFORMED",
            field="secret",
        )
    given = getattr(request, which)
    if which == "header":
        fields = {"name": given.header, "value": given.value}
    elif which == "cookies":
        fields = {one.cookie: one.value for one in given.cookies}
    elif which == "oauth_client":
        fields = {
            "token_url": _url(given.token_uri),
            "client_id": given.client_id,
            "client_secret": given.client_secret,
            "token_scope": given.token_scope,
        }
    elif which == "form":
        fields = {f"input:{one.input}": one.value for one in given.inputs}
        fields |= {"url": _url(given.login_uri), "password": given.password}
        fields |= {"shows": given.shows}
    else:
        fields = {one.name: getattr(given, one.name) for one in given.DESCRIPTOR.fields}
    return GivenSecret(kind=SecretKind(which), fields=fields)


def _url(text: str) -> str:
    with about_field("secret"):
        return canonical_url(text)


CREDENTIAL_METHODS = (
    Method(
        "PutCredential",
        credentials.put_credential,
        lambda request: {
            "scope_id": scope_of(request.name),
            "origin": request.origin,
            "secret": _secret(request),
            "expire_time": instant(request, "expire_time"),
        },
        permissions=(Permission.KEEP_CREDENTIALS,),
        read_only=False,
    ),
    Method(
        "ListCredentials",
        credentials.list_credentials,
        lambda request: {"scope_id": scope_of(request.name)},
        permissions=(Permission.KEEP_CREDENTIALS,),
    ),
    Method(
        "DeleteCredential",
        credentials.delete_credential,
        lambda request: {"scope_id": scope_of(request.name), "origin": request.origin},
        permissions=(Permission.KEEP_CREDENTIALS,),
        read_only=False,
    ),
    Method(
        "TestCredential",
        credentials.test_credential,
        lambda request: {"scope_id": scope_of(request.name), "uri": request.uri},
        permissions=(Permission.KEEP_CREDENTIALS,),
        cost=CallCost.SEARCH,
        read_only=False,
    ),
)
