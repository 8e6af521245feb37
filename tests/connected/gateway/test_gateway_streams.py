"""Streams of the gateway by every door: parts as they come, and what ends them."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import NewsPlace, NewsRequest, NewsResponse, PageChange
from scops.common.contract.messages.crawl import JobCounts, JobStatusRequest, JobStatusResponse
from scops.common.query.ports import JOB_STATUS, NEWS
from scops.gateway.jobs.job import ApiJobState
from tests.connected.gateway.explained import explained
from tests.connected.gateway.http_calls import SCOPE_BODY, HttpCalls, http_calls
from tests.connected.gateway.stream_calls import DOORS, Refused, StreamCall, by_events, by_grpc
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import DOCS

SOON_SECONDS = 5.0
THEN = NewsPlace(recorded_time=datetime(2026, 5, 1, tzinfo=UTC))
REQUIRED = {"identity": "required", "principal_units_per_second": 0.0}
ASKED = {"query": "how often", "scopes": ["scopes/docs"]}
by_every_door = pytest.mark.parametrize("door", DOORS)


async def keys(call: HttpCalls, heard: HeardClaims) -> tuple[str, str, str]:
    """Returns the keys of an administrator with a scope `docs` and of a reader, and its name."""
    made = await call("POST", "/v1/installation:claim", json={"token": heard.tokens[0]})
    headers = {"x-api-key": str(made.json["key"])}
    await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY, headers=headers)
    await share(call, headers["x-api-key"], "SCOPE_ROLE_VIEWER")
    body = {"principal": "service:reader"}
    reader = await call("POST", "/v1/keys", json=body, headers=headers)
    return headers["x-api-key"], str(reader.json["secret"]), str(reader.json["key"]["name"])


async def share(call: HttpCalls, key: str, role: str) -> None:
    """Gives the reader a role in `docs`; the unspecified one takes it away."""
    grant = {"subject": "service:reader", "role": role}
    shared = await call(
        "POST", "/v1/scopes/docs:share", json={"grant": grant}, headers={"x-api-key": key}
    )
    assert 200 == shared.status, shared.json


def open_streams(path: str) -> float:
    """Returns how many streams of a method the gateway says are open."""
    labels = {"method": path}
    return REGISTRY.get_sample_value("scops_gateway_open_streams", labels) or 0.0


async def until(holds: Any) -> None:
    """Waits until something holds."""
    async with asyncio.timeout(SOON_SECONDS):
        while not holds():
            await asyncio.sleep(0.01)


@by_every_door
async def test_sources_leave_before_there_is_an_answer(tmp_path: Path, door: str) -> None:
    """Then each statement with the citations that it needs first, and the whole answer last."""
    async with (
        explained(tmp_path) as (served, explainer),
        aclosing(DOORS[door](StreamCall(served, "StreamAnswer", ASKED))) as parts,
    ):
        sources = await anext(parts)
        await explainer.answering.wait()
        explainer.may_answer.set()
        rest = [part async for part in parts]

    assert [DOCS] == [one["uri"] for one in sources["sources"]["passages"]]
    assert ["statement", "statement", "answer"] == [next(iter(part)) for part in rest]
    assert [[1], [2]] == [
        [one["number"] for one in part["statement"]["citations"]] for part in rest[:2]
    ]
    assert [2, 1] == rest[1]["statement"]["statement"]["citationNumbers"]
    assert rest[2]["answer"]["statements"] == [one["statement"]["statement"] for one in rest[:2]]
    # It was looked for once.
    assert ["put anew"] == [found.query for found in explainer.found if found is not None]


@by_every_door
async def test_who_leaves_ends_the_work(tmp_path: Path, door: str) -> None:
    """Nothing of a stream stays, in the gateway or behind it."""
    async with explained(tmp_path) as (served, explainer):
        call = StreamCall(served, "StreamAnswer", ASKED)
        async with aclosing(DOORS[door](call)) as parts:
            await anext(parts)
            await explainer.answering.wait()
            assert 1 == open_streams(call.bound.path)
        await until(lambda: explainer.was_cancelled)
        await until(lambda: open_streams(call.bound.path) == 0)


@by_every_door
async def test_a_stream_is_refused_as_a_call_is(tmp_path: Path, door: str) -> None:
    """With the reason, before anything of it."""
    async with explained(tmp_path) as (served, _):
        for fields, reason in (
            ({**ASKED, "query": " "}, "QUERY_EMPTY"),
            ({**ASKED, "scopes": ["scopes/none"]}, "SCOPE_NOT_FOUND"),
        ):
            with pytest.raises(Refused) as refused:
                await anext(DOORS[door](StreamCall(served, "StreamAnswer", fields)))

            assert reason == refused.value.reason


@by_every_door
async def test_an_answer_that_fails_ends_its_stream_with_the_reason(
    tmp_path: Path, door: str
) -> None:
    """Its sources have left by then."""
    async with explained(tmp_path, deadline_default_seconds=0.5) as (served, _):
        seen = []
        with pytest.raises(Refused) as refused:
            async for part in DOORS[door](StreamCall(served, "StreamAnswer", ASKED)):
                seen.append(next(iter(part)))

    assert (["sources"], "DEADLINE_EXCEEDED") == (seen, refused.value.reason)


@by_every_door
async def test_a_job_is_told_as_it_changes(tmp_path: Path, door: str) -> None:
    """At once as it stands, then what is new, and last how it ended with its pages."""

    async def status(request: JobStatusRequest) -> JobStatusResponse:
        return JobStatusResponse()

    async with explained(tmp_path) as (served, _):
        served.answer(JOB_STATUS, status)
        async with http_calls(served) as call:
            job = (await call("POST", "/v1/scopes/docs:crawl", json={})).json["job"]
        jobs, job_id = served.gateway.ports.jobs, job["name"].removeprefix("jobs/")
        watched = DOORS[door](StreamCall(served, "WatchJob", {"name": job["name"]}))
        async with aclosing(watched) as parts:
            told = [await anext(parts)]
            now = served.gateway.ports.clock.now()
            await jobs.progress(job_id, JobCounts(open=2, indexed=1), at=now)
            told.append(await anext(parts))
            await jobs.finish(job_id, ApiJobState.COMPLETED, JobCounts(indexed=3), at=now)
            told += [part async for part in parts]

    states = [part["job"]["state"] for part in told]
    assert ["STATE_QUEUED", "STATE_RUNNING", "STATE_COMPLETED"] == states
    assert [{}, {"open": 2, "indexed": 1}, {"indexed": 3}] == [
        part["job"].get("counts", {}) for part in told
    ]
    assert ["", "", "The fetcher has not taken the job up yet."] == [
        part.get("outcomesMissingReason", "") for part in told
    ]


@by_every_door
async def test_a_gateway_that_stops_ends_what_lasts(tmp_path: Path, door: str) -> None:
    """Cleanly and at once, with a reason by which a client opens the stream elsewhere."""
    async with explained(tmp_path) as (served, _):
        async with http_calls(served) as call:
            job = (await call("POST", "/v1/scopes/docs:crawl", json={})).json["job"]
        watched = DOORS[door](StreamCall(served, "WatchJob", {"name": job["name"]}))
        await anext(watched)
        stopping = asyncio.create_task(served.gateway.service.finish())  # type: ignore[misc]
        with pytest.raises(Refused) as refused:
            async with asyncio.timeout(SOON_SECONDS):
                await anext(watched)
        await stopping

    assert "GATEWAY_STOPPING" == refused.value.reason


@pytest.mark.parametrize("taken", ["key", "share"])
@pytest.mark.parametrize("name", ["StreamAnswer", "WatchJob"])
async def test_rights_that_are_taken_back_end_a_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str, name: str
) -> None:
    """Within five seconds; of an answer under way nothing more is told."""
    heard = HeardClaims(monkeypatch)
    async with (
        explained(tmp_path, **REQUIRED) as (served, explainer),
        http_calls(served) as call,
    ):
        owner, reader, key = await keys(call, heard)
        headers = {"x-api-key": owner}
        job = (await call("POST", "/v1/scopes/docs:crawl", json={}, headers=headers)).json["job"]
        fields = ASKED if name == "StreamAnswer" else {"name": job["name"]}
        parts = by_grpc(StreamCall(served, name, fields, key=reader))
        await anext(parts)
        if taken == "key":
            await call("POST", f"/v1/{key}:revoke", json={}, headers=headers)
        else:
            await share(call, owner, "SCOPE_ROLE_UNSPECIFIED")
            explainer.may_answer.set()
        rest: list[Any] = []
        reason = ""
        async with asyncio.timeout(SOON_SECONDS):
            try:
                rest = [part async for part in parts]
            except Refused as error:
                reason = error.reason

    if taken == "key":
        assert ([], "KEY_INVALID") == (rest, reason)
    elif name == "WatchJob":
        assert ([], "JOB_NOT_FOUND") == (rest, reason)
    else:
        assert ["answer"] == [next(iter(part)) for part in rest]
        assert {"shortfall", "shortfallReason"} == rest[0]["answer"].keys()


async def test_each_caller_has_so_many_streams(tmp_path: Path) -> None:
    """One more is refused, with when to come again, until one ends."""
    async with explained(tmp_path, streams_per_principal=2) as (served, _):
        call = StreamCall(served, "StreamAnswer", ASKED)
        first, second = by_grpc(call), by_grpc(call)
        await anext(first)
        await anext(second)
        with pytest.raises(Refused) as refused:
            await anext(by_grpc(call))
        await first.aclose()  # type: ignore[attr-defined]
        await until(lambda: open_streams(call.bound.path) == 1)
        third = by_grpc(call)
        sources = await anext(third)

    assert "TOO_MANY_STREAMS" == refused.value.reason
    assert "sources" in sources


async def test_a_watch_holds_no_place_of_a_call(tmp_path: Path) -> None:
    """However many are open, others are served."""
    async with (
        explained(tmp_path, concurrent_calls_max=1) as (served, _),
        http_calls(served) as call,
    ):
        job = (await call("POST", "/v1/scopes/docs:crawl", json={})).json["job"]
        watched = [
            by_events(StreamCall(served, "WatchJob", {"name": job["name"]})) for _ in range(3)
        ]
        for parts in watched:
            await anext(parts)
        answered = await call("GET", f"/v1/{job['name']}")

    assert 200 == answered.status


async def test_a_stream_has_no_head(tmp_path: Path) -> None:
    """There is no beginning of a stream without the rest."""
    async with explained(tmp_path) as (served, _), http_calls(served) as call:
        answered = await call("HEAD", "/v1/jobs/none:watch")

    assert (405, "GET") == (answered.status, answered.headers["allow"])


@by_every_door
async def test_changes_are_told_as_they_are_recorded(tmp_path: Path, door: str) -> None:
    """Each once, and by a cursor a later stream goes on; what no rule holds does not leave."""
    places: list[NewsPlace] = []

    async def news(request: NewsRequest) -> NewsResponse:
        places.append(request.after)
        number = len(places)
        page = PageChange(
            page_id=PageId(f"p-{number}"),
            canonical_url=DOCS,
            access_context="public",
            observed_time=THEN.recorded_time,
        )
        other = replace(page, canonical_url="https://elsewhere.example/")
        place = NewsPlace(recorded_time=THEN.recorded_time, page_id=f"p-{number}")
        return NewsResponse(changes=(page, other), next=place, more=number < 3)

    async with explained(tmp_path) as (served, _):
        served.answer(NEWS, news)
        fields = {"scope": "scopes/docs", "since": "2026-05-01T00:00:00Z"}
        async with aclosing(DOORS[door](StreamCall(served, "WatchChanges", fields))) as parts:
            told = [await anext(parts) for _ in range(3)]
        fields = {"scope": "scopes/docs", "cursor": told[1]["cursor"]}
        before = len(places)
        async with aclosing(DOORS[door](StreamCall(served, "WatchChanges", fields))) as parts:
            await anext(parts)
        with pytest.raises(Refused) as refused:
            forged = {**fields, "cursor": "bm9uZQ"}
            await anext(DOORS[door](StreamCall(served, "WatchChanges", forged)))

    assert [["pages/p-1"], ["pages/p-2"], ["pages/p-3"]] == [
        [one["name"] for one in part["changes"]] for part in told
    ]
    assert [THEN, "p-1", "p-2", "p-2"] == [
        places[0],
        *(one.page_id for one in places[1:3]),
        places[before].page_id,
    ]
    assert "CURSOR_INVALID" == refused.value.reason


async def test_a_browser_goes_on_from_the_last_event(tmp_path: Path) -> None:
    """It opens the same address again, and names the event that it has read."""
    places: list[NewsPlace] = []

    async def news(request: NewsRequest) -> NewsResponse:
        places.append(request.after)
        return NewsResponse(next=replace(THEN, page_id=PageId("p-9")))

    async with explained(tmp_path) as (served, _), http_calls(served) as call:
        served.answer(NEWS, news)
        url = f"{call.url}/v1/scopes/docs/changes:watch"
        async with call.session.get(url) as response:
            numbered = (await response.content.readline()).decode().strip().partition("id: ")[2]
        async with call.session.get(url, headers={"last-event-id": numbered}) as response:
            await response.content.readline()

    assert "p-9" == places[-1].page_id
