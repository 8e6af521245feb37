"""Searches of scholarly services for whoever asks the fetcher, one after the other in a thread."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from scops.common.contract.errors import TransientError
from scops.common.runtime.clock import Clock
from scops.common.scope.hosts import EVERY_HOST, HostLists
from scops.libraries.papers.gathering import Gathered, PaperGathering
from scops.libraries.papers.merging import merged_papers
from scops.libraries.papers.paper import Paper
from scops.libraries.papers.port import Years

if TYPE_CHECKING:
    from scops.fetcher.adapters.papers.service import ScholarlyService
    from scops.fetcher.adapters.papers.services import ScholarlyServices

# For a search; what takes longer goes on, and is held for the next who asks.
WAIT_SECONDS = 20.0
HELD_SECONDS, HELD_MAX = 600.0, 64
# The best papers that every service is asked for by name: one alone may know of a retraction.
COMPLETED_MAX = 5
NOT_HERE = "it is not asked here: SCOPS_FETCHER_PAPER_SERVICES does not name it"
BY_SOCKS = "it is not asked by a SOCKS proxy"
_Key = tuple[str, tuple[str, ...], int]


class HeldSearches:
    """A `PaperSearches` that asks nobody the same twice within some minutes.

    What was answered with a fault is asked again at once. `HELD_MAX` searches wait at most; one
    more is refused until one of them has ended.

    Args:
        servers: URLs of the services that are asked here, by name; empty for the usual one.
        environment: with keys.
        folder: where those who ask on this machine share their pace; None shares none.
        hosts: that an operator lets be asked.
        proxy: by which the web is reached; empty for none but those of the environment.
    """

    def __init__(
        self,
        servers: Mapping[str, str],
        *,
        clock: Clock,
        environment: Mapping[str, str] = os.environ,
        folder: Path | None = None,
        hosts: HostLists = EVERY_HOST,
        proxy: str = "",
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        self._clock, self._wait_seconds = clock, wait_seconds
        self._servers, self._environment = servers, environment
        self._folder, self._hosts, self._proxy = folder, hosts, proxy
        self._refused: dict[str, str] = {}
        self._services: ScholarlyServices | None = None
        self._stopping = Event()
        # One thread: a service has one request under way.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="papers")
        self._held: OrderedDict[_Key, tuple[float, asyncio.Future[Gathered]]] = OrderedDict()

    async def found(self, words: str, *, services: Sequence[str], limit: int) -> Gathered:
        """See `PaperSearches`."""
        future = self._future((words, tuple(sorted(services)), limit))
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._wait_seconds)
        except TimeoutError as error:
            raise TransientError(
                "Scholarly services take longer to answer. Ask again in a moment.",
                reason="PAPERS_LATE",
            ) from error

    async def close(self) -> None:
        """Leaves what is being asked, and closes the connections."""
        self._stopping.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._services is not None:
            self._services.close()

    def _future(self, key: _Key) -> "asyncio.Future[Gathered]":
        now = self._clock.now().timestamp()
        begun, future = self._held.get(key, (0.0, None))
        is_old = future is None or (future.done() and now - begun > HELD_SECONDS)
        if future is None or is_old or _failed(future):
            self._check_room()
            running = asyncio.get_running_loop()
            future = running.run_in_executor(self._thread, self._look, *key)
            self._held[key] = (now, future)
            self._held.move_to_end(key)
            if len(self._held) > HELD_MAX:
                # There is one that has ended: no more than HELD_MAX wait.
                ended = (one for one, (_, held) in self._held.items() if held.done())
                del self._held[next(ended)]
        return future

    def _check_room(self) -> None:
        """Checks that another search may wait.

        Raises:
            TransientError: too many do already.
        """
        if sum(not future.done() for _, future in self._held.values()) >= HELD_MAX:
            raise TransientError(
                "Scholarly services have many questions to answer. Ask again in a moment.",
                reason="PAPERS_LATE",
            )

    def _look(self, words: str, services: tuple[str, ...], limit: int) -> Gathered:
        gathering = self._opened().some(services)
        found = gathering.search(words, years=Years(), limit=limit)
        found.not_offered |= {name: why for name, why in self._refused.items() if name in services}
        papers = [
            self._whole(gathering, paper, found) if place < COMPLETED_MAX else paper
            for place, paper in enumerate(found.papers)
        ]
        found.papers = merged_papers(record for paper in papers for record in paper.records)
        return found

    def _opened(self) -> "ScholarlyServices":
        """Returns the services, whose connections most fetchers never need."""
        if self._services is None:
            # Imported here: most fetchers ask no service, and their clients take memory.
            from scops.fetcher.adapters.papers.services import SERVICES, ScholarlyServices

            self._refused = _refused(SERVICES, self._servers, self._hosts, self._proxy)
            self._services = ScholarlyServices(
                [name for name in SERVICES if name not in self._refused],
                {name: url for name, url in self._servers.items() if url},
                environment=self._environment,
                sleep=self._sleep,
                folder=self._folder,
                proxy=self._proxy,
            )
        return self._services

    def _whole(self, gathering: PaperGathering, paper: Paper, found: Gathered) -> Paper:
        """Returns a paper with what services say of it that did not find it."""
        if paper.name is None or paper.retracted:
            return paper
        part = gathering.completed(paper)
        found.skipped += part.skipped
        found.faults |= part.faults
        return part.papers[0] if part.papers else paper

    def _sleep(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise OSError("it is not asked any more: the fetcher stops")


def _failed(future: "asyncio.Future[Gathered]") -> bool:
    if not future.done():
        return False
    return future.cancelled() or future.exception() is not None or bool(future.result().faults)


def _refused(
    kinds: Mapping[str, "type[ScholarlyService]"],
    servers: Mapping[str, str],
    hosts: HostLists,
    proxy: str,
) -> dict[str, str]:
    """Returns the services that are not asked here, with why."""
    refused = {}
    for name, kind in kinds.items():
        if name not in servers:
            refused[name] = NOT_HERE
        elif proxy.startswith("socks"):
            refused[name] = BY_SOCKS
        elif why := hosts.refusal(servers[name] or kind.facts.server):
            refused[name] = why
    return refused
