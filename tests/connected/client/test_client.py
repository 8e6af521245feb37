"""The Python client against the real gRPC server, without identity and with it."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

from scops.client import (
    AsyncScops,
    Boundary,
    Conflict,
    CredentialKind,
    DeadlineExceeded,
    Exhausted,
    Grant,
    InvalidRequest,
    JobState,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    RuleKind,
    ScopeRole,
    ScopeRule,
    Scops,
    Unavailable,
)
from scops.common.contract.errors import TransientError
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.query.ports import RETRIEVE
from tests.connected.gateway.calls import forever
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import DOCS, ServedGateway, served_gateway

Result = TypeVar("Result")
DOCS_RULE = ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org")


@pytest.fixture(autouse=True)
def nobody_is_logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("SCOPS_TOKEN", raising=False)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[ServedGateway]:
    async with served_gateway(tmp_path) as opened:
        yield opened


@pytest.fixture
async def asking(served: ServedGateway) -> AsyncIterator[AsyncScops]:
    async with AsyncScops(served.gateway.address) as scops:
        yield scops


async def waiting(served: ServedGateway, ask: Callable[[Scops], Result], **options: Any) -> Result:
    """Returns what somebody gets who asks from a thread, while the gateway serves in this one."""

    def work() -> Result:
        with Scops(served.gateway.address, **options) as scops:
            return ask(scops)

    return await asyncio.to_thread(work)


async def test_a_scope_lives_through_its_whole_life(served: ServedGateway) -> None:
    """Created, read, changed, shared, looked back on, and removed, by values alone."""

    def life(scops: Scops) -> list[Any]:
        made = scops.create_scope("docs", seeds=[DOCS], boundary=Boundary.HOST, page_limit=5)
        changed = scops.update_scope(made, etag=made.etag, reason="more", page_limit=9)
        shared = scops.share_scope(
            "docs", Grant(subject="user:ann@example.org", role=ScopeRole.VIEWER)
        )
        revisions = list(scops.list_scope_revisions("docs"))
        fork = scops.fork_scope(changed, "fork")
        scops.delete_scope("scopes/docs")
        left = [scope.name for scope in scops.list_scopes()]
        return [made, changed, shared, revisions, fork, left]

    made, changed, shared, revisions, fork, left = await waiting(served, life)

    assert (Boundary.HOST, 5, (DOCS,)) == (made.boundary, made.page_limit, made.seeds)
    assert made.create_time.tzinfo is UTC
    assert (9, (DOCS,)) == (changed.page_limit, changed.seeds)
    assert ScopeRole.VIEWER is shared.grants[0].role
    assert ["", "more"] == [one.reason for one in revisions][:2]
    assert changed.rules == fork.rules
    assert ["scopes/fork"] == left


async def test_an_event_loop_asks_the_same(asking: AsyncScops) -> None:
    """Of one description of the methods."""
    await asking.create_scope("docs", rules=[DOCS_RULE], seeds=[DOCS])
    scope = await asking.get_scope("docs")
    job = await asking.crawl(scope)
    found = await asking.get_job(job)
    await asking.cancel_job(job)
    jobs = [one async for one in asking.list_jobs("docs")]
    caller = await asking.whoami()
    quotas = await asking.get_quotas()

    assert (DOCS_RULE,) == scope.rules
    assert (JobState.QUEUED, False) == (found.job.state, found.job.has_ended)
    assert "fetcher" in found.outcomes_missing_reason
    assert [job.name] == [one.name for one in jobs]
    assert ("local", CredentialKind.LOCAL) == (caller.principal, caller.credential)
    assert 1 == next(quota.used for quota in quotas if quota.name == "scopes")


async def test_lists_are_read_page_by_page(served: ServedGateway, asking: AsyncScops) -> None:
    """As far as they are iterated over, in both clients."""
    names = [f"docs-{number}" for number in range(5)]
    for name in names:
        await asking.create_scope(name, rules=[DOCS_RULE], seeds=[DOCS])
    waited = await waiting(served, lambda scops: list(scops.list_scopes(page_size=2)))
    first = await waiting(served, lambda scops: next(scops.list_scopes(page_size=2)))
    awaited = [scope async for scope in asking.list_scopes(page_size=2)]

    assert [f"scopes/{name}" for name in names] == [scope.name for scope in waited]
    assert waited == awaited
    assert waited[0] == first


async def test_errors_say_what_to_do(asking: AsyncScops) -> None:
    """By class, reason, field and message, and by what the log knows the call by."""
    made = await asking.create_scope("docs", rules=[DOCS_RULE], seeds=[DOCS])
    await asking.update_scope(made, page_limit=3)
    with pytest.raises(Conflict) as stale:
        await asking.update_scope(made, etag=made.etag, page_limit=4)
    with pytest.raises(NotFound) as absent:
        await asking.search("owls", "nowhere")
    bad = ScopeRule(kind=RuleKind.REGEX, pattern="https://a\\.org/((")
    with pytest.raises(InvalidRequest) as malformed:
        await asking.create_scope("bad", rules=[bad], seeds=[DOCS])

    assert "ETAG_MISMATCH" == stale.value.reason
    assert ("SCOPE_NOT_FOUND", "NOT_FOUND") == (absent.value.reason, absent.value.code)
    assert "or you may not see it" in absent.value.message
    assert absent.value.request_id
    assert ("MALFORMED_RULE", "scope.rules[0].pattern") == (
        malformed.value.reason,
        malformed.value.field,
    )


async def test_a_question_waits_out_what_passes(served: ServedGateway, asking: AsyncScops) -> None:
    """The gateway says when to come again, and the client comes."""
    asked: list[RetrieveRequest] = []

    async def reply(request: RetrieveRequest) -> RetrieveResponse:
        asked.append(request)
        if len(asked) < 3:
            raise TransientError("not yet", reason="INDEX_UNAVAILABLE", retry_after_seconds=0.2)
        return RetrieveResponse(shortfall_reason="nothing there")

    served.answer(RETRIEVE, reply)
    await asking.create_scope("docs", rules=[DOCS_RULE], seeds=[DOCS])
    found = await asking.search("owls", "docs", as_of=datetime(2026, 3, 1, tzinfo=UTC))

    assert "nothing there" == found.shortfall_reason
    assert [datetime(2026, 3, 1, tzinfo=UTC)] * 3 == [one.as_of_time for one in asked]


async def test_a_call_that_stays_unanswered_ends_in_its_time(
    served: ServedGateway, asking: AsyncScops
) -> None:
    """For both clients, and for what is given up the last error is told."""
    served.answer(RETRIEVE, forever)
    await asking.create_scope("docs", rules=[DOCS_RULE], seeds=[DOCS])
    with pytest.raises(DeadlineExceeded):
        await asking.with_timeout(0.5).search("owls", "docs")
    with pytest.raises(DeadlineExceeded):
        await waiting(served, lambda scops: scops.search("owls", "docs"), timeout=0.5)


async def test_a_gateway_that_is_not_there_says_how_to_start_it() -> None:
    """After the attempts that the time allows."""
    async with AsyncScops("127.0.0.1:1", timeout=1.0) as scops:
        with pytest.raises(Unavailable, match="scops up") as caught:
            await scops.whoami()

    assert "GATEWAY_UNAVAILABLE" == caught.value.reason


async def test_a_job_is_waited_for_until_it_ends(served: ServedGateway, asking: AsyncScops) -> None:
    """Or as long as the caller wants to wait; the job goes on."""
    await asking.create_scope("docs", rules=[DOCS_RULE], seeds=[DOCS])
    job = await asking.crawl("docs")
    with pytest.raises(DeadlineExceeded) as caught:
        await asking.wait_job(job, seconds=0.5)

    assert "JOB_RUNNING" == caught.value.reason


async def test_a_spent_budget_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More at once than a budget holds is answered too; in a hurry, the error says when."""
    HeardClaims(monkeypatch)
    settings = {"identity": "required", "principal_units_per_second": 2.0}
    async with (
        served_gateway(tmp_path, **settings) as served,
        AsyncScops(served.gateway.address) as asking,
    ):
        found = await asyncio.gather(*(asking.whoami() for _ in range(24)))
        hasty = [asking.with_timeout(2.0).whoami() for _ in range(24)]
        ended = await asyncio.gather(*hasty, return_exceptions=True)
    refused = [one for one in ended if isinstance(one, Exhausted)]

    assert {"anonymous"} == {one.principal for one in found}
    assert refused
    assert all(one.retry_after for one in refused)


async def test_a_key_says_who_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given, or from the environment; without one nothing is answered, and rights are kept."""
    heard = HeardClaims(monkeypatch)
    async with served_gateway(tmp_path, identity="required") as served:
        key, robot = await _keys(served, heard)
        async with AsyncScops(served.gateway.address) as nobody:
            with pytest.raises(NotAuthenticated) as missing:
                await nobody.get_scope("docs")
        await waiting(
            served,
            lambda scops: scops.create_scope("docs", rules=[DOCS_RULE], seeds=[DOCS]),
            token=key,
        )
        grant = Grant(subject="service:robot", role=ScopeRole.VIEWER)
        await waiting(served, lambda scops: scops.share_scope("docs", grant), token=key)
        monkeypatch.setenv("SCOPS_TOKEN", robot)
        async with AsyncScops(served.gateway.address) as reader:
            caller, seen = await reader.whoami(), await reader.get_scope("docs")
            with pytest.raises(NotPermitted):
                await reader.delete_scope("docs")
        with pytest.raises(NotAuthenticated) as wrong:
            await waiting(served, lambda scops: scops.whoami(), token="sk_1_2")

    assert ("CREDENTIAL_MISSING", "TOKEN_INVALID") == (missing.value.reason, wrong.value.reason)
    assert ("service:robot", CredentialKind.KEY) == (caller.principal, caller.credential)
    assert ScopeRole.VIEWER is seen.role


async def _keys(served: ServedGateway, heard: HeardClaims) -> tuple[str, str]:
    """Returns keys of the first administrator and of a robot."""
    from scops.api.v1alpha1 import identity_service_pb2 as identity

    request = identity.ClaimInstallationRequest(token=heard.tokens[0])
    first = (await served.identity.ClaimInstallation(request)).key
    wanted = identity.CreateKeyRequest(key=identity.Key(principal="service:robot"))
    bearing: Any = (("authorization", f"Bearer {first}"),)
    return first, (await served.identity.CreateKey(wanted, metadata=bearing)).secret


async def test_no_key_is_sent_in_the_clear() -> None:
    """Beyond this machine a gateway is asked by TLS, or without a key."""
    async with AsyncScops("http://scops.example.org", token=str(uuid.uuid4())) as scops:
        with pytest.raises(InvalidRequest, match="without TLS"):
            await scops.whoami()
