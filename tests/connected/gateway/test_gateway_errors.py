"""Errors as a caller of the stubs sees them: code, reason, field, delay, request id."""

import uuid
from pathlib import Path

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2

from scops.api.v1alpha1 import page_service_pb2 as pages
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.errors import PermanentError, TransientError
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.query.ports import RETRIEVE
from tests.connected.gateway.calls import (
    StatusCode,
    ask_docs,
    create_request,
    detail,
    failed,
    reason,
)
from tests.fakes.worlds.gateway import served_gateway


async def test_stale_etag_is_aborted(tmp_path: Path) -> None:
    """A conflict says ABORTED, the reason, and which resource."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        change = scopes.Scope(name="scopes/docs", page_limit=9, etag="stale")
        error = await failed(served.scopes.UpdateScope(scopes.UpdateScopeRequest(scope=change)))

        assert (StatusCode.ABORTED, "ETAG_MISMATCH") == (error.code(), reason(error))


async def test_malformed_pattern_names_its_field(tmp_path: Path) -> None:
    """INVALID_ARGUMENT carries ErrorInfo with our domain and the field in BadRequest."""
    async with served_gateway(tmp_path) as served:
        rule = scopes.ScopeRule(kind=scopes.ScopeRule.KIND_REGEX, pattern="https://a\\.org/((")
        error = await failed(served.scopes.CreateScope(create_request(rules=[rule])))
        info = detail(error, error_details_pb2.ErrorInfo)
        violation = detail(error, error_details_pb2.BadRequest).field_violations[0]

        assert StatusCode.INVALID_ARGUMENT is error.code()
        assert ("MALFORMED_RULE", "scops") == (info.reason, info.domain)
        assert "scope.rules[0].pattern" == violation.field


async def test_longest_error_fits_its_headers(tmp_path: Path) -> None:
    """An error about a URL of 2,000 characters still arrives with its details."""
    async with served_gateway(tmp_path) as served:
        seed = "https://elsewhere.org/" + "ä" * 300
        error = await failed(served.scopes.CreateScope(create_request(seeds=[seed])))

        assert "URL_OUTSIDE_SCOPE" == reason(error)


async def test_unknown_scope_is_not_found_or_hidden(tmp_path: Path) -> None:
    """The caller cannot tell absent from hidden."""
    async with served_gateway(tmp_path) as served:
        error = await failed(served.search.Search(ask_docs()))

        assert (StatusCode.NOT_FOUND, "SCOPE_NOT_FOUND") == (error.code(), reason(error))
        assert "or you may not see it" in str(error.details())


async def test_altered_page_token_is_refused(tmp_path: Path) -> None:
    """A token that we did not give out is INVALID_ARGUMENT."""
    async with served_gateway(tmp_path) as served:
        for scope_id in ("a", "b"):
            await served.scopes.CreateScope(create_request(scope_id))
        first = await served.scopes.ListScopes(scopes.ListScopesRequest(page_size=1))
        token = first.next_page_token[1:] + first.next_page_token[:1]
        error = await failed(
            served.scopes.ListScopes(scopes.ListScopesRequest(page_size=1, page_token=token))
        )

        assert (StatusCode.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID") == (error.code(), reason(error))


async def test_missing_service_is_unavailable_with_a_delay(tmp_path: Path) -> None:
    """What may succeed later says when to try again."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        error = await failed(served.search.Search(ask_docs()))
        retry = detail(error, error_details_pb2.RetryInfo)

        assert (StatusCode.UNAVAILABLE, "NO_RESPONDERS") == (error.code(), reason(error))
        assert 1 == retry.retry_delay.seconds


async def test_named_delay_reaches_the_caller(tmp_path: Path) -> None:
    """Where the cause names a delay, RetryInfo repeats it."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())

        async def busy(request: RetrieveRequest) -> RetrieveResponse:
            raise TransientError("The index rebuilds.", retry_after_seconds=7)

        served.answer(RETRIEVE, busy)
        error = await failed(served.search.Search(ask_docs()))

        assert 7 == detail(error, error_details_pb2.RetryInfo).retry_delay.seconds


async def test_bug_leaves_as_internal_without_its_inside(tmp_path: Path) -> None:
    """An error that nobody foresaw shows a request id and nothing else."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())

        class Broken:
            async def call(self, *arguments: object, **options: object) -> object:
                raise KeyError("password=hunter2")

        object.__setattr__(served.gateway.ports, "query_client", Broken())
        call = served.search.Search(ask_docs(), metadata=(("x-request-id", "mine-1"),))
        error = await failed(call)

        assert (StatusCode.INTERNAL, "INTERNAL") == (error.code(), reason(error))
        assert "mine-1" in str(error.details())
        assert "hunter2" not in str(error)
        assert "mine-1" == detail(error, error_details_pb2.RequestInfo).request_id


async def test_permanent_error_is_internal_with_its_reason(tmp_path: Path) -> None:
    """What repeating cannot cure says what it was."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())

        async def broken(request: RetrieveRequest) -> RetrieveResponse:
            raise PermanentError("A blob is missing.", reason="BLOB_MISSING")

        served.answer(RETRIEVE, broken)
        error = await failed(served.search.Search(ask_docs()))

        assert (StatusCode.INTERNAL, "BLOB_MISSING") == (error.code(), reason(error))


@pytest.mark.parametrize("given", ["mine-1", "", "has space", "x" * 300])
async def test_every_answer_has_a_request_id(tmp_path: Path, given: str) -> None:
    """The caller's id comes back when it is sound; else the call gets one of ours."""
    async with served_gateway(tmp_path) as served:
        metadata = (("x-request-id", given),) if given else ()
        call = served.scopes.ListScopes(scopes.ListScopesRequest(), metadata=metadata)
        await call
        returned = str((await call.trailing_metadata())["x-request-id"])

        assert (returned == "mine-1") if given == "mine-1" else uuid.UUID(returned).version == 7


async def test_impossible_instant_is_refused(tmp_path: Path) -> None:
    """A timestamp outside of time is the caller's error."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        request = ask_docs()
        request.as_of_time.CopyFrom(Timestamp(seconds=10**15))
        error = await failed(served.search.Search(request))

        assert "INSTANT_INVALID" == reason(error)


async def test_page_without_a_name_is_refused(tmp_path: Path) -> None:
    """The PageService speaks through the same errors."""
    async with served_gateway(tmp_path) as served:
        error = await failed(served.pages.GetPage(pages.GetPageRequest()))

        assert "PAGE_NOT_NAMED" == reason(error)
