"""Our side of the crawling benchmark, in a process of its own: the fetcher and a small consumer.

    python -m benchmarks.crawl.by_scops --seeds FILE

The fetcher has its state in SQLite, a nats-server of its own, and the archive on disk; its tables
are made by a process that has ended before, as `scops provision` has. In place of
the stages downstream stands what is a callback with Scrapy: it takes the links of a body and says
that the page was indexed. Each line of standard input starts a crawl; a line of JSON is printed
when it starts and one when its job has ended.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import REGISTRY

from scops.common.archive.ports import Archive, NewBlob
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.admin.topology import durables_of
from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.embedded.nats_child import running_nats
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.bus.ports import Cause, Outgoing
from scops.common.config.settings import CommonSettings
from scops.common.contract import ids, service_table, wire
from scops.common.contract.ids import JobId, ScopeId, VersionId
from scops.common.contract.messages.content import Link, LinkList, PageExtracted, PageKind
from scops.common.contract.messages.crawl import (
    CrawlFinished,
    CrawlScope,
    PageFetched,
    PagesVerified,
    PageUnmodified,
)
from scops.common.contract.messages.index import HeadsVerified, IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import OrderKey, RuleKind, Scope, ScopeRef, ScopeRule
from scops.common.contract.service_table import Lane, Role
from scops.common.db.address import state_address
from scops.common.observe.log import configure_logging
from scops.common.processes.turns import leave_turn
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.heap import settle_heap
from scops.common.runtime.lifecycle import process_lifecycle
from scops.common.runtime.platform import open_platform, prepare_data_dir
from scops.common.runtime.process_run import run_between
from scops.common.runtime.service import Service
from scops.common.runtime.tasks import cancel_all
from scops.common.scope.projection import ScopeProjection
from scops.fetcher import service as fetcher
from scops.fetcher.settings import FetcherSettings

SCOPE = ScopeRef(scope_id=ScopeId("bench"), revision=1)
ROLES = (Role.FETCHER, Role.EXTRACTOR, Role.CHANGE_DETECTOR)
# Of the stages downstream only the durables of these have somebody behind them.
CONSUMED = (PageFetched, PageUnmodified, PagesVerified)
LINKS_TYPE = "application/x-protobuf"
PIPELINE = "bench-1"
VOUCH_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Downstream:
    """What becomes of pages: their links are taken, then they count as indexed."""

    archive: Archive

    async def take_body(self, event: PageFetched, cause: Cause) -> list[Any]:
        # Imported here: only this part of the process needs a parser.
        from benchmarks.crawl.site import links_of

        body = await self.archive.get(event.body)
        links = tuple(Link(url=url) for url in links_of(body, event.url))
        # As the extractor puts what it has made.
        leave_turn()
        blob = NewBlob(data=wire.encode(LinkList(links=links)), media_type=LINKS_TYPE)
        (kept,) = await self.archive.put_many([blob], patient=cause.lane is Lane.BULK)
        extracted = PageExtracted(
            page_id=event.page_id,
            fetch_id=event.fetch_id,
            canonical_url=event.canonical_url,
            observed_time=event.observed_time,
            kind=PageKind.ARTICLE,
            text=event.body,
            document=event.body,
            links=kept,
            pipeline_version=PIPELINE,
        )
        return [extracted, _indexed(event, IndexOutcome.ADDED)]

    async def take_unmodified(self, event: PageUnmodified, cause: Cause) -> list[Any]:
        return [_indexed(event, IndexOutcome.REFRESHED)]

    async def take_verified(self, event: PagesVerified, cause: Cause) -> list[Any]:
        return [HeadsVerified(fetch_ids=tuple(page.fetch_id for page in event.pages))]


def _indexed(event: PageFetched | PageUnmodified, outcome: IndexOutcome) -> VersionIndexed:
    return VersionIndexed(
        page_id=event.page_id,
        fetch_id=event.fetch_id,
        outcome=outcome,
        version_id=VersionId(event.fetch_id),
        order_key=OrderKey(observed_from=event.observed_time, revision=0),
    )


def _services(archive: Archive) -> list[Service]:
    downstream = Downstream(archive)
    # As the extractor's own router: its turns end before pages wait for the disk together.
    extractor = ServiceRouter(Role.EXTRACTOR, fair=True)
    detector = ServiceRouter(Role.CHANGE_DETECTOR)
    extractor.consumes(PageFetched)(downstream.take_body)
    detector.consumes(PageUnmodified)(downstream.take_unmodified)
    detector.consumes(PagesVerified)(downstream.take_verified)
    return [
        Service(role=Role.EXTRACTOR, router=extractor),
        Service(role=Role.CHANGE_DETECTOR, router=detector),
    ]


async def _run(seeds: list[str]) -> None:
    common, settings = CommonSettings.load(), FetcherSettings.load()
    configure_logging(common)
    prepare_data_dir(common)
    async with running_nats(common) as address:
        bus = await open_bus(address, common)
        async with process_lifecycle(common) as lifecycle:
            await _provision(bus, common)
            projection = ScopeProjection(bus.jetstream, clock=SystemClock())
            await projection.publish_scope(_scope(seeds))
            # Crawls go by scopes that somebody vouches for, as the gateway does.
            vouching = asyncio.create_task(_vouch(projection), name="vouch")
            platform = await open_platform(
                common,
                publisher=bus.publisher,
                query_client=bus.query_client,
                backlog=bus.backlog,
            )
            services = [fetcher.build(settings, platform), *_services(platform.archive)]
            crawls: list[asyncio.Task[None]] = []

            async def begin(_: str) -> None:
                # As every process of roles does.
                settle_heap()
                crawls.append(asyncio.create_task(_crawl_when_asked(bus, lifecycle.stopping)))

            await run_between(lifecycle, services, platform, bus, on_running=begin)
            await cancel_all([vouching, *crawls])
            await platform.close()
        await bus.close()


async def _vouch(projection: ScopeProjection) -> None:
    while True:
        await projection.vouch("main", await projection.generation(), identity_keys={})
        await asyncio.sleep(VOUCH_SECONDS)


async def _provision(bus: NatsBus, common: CommonSettings) -> None:
    """Creates the bus without the durables that nobody would empty."""
    await provision(bus.jetstream, ROLES, common=common)
    for durable in durables_of([Role.EXTRACTOR, Role.CHANGE_DETECTOR]):
        if durable.contract.message not in CONSUMED:
            await bus.jetstream.delete_consumer(durable.stream, durable.name)


def _scope(seeds: list[str]) -> Scope:
    rules = (ScopeRule(kind=RuleKind.PREFIX, pattern=urlsplit(seed).netloc) for seed in seeds)
    return Scope(
        scope_id=SCOPE.scope_id,
        organisation_id="main",
        name="bench",
        revision=SCOPE.revision,
        rules=tuple(rules),
        seeds=tuple(seeds),
        public=True,
        page_limit=1_000_000,
    )


async def _crawl_when_asked(bus: NatsBus, stopping: asyncio.Event) -> None:
    """Crawls once for each line of standard input, and ends the process when it ends."""
    finished: asyncio.Queue[CrawlFinished] = asyncio.Queue()

    async def note(message: Any) -> None:
        finished.put_nowait(wire.decode(CrawlFinished, message.data))

    subject = service_table.subject_filter(service_table.BY_TYPE[CrawlFinished], Lane.BULK)
    await bus.client.subscribe(subject, cb=note)
    lines = _lines(stopping)
    print(json.dumps({"event": "ready"}), flush=True)
    while True:
        await lines.get()
        print(json.dumps({"event": "start"}), flush=True)
        await _start_crawl(bus)
        counts = (await finished.get()).counts
        pages = counts.indexed + counts.unchanged
        ended = {"event": "end", "pages": pages, "counts": str(counts), **_archived()}
        print(json.dumps(ended), flush=True)


def _archived() -> dict[str, float]:
    """Returns how many files the archive has begun, and how often it has waited for the disk."""
    groups, segments = (
        REGISTRY.get_sample_value(f"scops_archive_{name}_total") or 0.0
        for name in ("groups", "segments")
    )
    # Bytes and index of a group; head, name and row of a segment.
    return {"objects": segments, "syncs": 2 * groups + 3 * segments}


def _lines(stopping: asyncio.Event) -> "asyncio.Queue[str]":
    """Reads standard input in a thread; its end stops the process, whatever it does."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(stopping.set)

    threading.Thread(target=read, daemon=True).start()
    return lines


async def _start_crawl(bus: NatsBus) -> None:
    now = datetime.now(UTC)
    job_id = JobId(ids.uuid7(now, bytes(10)))
    command = CrawlScope(job_id=job_id, scope=SCOPE, accepted_time=now)
    await bus.publisher.publish(
        Outgoing(
            message=command,
            event_id=ids.event_id("bench", job_id, 0),
            organisation_id="main",
            lane=Lane.BULK,
        )
    )


def _make_state() -> None:
    """Creates the fetcher's tables, in a process of its own as `scops provision` is."""
    from scops.common.db.migrate import upgrade

    common = CommonSettings.load()
    prepare_data_dir(common)
    upgrade(state_address(common, fetcher.DATABASE), fetcher.MIGRATIONS)


def main() -> None:
    """Runs until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=Path)
    parser.add_argument("--provision", action="store_true", help="create the tables, and end")
    options = parser.parse_args()
    if options.provision:
        _make_state()
        return
    # It has ended before the crawl begins.
    subprocess.run([sys.executable, "-m", "benchmarks.crawl.by_scops", "--provision"], check=True)
    asyncio.run(_run(options.seeds.read_text().split()))


if __name__ == "__main__":
    main()
