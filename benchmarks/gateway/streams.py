"""What each door adds to a call, and how soon a streamed answer shows what was found."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import httpx
from mcp import Client

from benchmarks.gateway.door import DEADLINE_SECONDS, Door
from benchmarks.shared.figures import percentile
from scops.api.v1alpha1 import (
    scope_service_pb2,
    scope_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)

WARM_UP_CALLS, CALLS = 100, 600
WARM_UP_ANSWERS, ANSWERS = 10, 60
CALLS_IN_TURN = 20
HTTP = "http"


async def door_overhead(door: Door, http_url: str) -> dict[str, float]:
    """Returns the medians of listing the scopes by each door, in milliseconds, in turns."""
    async with (
        grpc.aio.insecure_channel(door.address) as channel,
        httpx.AsyncClient(base_url=http_url) as http,
        Client(f"{http_url}/mcp") as assistant,
    ):
        stub: Any = scope_service_pb2_grpc.ScopeServiceStub(channel)

        async def by_grpc() -> None:
            await stub.ListScopes(scope_service_pb2.ListScopesRequest())

        async def by_http() -> None:
            (await http.get("/v1/scopes")).raise_for_status()

        async def by_mcp() -> None:
            result = await assistant.call_tool("list_scopes", {})
            if result.is_error:
                raise SystemExit(f"benchmarks.gateway: {result.content}")

        doors: dict[str, Callable[[], Awaitable[None]]] = {
            "grpc": by_grpc,
            HTTP: by_http,
            "mcp": by_mcp,
        }
        taken: dict[str, list[float]] = {name: [] for name in doors}
        for _ in range((WARM_UP_CALLS + CALLS) // CALLS_IN_TURN):
            for name, ask in doors.items():
                for _ in range(CALLS_IN_TURN):
                    begun = time.perf_counter()
                    await ask()
                    taken[name].append(time.perf_counter() - begun)
    medians = {name: 1000 * statistics.median(one[WARM_UP_CALLS:]) for name, one in taken.items()}
    return {
        "grpc_p50_ms": round(medians["grpc"], 2),
        "http_overhead_ms": round(medians[HTTP] - medians["grpc"], 2),
        "mcp_overhead_ms": round(medians["mcp"] - medians["grpc"], 2),
    }


async def first_source(door: Door) -> dict[str, float]:
    """Returns how soon the first source of a streamed answer is there, in milliseconds."""
    first, whole = [], []
    async with grpc.aio.insecure_channel(door.address) as channel:
        stub: Any = search_service_pb2_grpc.SearchServiceStub(channel)
        for _ in range(WARM_UP_ANSWERS + ANSWERS):
            asked = door.question()
            question = search_service_pb2.StreamAnswerRequest(
                query=asked.query, scopes=asked.scopes
            )
            begun, seen = time.perf_counter(), 0.0
            async for part in stub.StreamAnswer(question, timeout=DEADLINE_SECONDS):
                if not seen and part.sources.passages:
                    seen = time.perf_counter() - begun
            if not seen:
                raise SystemExit("benchmarks.gateway: an answer had no sources")
            first.append(seen)
            whole.append(time.perf_counter() - begun)
    first, whole = first[WARM_UP_ANSWERS:], whole[WARM_UP_ANSWERS:]
    return {
        "first_source_p50_ms": round(1000 * statistics.median(first), 1),
        "first_source_p95_ms": round(1000 * percentile(first, 95), 1),
        "streamed_answer_p50_ms": round(1000 * statistics.median(whole), 1),
    }


def doors_and_streams(door: Door) -> dict[str, float]:
    """Returns the figures of both; HTTP is at the port after gRPC's."""
    host, _, port = door.address.rpartition(":")
    http_url = f"http://{host}:{int(port) + 1}"
    return {
        **asyncio.run(door_overhead(door, http_url)),
        **asyncio.run(first_source(door)),
    }
