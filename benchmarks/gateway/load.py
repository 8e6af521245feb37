"""Load: clients that wait for their answers, and questions that come whatever is answered."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from benchmarks.gateway.door import DEADLINE_SECONDS, Door
from benchmarks.shared.figures import percentile
from scops.api.v1alpha1 import search_service_pb2_grpc

# By the gateway, or by a service behind it that has too much to do.
REFUSED = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
LATE = grpc.StatusCode.DEADLINE_EXCEEDED


@dataclass
class Load:
    """What came of calls.

    Attributes:
        seconds: of what was answered, or ended by its deadline.
        refusals: seconds until a refusal was told.
        lasted: seconds of the whole load.
    """

    seconds: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    late: int = 0
    lasted: float = 0.0

    @property
    def throughput(self) -> float:
        """Answers a second."""
        return (len(self.seconds) - self.late) / self.lasted

    @property
    def refused_share(self) -> float:
        """Of all calls."""
        calls = len(self.seconds) + len(self.refusals)
        return len(self.refusals) / calls if calls else 0.0

    @property
    def refusal_p95_ms(self) -> float | None:
        """How soon refusals are told; None where nobody was refused."""
        return round(1000 * percentile(self.refusals, 95), 1) if self.refusals else None

    def answered(self, percent: int) -> float:
        """Returns a percentile of the seconds of answers."""
        if not self.seconds:
            raise SystemExit("benchmarks.gateway: nothing was answered")
        return percentile(self.seconds, percent)

    def figures(self) -> dict[str, float]:
        """Returns what is printed of it."""
        return {
            "throughput": round(self.throughput, 1),
            "p50_ms": round(1000 * self.answered(50), 1),
            "p95_ms": round(1000 * self.answered(95), 1),
            "refused_share": round(self.refused_share, 3),
        }


async def closed(door: Door, clients: int, seconds: float) -> Load:
    """Has clients ask again as soon as they are answered, or when a refusal says."""
    load, begun = Load(), time.perf_counter()
    async with grpc.aio.insecure_channel(door.address) as channel:
        stub: Any = search_service_pb2_grpc.SearchServiceStub(channel)

        async def ask_on(number: int) -> None:
            wait = 0.0
            while time.perf_counter() + wait < begun + seconds:
                await asyncio.sleep(wait)
                wait = await _ask(stub, door, number, load)

        await asyncio.gather(*(ask_on(number) for number in range(clients)))
    load.lasted = time.perf_counter() - begun
    return load


async def open_loop(door: Door, rate: float, seconds: float) -> Load:
    """Asks at a steady rate, whatever comes back."""
    load, begun, asked = Load(), time.perf_counter(), []
    async with grpc.aio.insecure_channel(door.address) as channel:
        stub: Any = search_service_pb2_grpc.SearchServiceStub(channel)
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
            asked.append(asyncio.create_task(_ask(stub, door, number, load)))
        load.lasted = time.perf_counter() - begun
        await asyncio.gather(*asked)
    return load


async def _ask(stub: Any, door: Door, number: int, load: Load) -> float:
    """Asks once, notes what came, and returns the seconds that a refusal asks to wait."""
    begun = time.perf_counter()
    metadata = door.credentials[number % len(door.credentials)]
    try:
        await stub.Search(door.question(), timeout=DEADLINE_SECONDS, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        if error.code() in REFUSED:
            load.refusals.append(time.perf_counter() - begun)
            return _wait(error)
        if error.code() is not LATE:
            raise
        load.late += 1
    load.seconds.append(time.perf_counter() - begun)
    return 0.0


def _wait(error: grpc.aio.AioRpcError) -> float:
    """Returns the seconds that a refusal names; gRPC's own name none."""
    status = rpc_status.from_call(cast(Any, error))
    for packed in status.details if status is not None else ():
        found = error_details_pb2.RetryInfo()
        if packed.Unpack(found):
            return float(found.retry_delay.ToTimedelta().total_seconds())
    return 0.1
