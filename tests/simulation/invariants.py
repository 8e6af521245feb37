"""The invariants of docs/architecture.md as predicates over the world's state."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from sqlalchemy import Row, func, select

from scops.change_detector.adapters import tables as change_tables
from scops.common.contract import wire
from scops.common.contract.ids import object_id
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.crawl import CrawlFinished
from scops.common.contract.messages.explanation import Anchor, AnswerResponse, Citation
from scops.common.contract.messages.retrieval import RetrieveResponse
from scops.common.contract.messages.types import BodyRef
from scops.common.scope.rules import matching_rule
from scops.explainer.handlers.resolve import CITATIONS_MAX
from scops.fetcher.adapters.sql import tables as fetcher_tables
from scops.gateway.jobs.job import Job
from scops.indexer.adapters import tables as index_tables
from scops.indexer.adapters.sql_inventory import SqlInventory
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.reconcile import reconcile
from tests.simulation.front import Asked
from tests.simulation.world import World

JOB, PAGE = fetcher_tables.job, fetcher_tables.job_page
HOST, QUEUE = fetcher_tables.host, fetcher_tables.queue
OUTCOMES = {"indexed", "unchanged", "joined", "gone", "blocked", "dead", "cancelled"}
ENDED = {"completed", "failed", "cancelled"}
# What a question may end with that is well put: it may be asked again.
PASSING_CODES = {"UNAVAILABLE", "DEADLINE_EXCEEDED"}
ERRORS = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
# Looked at after each step: only what is compared.
JOBS = select(
    *(getattr(JOB.c, name) for name in ("job_id", "state", "open_count")),
    *(getattr(JOB.c, f"{outcome}_count") for outcome in sorted(OUTCOMES)),
)
PAGES_OF_JOBS = select(
    PAGE.c.job_id, PAGE.c.state, PAGE.c.outcome, func.count().label("pages")
).group_by(PAGE.c.job_id, PAGE.c.state, PAGE.c.outcome)
HOSTS = select(
    HOST.c.host_key,
    HOST.c.wake_now,
    HOST.c.wake_bulk,
    HOST.c.lease_id,
    HOST.c.lease_until,
    HOST.c.next_allowed_time,
)
WAITING = select(QUEUE.c.host_key, QUEUE.c.lane).distinct()


@cache
def published_reasons() -> frozenset[str]:
    """Returns the reasons that docs/reference/errors.md names."""
    return frozenset(re.findall(r"\b[A-Z][A-Z_]{3,}\b", ERRORS.read_text(encoding="utf-8")))


class Invariants:
    """Checks after each step; keeps what must not move back."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._heads: dict[str, tuple[object, int]] = {}
        self._manifests: dict[str, Manifest] = {}
        self._citations: dict[str, Citation] = {}
        self._ended: dict[str, Job] = {}

    async def after(self, effect: str) -> None:
        """Checks what the commit just made may have broken."""
        checks = {
            "index.commit": self.heads_are_whole,
            "change.commit": self.intervals_never_overlap,
            "fetcher.commit": self.jobs_add_up,
            "gateway.commit": self.ended_jobs_stand,
        }
        if effect in checks:
            await checks[effect]()

    async def everything(self) -> None:
        """Checks all that can be checked at any time."""
        await self.heads_are_whole()
        await self.intervals_never_overlap()
        await self.jobs_add_up()

    async def heads_are_whole(self) -> None:
        """Invariants 2 and 6: a head moves forward only, and what it lists is live and stored."""
        async with self._world.index_db.reading() as connection:
            heads = (await connection.execute(select(index_tables.HEAD))).all()
            rows = (await connection.execute(select(index_tables.CHUNK))).all()
        chunks = {row.chunk_id: row for row in rows}
        for head in heads:
            key = (head.observed_from, head.revision)
            before = self._heads.get(head.page_id)
            assert before is None or before <= key, f"head of {head.page_id} moved back"
            self._heads[head.page_id] = key
            if not head.closed:
                await self._is_live(head, chunks)

    async def _is_live(self, head: Row[tuple[object, ...]], chunks: dict[str, Row]) -> None:  # type: ignore[type-arg]
        manifest = await self.manifest(head.manifest_digest)
        listed = {chunk.chunk_id: chunk for chunk in manifest.chunks}
        for chunk_id in listed:
            row = chunks.get(chunk_id)
            assert row is not None, f"{head.canonical_url} lists an unknown chunk"
            assert row.state == "live", f"{head.canonical_url} lists a {row.state} chunk"
            assert row.wording_id, f"{head.canonical_url} lists a chunk whose mirrors are unknown"
        names = {object_id(chunk, chunks[chunk].incarnation): chunk for chunk in listed}
        stored = await self._world.store.get(sorted(names))
        assert len(stored) == len(names), f"{head.canonical_url} lists chunks not in the store"
        for entry in stored:
            assert entry.embedding_key == listed[entry.chunk_id].embedding_key

    async def intervals_never_overlap(self) -> None:
        """Invariant 6: stays of a page follow each other, and equal neighbours are one stay."""
        statement = select(change_tables.run).order_by("page_id", "observed_from")
        async with self._world.change_db.reading() as connection:
            stays = (await connection.execute(statement)).all()
        for first, second in pairwise(stays):
            if first.page_id != second.page_id:
                continue
            assert first.observed_to is not None, "a stay without end has a successor"
            assert first.observed_to <= second.observed_from, "stays overlap"
            assert first.last_observed < second.observed_from

    async def jobs_add_up(self) -> None:
        """Invariant 1: one outcome a page, and counts that are the rows' own."""
        async with self._world.fetcher_db.reading() as connection:
            jobs = (await connection.execute(JOBS)).all()
            rows = (await connection.execute(PAGES_OF_JOBS)).all()
            hosts = (await connection.execute(HOSTS)).all()
            waiting = {(row.host_key, row.lane) for row in await connection.execute(WAITING)}
        for job in jobs:
            own = [row for row in rows if row.job_id == job.job_id]
            counts = Counter({row.outcome: row.pages for row in own if row.state == "closed"})
            assert set(counts) <= OUTCOMES, counts
            still_open = sum(row.pages for row in own if row.state != "closed")
            assert job.open_count == still_open, f"{job.job_id} counts wrongly"
            for outcome in OUTCOMES:
                assert getattr(job, f"{outcome}_count") == counts[outcome]
            if job.state in ENDED:
                assert job.open_count == 0
        for host in hosts:
            _wakes(host, waiting)

    async def ended_jobs_stand(self) -> None:
        """Invariant 1 at the gateway: a job that callers saw end stays as it ended."""
        for job_id in self._world.jobs:
            job = await self._world.front.job(job_id)
            if job.state in ENDED:
                seen = self._ended.setdefault(job_id, job)
                assert (seen.state, seen.counts) == (job.state, job.counts), job_id

    def searched(self, answer: RetrieveResponse) -> None:
        """Invariants 3 and 4: one version a page, inside the scope as it stands now."""
        versions: dict[str, str] = {}
        for passage in answer.evidence:
            assert versions.setdefault(passage.page_id, passage.version_id) == passage.version_id
            rules = self._world.book.get(self._world.ref).rules
            assert matching_rule(rules, passage.canonical_url) is not None
            for mirror in passage.mirrors:
                assert mirror.page_id != passage.page_id
                assert matching_rule(rules, mirror.canonical_url) is not None
        chunk_ids = [passage.chunk_id for passage in answer.evidence]
        assert len(chunk_ids) == len(set(chunk_ids)), "a chunk was returned twice"

    async def answered(self, answer: AnswerResponse) -> None:
        """Invariants 4 and 5: what an answer cites is in the scope, and stands where it says."""
        for citation in answer.citations:
            await self._cited(citation)

    async def answered_inside(self, answer: AnswerResponse) -> None:
        """Invariants 4 and 5 before the gateway's last look.

        What is purged while the explainer answers may be in its answer: the gateway drops it.
        """
        for citation in answer.citations:
            if not (self._world.forgets and await self._is_dropped(citation)):
                await self._cited(citation)

    async def _cited(self, citation: Citation) -> None:
        rules = self._world.book.get(self._world.ref).rules
        assert matching_rule(rules, citation.canonical_url) is not None
        await self._is_verbatim(citation)
        self._citations[f"{citation.version_id} {citation.start} {citation.end}"] = citation

    async def served(self, asked: Asked) -> None:
        """Invariants 3 to 5 at the gateway: an answer of its scope in time, or a clear error."""
        outcome = asked.outcome
        assert outcome is not None
        if outcome.failure is not None:
            # Stores and services refuse, and time passes; nothing else is wrong with a question.
            assert outcome.code in PASSING_CODES, outcome.failure
            assert outcome.failure.message
            assert outcome.failure.reason in published_reasons(), outcome.failure.reason
            assert outcome.code != "UNAVAILABLE" or outcome.failure.retry_after_seconds
            return
        assert asked.ended < asked.due, "an answer came after its deadline"
        if isinstance(outcome.response, RetrieveResponse):
            self.searched(outcome.response)
            return
        await self.answered(outcome.response)
        for citation in outcome.response.citations:
            await self._was_observed(citation)

    async def _was_observed(self, citation: Citation) -> None:
        """What is cited is a version of that page, and the text is that version's."""
        row = await self._version(citation)
        assert citation.page_id == row.page_id
        if row.dropped_reason != "purged":
            assert citation.text_digest == row.text_digest
            return
        # It was observed after the mark, by a fetch that began before the fetcher heard of it.
        for purge in await self._world.front.ports.purges.under_way():
            seen = citation.clocks.verified_time
            assert not purge.covers(citation.page_id, citation.canonical_url, observed=seen)

    async def _is_dropped(self, citation: Citation) -> bool:
        return (await self._version(citation)).dropped_time is not None

    async def _version(self, citation: Citation) -> Row:  # type: ignore[type-arg]
        table = change_tables.version
        statement = select(table).where(table.c.version_id == citation.version_id)
        async with self._world.change_db.reading() as connection:
            row = (await connection.execute(statement)).one_or_none()
        assert row is not None, f"{citation.version_id} never was"
        return row

    async def _is_verbatim(self, citation: Citation) -> None:
        blob = await self._world.archive.inner.get(BodyRef(digest=citation.text_digest))
        shown = blob.decode()[citation.start : citation.end]
        assert shown == citation.quote, f"{citation.canonical_url} says {shown!r}"

    async def citations_resolve(self) -> None:
        """Invariant 5: every citation ever given resolves to its exact text, however old."""
        citations = list(self._citations.values())
        for start in range(0, len(citations), CITATIONS_MAX):
            some = citations[start : start + CITATIONS_MAX]
            for cited, found in zip(some, await self._world.resolve(some), strict=True):
                if found.anchor is Anchor.TOMBSTONE and self._world.forgets:
                    # Its version is not kept; the quote stays.
                    assert found.quote == cited.quote
                    continue
                assert found.verbatim, f"{cited.canonical_url} is {found.anchor}: {found.reason}"
                assert found.quote == cited.quote
                await self._is_verbatim(cited)

    async def index_is_sound(self) -> None:
        """Invariant 2 at rest: what compares the store with rows and archive finds no fault."""
        world = self._world
        ports = replace(world.indexer, store=world.store.inner)
        tools = MaintenanceTools(
            ports=ports, inventory=SqlInventory(world.index_db), store=world.store.inner
        )
        report = await reconcile(tools, dry_run=True)
        assert report.faults == 0, report

    async def all_is_done(self) -> None:
        """Invariants 1 and 8 at rest: every job has ended, once; nothing is owed to anybody."""
        # Those that people asked for, and those of the recrawl.
        jobs = await self._world.fetcher.catalogue.jobs(())
        unended = [job.job_id for job in jobs if job.state not in ENDED]
        ledger = {job.job_id: job for job in jobs}
        assert set(ledger) >= set(self._world.jobs), "a job was lost"
        for job_id in self._world.jobs:
            told, kept = await self._world.front.job(job_id), ledger[job_id]
            states = (told.state.value, kept.state.value)
            assert states[0] == states[1], job_id
            assert told.counts == kept.counts, job_id
        assert unended == []
        finished: dict[str, set[str]] = {}
        for outgoing in self._world.bus.published:
            if isinstance(outgoing.message, CrawlFinished):
                events = finished.setdefault(outgoing.message.job_id, set())
                events.add(outgoing.event_id)
        assert {job: len(events) for job, events in finished.items()} == dict.fromkeys(
            [job.job_id for job in jobs], 1
        )
        front = self._world.front
        assert len(front.asked) == front.begun, "a question never ended"
        await self.everything()
        await self.verified_times_are_proved()
        await self.archive_is_whole()
        await self.citations_resolve()

    async def verified_times_are_proved(self) -> None:
        """Invariant 6 at rest: a head is verified as late as its timeline says, and no later."""
        runs = select(
            change_tables.run.c.page_id,
            func.max(change_tables.run.c.last_observed).label("last_observed"),
        )
        async with self._world.change_db.reading() as connection:
            found = await connection.execute(runs.group_by(change_tables.run.c.page_id))
            proved = {row.page_id: row.last_observed for row in found}
        async with self._world.index_db.reading() as connection:
            heads = (await connection.execute(select(index_tables.HEAD))).all()
        for head in heads:
            if not head.closed and head.page_id in proved:
                assert head.verified_time <= proved[head.page_id], head.canonical_url

    async def archive_is_whole(self) -> None:
        """Invariant 5 at rest: the archive has what a kept version is made of, whoever deletes."""
        table = change_tables.version
        async with self._world.change_db.reading() as connection:
            kept = await connection.execute(select(table).where(table.c.dropped_time.is_(None)))
        archive = self._world.archive.inner
        for row in kept.all():
            for digest in (row.manifest_digest, row.text_digest, row.document_digest):
                if digest:
                    await archive.get(BodyRef(digest=digest))

    async def search_returns_what_heads_list(self) -> None:
        """Invariant 2: everything that is current and in scope is found, each exactly once."""
        answer = await self._world.search("value", limit=100)
        self.searched(answer)
        expected = set()
        rules = self._world.book.get(self._world.ref).rules
        async with self._world.index_db.reading() as connection:
            heads = (await connection.execute(select(index_tables.HEAD))).all()
        for head in heads:
            if not head.closed and matching_rule(rules, head.canonical_url) is not None:
                manifest = await self.manifest(head.manifest_digest)
                expected |= {chunk.chunk_id for chunk in manifest.chunks}

        # Chunks that say the same are told as one passage, neighbours are joined.
        found = {
            chunk_id
            for passage in answer.evidence
            for chunk_id in (passage.joined_chunk_ids or (passage.chunk_id,))
        }
        assert found <= expected
        assert len(expected - found) == sum(item.near_duplicates for item in answer.evidence)

    async def manifest(self, digest: str) -> Manifest:
        if digest not in self._manifests:
            blob = await self._world.archive.get(BodyRef(digest=digest))
            self._manifests[digest] = wire.decode(Manifest, blob)
        return self._manifests[digest]

    async def texts(self) -> dict[str, str | None]:
        """Returns what each page's head says, by canonical URL; None where it is closed."""
        async with self._world.index_db.reading() as connection:
            heads: Sequence[Row] = (await connection.execute(select(index_tables.HEAD))).all()  # type: ignore[type-arg]
        found: dict[str, str | None] = {}
        for head in heads:
            if head.closed:
                found.setdefault(head.canonical_url, None)
                continue
            manifest = await self.manifest(head.manifest_digest)
            found[head.canonical_url] = (await self._world.archive.get(manifest.text)).decode()
        return found


def _wakes(host: Row, waiting: Set[tuple[str, str]]) -> None:  # type: ignore[type-arg]
    """Invariant 1: somebody looks at each host on which something waits, or that is held."""
    for lane, wake in (("now", host.wake_now), ("bulk", host.wake_bulk)):
        waits = host.lease_id is not None or (host.host_key, lane) in waiting
        assert wake is not None or not waits, f"{host.host_key} sleeps for ever on {lane}"
    if host.lease_id is not None:
        free = max(host.lease_until, host.next_allowed_time)
        assert host.wake_bulk <= free, f"{host.host_key} is looked at too late"
