"""The side `ours`: research runs of one `scops up`, by its Python client.

Every question has the site at an address of its own, so that nothing of it is known.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.expansion.walkers import Result
from benchmarks.shared.system.system import System
from scops.client import AsyncScops

SECONDS_MAX = 600
STOPS = {"pages": "budget", "seconds": "budget"}
CHUNK_BYTES = 64 * 1024
# Of the loopback, 127.0.N.M each.
ADDRESSES_A_BLOCK = 250


class OurResearch:
    """Asks a running system; see `Researcher`."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._numbers = itertools.count(ADDRESSES_A_BLOCK + 1)

    async def research(self, question: str, url: str, budget_pages: int) -> Result:
        """Returns what a run did that began with nothing known."""
        block, place = divmod(next(self._numbers), ADDRESSES_A_BLOCK)
        async with (
            _forwarded(url, f"127.0.{block}.{place + 2}") as (site, here),
            AsyncScops(self._address) as scops,
        ):
            start = url.replace(site, here, 1)
            begun = await scops.research(
                question, uri=start, pages=budget_pages, seconds=SECONDS_MAX
            )
            done = await scops.wait_research(begun, seconds=2 * SECONDS_MAX)
        run, answer = done.research, done.answer
        assert run.create_time is not None
        assert run.end_time is not None
        cited = {one.uri for one in answer.citations} if answer and answer.answered else set()
        return Result(
            pages=list(dict.fromkeys(page.uri.replace(here, site, 1) for page in run.pages)),
            stopped=STOPS.get(run.stop_reason, run.stop_reason),
            cited_urls=sorted(uri.replace(here, site, 1) for uri in cited),
            seconds=(run.end_time - run.create_time).total_seconds(),
        )


@contextmanager
def our_research(embedder: str, delay_seconds: float) -> Iterator[OurResearch]:
    """Runs a system with no data while inside."""
    settings = {
        "SCOPS_EMBEDDER": embedder,
        "SCOPS_FETCHER_DELAYS": f"127.0.0.0/8={delay_seconds}",
    }
    with (
        TemporaryDirectory() as folder,
        System(Path(folder), settings=settings).running() as system,
    ):
        yield OurResearch(system.address)


@asynccontextmanager
async def _forwarded(url: str, address: str) -> AsyncIterator[tuple[str, str]]:
    """Serves a site at another address while inside; yields `http://host:port` of both."""
    site = "/".join(url.split("/")[:3])
    host, _, port = site.partition("//")[2].partition(":")

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        # Connections that are kept open end with the server.
        with suppress(asyncio.CancelledError):
            await asyncio.gather(_piped(reader, back), _piped(there, writer))

    server = await asyncio.start_server(forward, address, 0)
    async with server:
        yield site, f"http://{address}:{server.sockets[0].getsockname()[1]}"


async def _piped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
    writer.close()
