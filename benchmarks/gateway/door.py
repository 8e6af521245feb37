"""A running gateway with the credentials that it takes."""

import asyncio
import random
import re
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import grpc

from benchmarks.shared.system.system import System
from scops.api.v1alpha1 import identity_service_pb2 as identity_protos
from scops.api.v1alpha1 import (
    identity_service_pb2_grpc,
    scope_service_pb2,
    scope_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)

CALLERS = 8
CALLS_ALONE = 1500
WARM_UP_CALLS = 200
DEADLINE_SECONDS = 20.0
LIMIT = 10
REQUIRED = {
    "SCOPS_GATEWAY_IDENTITY": "required",
    "SCOPS_GATEWAY_PRINCIPAL_UNITS_PER_SECOND": "0",
}
CLAIM = re.compile(r"scops identity claim ([\w-]+)")
WORDS = [
    "configure",
    "server",
    "replication",
    "index",
    "table",
    "vacuum",
    "query",
    "planner",
    "function",
    "trigger",
    "lock",
    "transaction",
    "backup",
    "archive",
    "statistics",
    "memory",
    "disk",
    "role",
    "password",
    "schema",
    "constraint",
    "column",
]
Metadata = tuple[tuple[str, str], ...]
# Of starts on one folder, whose keys are made once.
_keys: dict[Path, list[str]] = {}
_queries = count()


@dataclass(frozen=True, slots=True)
class Door:
    """A gateway that serves.

    Attributes:
        credentials: of callers, in turns; one that is empty where everybody is local.
    """

    address: str
    scope: str
    credentials: tuple[Metadata, ...] = ((),)
    chance: random.Random = field(default_factory=lambda: random.Random(23))

    def question(self) -> search_service_pb2.SearchRequest:
        """Returns a search that nobody has asked before."""
        query = " ".join([*self.chance.sample(WORDS, 4), str(next(_queries))])
        return search_service_pb2.SearchRequest(
            query=query, scopes=[f"scopes/{self.scope}"], page_size=LIMIT
        )

    async def who_am_i(self) -> float:
        """Returns the median seconds of a call that does nothing but say who calls."""
        taken = []
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub: Any = identity_service_pb2_grpc.IdentityServiceStub(channel)
            for _ in range(WARM_UP_CALLS + CALLS_ALONE):
                begun = time.perf_counter()
                await stub.WhoAmI(identity_protos.WhoAmIRequest(), metadata=self.credentials[0])
                taken.append(time.perf_counter() - begun)
        return statistics.median(taken[WARM_UP_CALLS:])


@contextmanager
def doors(folder: Path, scope: str, *, identity: bool) -> Iterator[Door]:
    """Starts the system on a folder, and gives its door."""
    with System(folder, settings=REQUIRED if identity else {}).running() as system:
        if not identity:
            yield Door(system.address, scope)
            return
        if folder not in _keys:
            _keys[folder] = asyncio.run(_made_keys(system, scope))
        credentials = tuple((("x-api-key", key),) for key in _keys[folder])
        yield Door(system.address, scope, credentials)


async def _made_keys(system: System, scope: str) -> list[str]:
    """Claims the installation, takes the scope over and shares it with service accounts."""
    found = CLAIM.search((system.folder / "up.log").read_text(errors="replace"))
    if found is None:
        raise SystemExit(
            f"benchmarks.gateway: no token for the first administrator:\n{system.log_tail()}"
        )
    keys = []
    async with grpc.aio.insecure_channel(system.address) as channel:
        people: Any = identity_service_pb2_grpc.IdentityServiceStub(channel)
        scopes: Any = scope_service_pb2_grpc.ScopeServiceStub(channel)
        request = identity_protos.ClaimInstallationRequest(token=found[1])
        first = await people.ClaimInstallation(request)
        as_first = (("x-api-key", first.key),)
        for number in range(CALLERS):
            subject = f"service:bench-{number}"
            key = identity_protos.Key(principal=subject)
            made = await people.CreateKey(
                identity_protos.CreateKeyRequest(key=key), metadata=as_first
            )
            grant = scope_service_pb2.Grant(
                subject=subject, role=scope_service_pb2.SCOPE_ROLE_VIEWER
            )
            share = scope_service_pb2.ShareScopeRequest(name=f"scopes/{scope}", grant=grant)
            await scopes.ShareScope(share, metadata=as_first)
            keys.append(made.secret)
        stub: Any = search_service_pb2_grpc.SearchServiceStub(channel)
        probe = search_service_pb2.SearchRequest(query="index", scopes=[f"scopes/{scope}"])
        answer = await stub.Search(probe, metadata=(("x-api-key", keys[0]),))
    if not answer.passages:
        raise SystemExit("benchmarks.gateway: who may read the scope finds nothing in it")
    return keys
