"""The real gRPC server with identity: who comes in, as whom, and who does not any more."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2

from scops.api.v1alpha1 import identity_service_pb2 as identity
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.ids import monotonic_seconds
from tests.connected.gateway.calls import StatusCode, create_request, detail, failed, reason
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import ServedGateway, served_gateway

# By which what is taken back counts no longer, everywhere.
EFFECTIVE_SECONDS = 5.0


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> HeardClaims:
    return HeardClaims(monkeypatch)


@pytest.fixture
async def served(tmp_path: Path, heard: HeardClaims) -> AsyncIterator[ServedGateway]:
    async with served_gateway(tmp_path, identity="required") as opened:
        yield opened


def bearing(credential: str) -> Any:
    """Returns what a call carries."""
    return (("authorization", f"Bearer {credential}"),)


async def test_without_a_credential_nothing_but_who_one_is(served: ServedGateway) -> None:
    """The same error for what is there and what is not."""
    who = await served.identity.WhoAmI(identity.WhoAmIRequest())
    error = await failed(served.scopes.ListScopes(scopes.ListScopesRequest()))

    assert ("anonymous", identity.CREDENTIAL_KIND_NONE) == (who.principal, who.credential)
    assert (StatusCode.UNAUTHENTICATED, "CREDENTIAL_MISSING") == (error.code(), reason(error))


async def test_a_bounded_key_ends_itself_and_no_other(
    served: ServedGateway, heard: HeardClaims
) -> None:
    """So that a browser that is paired can forget its key for good."""
    request = identity.ClaimInstallationRequest(token=heard.tokens[0])
    first = bearing((await served.identity.ClaimInstallation(request)).key)
    bound = identity.Key(role=scopes.SCOPE_ROLE_EDITOR)
    asked = identity.CreateKeyRequest(key=bound)
    own = await served.identity.CreateKey(asked, metadata=first)
    other = await served.identity.CreateKey(asked, metadata=first)
    mine = bearing(own.secret)
    refused = await failed(
        served.identity.RevokeKey(identity.RevokeKeyRequest(name=other.key.name), metadata=mine)
    )
    ended = await served.identity.RevokeKey(
        identity.RevokeKeyRequest(name=own.key.name), metadata=mine
    )

    assert (StatusCode.PERMISSION_DENIED, "PERMISSION_MISSING") == (refused.code(), reason(refused))
    assert ended.key.HasField("revoke_time")


async def test_a_first_administrator_invites_others_by_keys(
    served: ServedGateway, heard: HeardClaims
) -> None:
    """From the printed token to a bounded key of a service account, which ends when it is told."""
    request = identity.ClaimInstallationRequest(token=heard.tokens[0])
    first = bearing((await served.identity.ClaimInstallation(request)).key)
    await served.scopes.CreateScope(create_request(), metadata=first)
    await served.scopes.CreateScope(create_request("other"), metadata=first)
    key = identity.Key(principal="service:robot", scopes=["scopes/docs"])
    made = await served.identity.CreateKey(identity.CreateKeyRequest(key=key), metadata=first)
    grant = scopes.Grant(subject="service:robot", role=scopes.SCOPE_ROLE_VIEWER)
    for name in ("scopes/docs", "scopes/other"):
        share = scopes.ShareScopeRequest(name=name, grant=grant)
        await served.scopes.ShareScope(share, metadata=first)
    robot = bearing(made.secret)
    seen = await served.scopes.ListScopes(scopes.ListScopesRequest(), metadata=robot)
    change = scopes.DeleteScopeRequest(name="scopes/docs")
    refused = await failed(served.scopes.DeleteScope(change, metadata=robot))
    await served.identity.RevokeKey(identity.RevokeKeyRequest(name=made.key.name), metadata=first)
    seconds = await until_refused(served, robot)

    assert ["scopes/docs"] == [one.name for one in seen.scopes]
    assert StatusCode.PERMISSION_DENIED is refused.code()
    assert seconds < EFFECTIVE_SECONDS


async def until_refused(served: ServedGateway, credential: Any) -> float:
    """Returns how long a credential goes on to count."""
    begun = monotonic_seconds()
    while await is_taken(served, credential):
        assert monotonic_seconds() < begun + 2 * EFFECTIVE_SECONDS
        await asyncio.sleep(0.1)
    return monotonic_seconds() - begun


async def is_taken(served: ServedGateway, credential: Any) -> bool:
    """Returns whether a credential counts."""
    try:
        await served.scopes.ListScopes(scopes.ListScopesRequest(), metadata=credential)
    except grpc.aio.AioRpcError as error:
        return "KEY_INVALID" != reason(error)
    return True


async def test_a_wrong_credential_is_refused_where_none_is_needed(served: ServedGateway) -> None:
    """Its bearer believes to be somebody."""
    call = served.identity.WhoAmI(identity.WhoAmIRequest(), metadata=bearing("sk_1_2"))
    error = await failed(call)

    assert (StatusCode.UNAUTHENTICATED, "TOKEN_INVALID") == (error.code(), reason(error))


async def test_a_spent_budget_says_when_to_come_again(tmp_path: Path, heard: HeardClaims) -> None:
    """RESOURCE_EXHAUSTED with RetryInfo, as clients expect it."""
    settings = {"identity": "required", "principal_units_per_second": 1.0}
    async with served_gateway(tmp_path, **settings) as served:
        calls = [served.identity.WhoAmI(identity.WhoAmIRequest()) for _ in range(11)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        (error,) = [one for one in ended if isinstance(one, grpc.aio.AioRpcError)]
        delay = detail(error, error_details_pb2.RetryInfo).retry_delay

        assert (StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED") == (error.code(), reason(error))
        assert 0 < delay.ToTimedelta().total_seconds() <= 1
