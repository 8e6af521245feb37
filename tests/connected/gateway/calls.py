"""Calls of the gateway's stubs, and what their errors say."""

import asyncio
from typing import Any, cast

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from tests.fakes.worlds.gateway import DOCS

StatusCode = grpc.StatusCode


def create_request(scope_id: str = "docs", **changes: Any) -> scopes.CreateScopeRequest:
    """Builds a request for a scope over docs.example.org."""
    rule = scopes.ScopeRule(kind=scopes.ScopeRule.KIND_PREFIX, pattern="docs.example.org")
    values = {"rules": [rule], "seeds": [DOCS], **changes}
    return scopes.CreateScopeRequest(scope_id=scope_id, scope=scopes.Scope(**values))


async def failed(call: Any) -> grpc.aio.AioRpcError:
    """Returns the error that a call ends with."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


def detail(error: grpc.aio.AioRpcError, kind: Any) -> Any:
    """Returns the detail of one kind in a rich status, or None."""
    status = rpc_status.from_call(cast(Any, error))
    assert status is not None, "the status has no details"
    for packed in status.details:
        message = kind()
        if packed.Unpack(message):
            return message
    return None


def reason(error: grpc.aio.AioRpcError) -> str:
    """Returns the reason that an error's ErrorInfo names."""
    return str(detail(error, error_details_pb2.ErrorInfo).reason)


async def forever(request: RetrieveRequest) -> RetrieveResponse:
    """Answers a question later than anybody waits."""
    await asyncio.sleep(3600)
    raise AssertionError("nobody waits so long")


def ask_docs() -> search.SearchRequest:
    """Builds a question to the scope `docs`."""
    return search.SearchRequest(query="how often", scopes=["scopes/docs"])
