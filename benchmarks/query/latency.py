"""Times searches of a running system, in turns with the same hybrid query by the bare client.

Ours are asked in two ways: `Search` through the gateway, as an application asks, and the
retriever's own question `Retrieve` over the bus, as the explainer asks it.
"""

import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import grpc
import weaviate
from weaviate.classes.query import Filter, MetadataQuery

from benchmarks.query.corpus import HOST, Corpus
from benchmarks.shared.figures import percentile
from benchmarks.shared.system.system import System
from scops.api.v1alpha1 import search_service_pb2, search_service_pb2_grpc
from scops.common.access.assertion import IdentitySigner
from scops.common.access.bearing import bearing
from scops.common.access.principal import local_principal
from scops.common.bus.embedded.nats_child import embedded_address
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.retrieval import RetrieveRequest
from scops.common.contract.messages.types import ScopeRef
from scops.common.db import Database
from scops.common.db.address import state_address
from scops.common.query.ports import RETRIEVE
from scops.common.runtime.clock import SystemClock
from scops.common.scope.contexts import PUBLIC
from scops.gateway.adapters.sql.secrets import IDENTITY_KEY, secret_key
from scops.libraries.embedder.port import Embedder, identity
from scops.libraries.embedder.registry import load_embedder
from scops.libraries.index.weaviate.schema import Owner

SCOPE = "bench"
LIMIT = 10
WARM_UP = 20
QUERIES = 120
RECIPES = ("hybrid", "default", "graph")
PROPERTIES = ["chunk_id", "page_id", "header", "text"]
BARE = "weaviate"
BARE_SEED, FIRST_SEED = 2, 11
RETRIEVE_SECONDS_MAX = timedelta(seconds=20)
# Asks a question and returns how many passages came.
Ask = Callable[[str], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Latencies:
    """What was measured.

    Attributes:
        seconds: of each timed question, by who was asked: see `side_of`, and `BARE`.
        memory_mb: of the serving process tree before, half-way through and after them.
    """

    seconds: dict[str, list[float]]
    memory_mb: tuple[float, float, float]

    def figures(self) -> dict[str, Any]:
        """Returns the figures that `benchmarks.query` names, but for recall and filling."""
        first, *others = RECIPES
        before, between, after = self.memory_mb
        return {
            **self._of(first),
            "weaviate_p50_ms": round(self._milliseconds(BARE, 50), 1),
            "weaviate_p95_ms": round(self._milliseconds(BARE, 95), 1),
            "recipes": {recipe: self._of(recipe) for recipe in others},
            "memory_growth_mb": round(after - before, 1),
            "memory_growth_second_half_mb": round(after - between, 1),
        }

    def _of(self, recipe: str) -> dict[str, float]:
        found = {}
        for prefix, side in (("", search_of(recipe)), ("retrieve_", retrieve_of(recipe))):
            for percent in (50, 95):
                ours = self._milliseconds(side, percent)
                key = f"{prefix}p{percent}"
                found[f"{key}_vs_weaviate"] = round(ours / self._milliseconds(BARE, percent), 2)
                found[f"{key}_ms"] = round(ours, 1)
                found[f"{key}_above_ms"] = round(ours - self._milliseconds(BARE, percent), 1)
        return found

    def _milliseconds(self, side: str, percent: int) -> float:
        return 1000 * percentile(self.seconds[side], percent)


def search_of(recipe: str) -> str:
    """Returns the name of `Search` with a recipe."""
    return f"search {recipe}"


def retrieve_of(recipe: str) -> str:
    """Returns the name of `Retrieve` with a recipe."""
    return f"retrieve {recipe}"


def owner_of(common: CommonSettings) -> Owner:
    """Returns whose collections the settings mean."""
    known = identity(common.embedder)
    return Owner(
        organisation_id=common.organisation_id,
        embedder_id=known.embedder_id,
        dimensions=known.dimensions,
    )


async def measured(
    corpus: Corpus, common: CommonSettings, system: System, *, queries: int = QUERIES
) -> Latencies:
    """Asks every side in turns, each its own fresh questions, after some that are not timed.

    Raises:
        SystemExit: a side gave another number of passages than was asked for.
    """
    async with _sides(common, system) as sides:
        asked = {
            side: corpus.queries(WARM_UP + queries, seed=BARE_SEED if side == BARE else seed)
            for seed, side in enumerate(sides, start=FIRST_SEED)
        }
        seconds: dict[str, list[float]] = {side: [] for side in sides}
        memory = []
        for number in range(WARM_UP + queries):
            if number in (WARM_UP, WARM_UP + queries // 2):
                memory.append(system.memory_mb())
            for side, ask in sides.items():
                started = time.perf_counter()
                passages = await ask(asked[side][number])
                seconds[side].append(time.perf_counter() - started)
                if passages != LIMIT:
                    raise SystemExit(f"benchmarks.query: {side}: {passages} passages, not {LIMIT}")
        before, between = memory
    timed = {side: taken[WARM_UP:] for side, taken in seconds.items()}
    return Latencies(timed, (before, between, system.memory_mb()))


@asynccontextmanager
async def _sides(common: CommonSettings, system: System) -> AsyncIterator[dict[str, Ask]]:
    """Gives what is asked in each turn, by its name and in this order."""
    address = embedded_address(common)
    if address is None:
        raise SystemExit("benchmarks.query: `scops up` has no bus.")
    embedder = load_embedder(threads=common.embedder_threads, cache_dir=common.cache_dir)
    bus = await open_bus(address, common, name="benchmark")
    channel = grpc.aio.insecure_channel(system.address)
    stub: Any = search_service_pb2_grpc.SearchServiceStub(channel)
    bare = _weaviate(common)
    signer = await _signer(common)
    try:
        await bare.connect()
        collection = bare.collections.get(owner_of(common).aliases.live)
        sides: dict[str, Ask] = {}
        for recipe in RECIPES:
            sides[search_of(recipe)] = _search(stub, recipe)
            sides[retrieve_of(recipe)] = _retrieve(bus, recipe, signer)
        sides[BARE] = _hybrid(collection, embedder)
        yield sides
    finally:
        await bare.close()
        await channel.close()
        await bus.close()
        embedder.close()


def _search(stub: Any, recipe: str) -> Ask:
    async def ask(query: str) -> int:
        request = search_service_pb2.SearchRequest(
            query=query, scopes=[f"scopes/{SCOPE}"], page_size=LIMIT, recipe=recipe
        )
        return len((await stub.Search(request)).passages)

    return ask


async def _signer(common: CommonSettings) -> IdentitySigner:
    """Returns what signs for whom the retriever is asked, as the running gateway does."""
    database = Database(state_address(common, "gateway"), name="gateway")
    try:
        key = await secret_key(database, random.SystemRandom(), name=IDENTITY_KEY)
    finally:
        await database.close()
    return IdentitySigner(key)


def _retrieve(bus: NatsBus, recipe: str, signer: IdentitySigner) -> Ask:
    clock = SystemClock()
    caller = local_principal("main")

    async def ask(query: str) -> int:
        request = RetrieveRequest(
            query=query,
            scopes=(ScopeRef(scope_id=ScopeId(SCOPE)),),
            limit=LIMIT,
            recipe=recipe,
            as_chunks=True,
        )
        deadline = clock.now() + RETRIEVE_SECONDS_MAX
        with bearing(signer.assertion(caller, until=deadline)):
            reply = await bus.query_client.call(RETRIEVE, request, deadline=deadline)
        return len(reply.evidence)

    return ask


def _hybrid(collection: Any, embedder: Embedder) -> Ask:
    async def ask(query: str) -> int:
        (vector,) = await embedder.embed([query], as_queries=True)
        answer = await collection.query.hybrid(
            query,
            vector=vector.tolist(),
            query_properties=["words"],
            limit=LIMIT,
            filters=Filter.by_property("url_prefixes").contains_any([HOST])
            & Filter.by_property("access_context").contains_any([PUBLIC]),
            return_metadata=MetadataQuery(score=True),
            return_properties=PROPERTIES,
        )
        return len(answer.objects)

    return ask


def _weaviate(common: CommonSettings) -> weaviate.WeaviateAsyncClient:
    host, grpc_port = common.weaviate_grpc_address
    return weaviate.use_async_with_custom(
        http_host=host,
        http_port=int(common.weaviate_url.rpartition(":")[2]),
        http_secure=False,
        grpc_host=host,
        grpc_port=grpc_port,
        grpc_secure=False,
        skip_init_checks=True,
    )
