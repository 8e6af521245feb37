"""Works on research runs: looks at the question, chooses links, has their pages fetched, again.

Whatever is decided is kept before it is acted on, with the job that it leads to, so that a run
goes on where it was when the gateway that works on it is gone.
"""

import asyncio
import uuid
from dataclasses import replace
from datetime import timedelta

from scops.common.access.assertion import IdentitySigner
from scops.common.access.bearing import bearing
from scops.common.access.permissions import Permission
from scops.common.contract.errors import ScopsError, TransientError
from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import JobState, JobStatusRequest
from scops.common.contract.messages.explanation import AnswerMode, AnswerRequest, AnswerResponse
from scops.common.observe.log import get_logger
from scops.common.query.ports import JOB_STATUS
from scops.common.scope.rules import in_scope
from scops.gateway import metrics
from scops.gateway.calls import Call
from scops.gateway.chats.chat import TURNS_MAX
from scops.gateway.handlers.alerts.owners import owner_of
from scops.gateway.handlers.jobs import create_job
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.research.asking import asked_names
from scops.gateway.handlers.research.dropping import drop_due
from scops.gateway.handlers.research.links import (
    KnownLinks,
    only_promises,
    page_of,
    ranked_links,
    with_passed,
    with_start,
)
from scops.gateway.handlers.research.papers import let_in, record_papers
from scops.gateway.handlers.research.site_search import with_index
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.search import answer
from scops.gateway.ports import GatewayPorts
from scops.gateway.research.research import (
    Research,
    ResearchPage,
    ResearchState,
    ResearchStep,
    StopReason,
)
from scops.gateway.research.stopping import (
    COVERED,
    room_of,
    stop_after_links,
    stop_before_links,
    total_of,
)

# Runs that a gateway works on at once.
RUNNING_MAX = 8
# Of whoever works on a run; it is renewed at each step, and a step takes no longer than it.
CLAIM = timedelta(seconds=150)
QUESTION = timedelta(seconds=30)
# After a service did not answer; a run that has been without one for so long is given up.
AGAIN, GIVEN_UP = timedelta(seconds=15), timedelta(minutes=10)
# For the pages of a step; what is open then is passed by, and fetched all the same.
FETCH_SECONDS = 60.0
POLL_SECONDS = 0.1
PASSAGES = 10
log = get_logger("gateway")


class ResearchRuns:
    """Runs that this gateway works on, several at once."""

    def __init__(self, ports: GatewayPorts) -> None:
        self._ports = ports
        self._signer: IdentitySigner | None = None
        self._running: set[asyncio.Task[None]] = set()

    def open(self, signer: IdentitySigner) -> None:
        """Has runs worked on from now on.

        Args:
            signer: signs for whom other services are asked.
        """
        self._signer = signer

    async def begin_due(self) -> bool:
        """Takes up runs that nobody works on; returns whether there may be more."""
        room = RUNNING_MAX - len(self._running)
        if not room or self._signer is None:
            return False
        now = self._ports.clock.now()
        claimed = await self._ports.research.claim(now=now, until=now + CLAIM, limit=room)
        for run in claimed:
            task = asyncio.create_task(work_on(self._ports, run, self._signer))
            self._running.add(task)
            task.add_done_callback(self._ended)
        return len(claimed) == room

    async def stop(self) -> None:
        """Leaves what has begun, which is taken up again when its claim has run out."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._ports.research_wakeup.notify()
        if not task.cancelled() and (error := task.exception()) is not None:
            # The claim runs out, and it is taken up again.
            log.warning("research_interrupted", error=str(error))


async def work_on(ports: GatewayPorts, run: Research, signer: IdentitySigner) -> None:
    """Works on a run until it has ended, somebody else has ended it, or a service is away.

    It is taken up again then, in a while; long after its time is used up it has failed.

    Raises:
        StoreRefusal: what was decided cannot be kept.
    """
    links = KnownLinks()
    while run.is_open:
        try:
            run = await _next(ports, run, signer, links)
        except TransientError as error:
            now = ports.clock.now()
            if now < run.created_time + timedelta(seconds=run.budget.seconds) + GIVEN_UP:
                log.info("research_waits", research_id=run.research_id, error=error.message)
                await ports.research.save(run, until=now + AGAIN)
                return
            run = _ended(ports, run, StopReason.FAILED, message=error.message)
        except ScopsError as error:
            run = _ended(ports, run, StopReason.FAILED, message=error.message)
        until = ports.clock.now() + CLAIM if run.is_open else None
        if not await ports.research.save(run, until=until):
            return
    await drop_due(ports)
    metrics.RESEARCHES.labels(stopped=run.stopped.value).inc()
    log.info(
        "research_ended",
        research_id=run.research_id,
        stopped=run.stopped.value,
        pages=len(run.pages),
    )


async def _next(
    ports: GatewayPorts, run: Research, signer: IdentitySigner, links: KnownLinks
) -> Research:
    """Returns a run one decision further."""
    owner = await owner_of(ports, run)
    if owner is None:
        message = "The key that it was asked with has ended."
        return _ended(ports, run, StopReason.FAILED, message=message)
    deadline = ports.clock.now() + QUESTION
    call = Call(principal=owner, deadline=deadline, request_id=run.research_id)
    with bearing(signer.assertion(owner, until=deadline + CLAIM)):
        if run.job_id:
            fetched = await _fetched(ports, run, call)
            await record_papers(ports, run, fetched, call, links.papers)
            return fetched
        if not run.pages and run.start_url:
            return await with_start(ports, run, call)
        if any(not page.outcome for page in run.pages):
            return await _begun(ports, run, call)
        if run.steps and run.steps[-1].stopped is not StopReason.NONE:
            return await _answered(ports, run, call)
        return await _looked(ports, run, call, links)


async def _looked(ports: GatewayPorts, run: Research, call: Call, links: KnownLinks) -> Research:
    """Looks at the question with all that is known, and ends the run or chooses what to fetch."""
    found = await _asked(ports, run, call)
    run = _with_use(run, found)
    step = _step(ports, run, found)
    if step.coverage >= COVERED and await only_promises(ports, run, call, found, links):
        step = replace(step, coverage=0.0, probability=0.0)
    stopped = stop_before_links(run, step, ports.clock.now())
    if stopped is not StopReason.NONE:
        return replace(run, steps=(*run.steps, replace(step, stopped=stopped)))
    ranked = await ranked_links(ports, run, call, found, links)
    run = with_passed(with_index(run, links.search, step=step.number), links)
    gains = [gain.gain for _, gain in ranked]
    step = replace(step, candidates=len(ranked), best_gain=max(gains, default=0.0))
    stopped = stop_after_links(gains, step.coverage)
    if stopped is not StopReason.NONE:
        return replace(run, steps=(*run.steps, replace(step, stopped=stopped)))
    chosen = tuple(page_of(link, gain, step.number) for link, gain in ranked[: room_of(run)])
    step = replace(step, chosen=len(chosen))
    # Kept before anything is fetched: after a kill another look might choose otherwise.
    return replace(run, pages=(*run.pages, *chosen), steps=(*run.steps, step))


async def _asked(ports: GatewayPorts, run: Research, call: Call) -> AnswerResponse:
    question = AnswerRequest(query=run.question, limit=PASSAGES, mode=AnswerMode.EXTRACTIVE)
    kept = await answer(ports, call, question=question, scopes=asked_names(run))
    return kept.answer


async def _answered(ports: GatewayPorts, run: Research, call: Call) -> Research:
    """Keeps the answer, whatever it is worth, and ends the run.

    An answer that was kept before a kill is not asked for again.
    """
    turns = await ports.chats.turns(run.chat_id, after=0, limit=TURNS_MAX)
    turn = next((one for one in turns if one.query == run.question), None)
    if turn is None:
        question = AnswerRequest(query=run.question, limit=PASSAGES)
        names = asked_names(run)
        kept = await answer(ports, call, question=question, scopes=names, chat_id=run.chat_id)
        given, number = kept.answer, int(kept.turn.rpartition("/")[2] or 0)
    else:
        given, number = turn.answer, turn.number
    cited = {one.canonical_url for one in given.citations}
    pages = tuple(replace(page, cited=page.url in cited) for page in run.pages)
    return _ended(ports, replace(run, pages=pages, turn=number), run.steps[-1].stopped)


async def _begun(ports: GatewayPorts, run: Research, call: Call) -> Research:
    """Has the pages fetched that are open; the job is the same however often this is done."""
    run = await let_in(ports, run, call)
    urls = [page.url for page in run.pages if not page.outcome]
    if not urls:
        return run
    job = await create_job(
        ports,
        call,
        scope_id=run.scope_id,
        urls=urls,
        page_limit=0,
        request_id=str(uuid.uuid5(uuid.UUID(run.research_id), str(len(run.pages)))),
    )
    return replace(run, job_id=job.job_id, jobs=tuple(dict.fromkeys((*run.jobs, job.job_id))))


async def _fetched(ports: GatewayPorts, run: Research, call: Call) -> Research:
    """Waits for the pages of a job, and returns the run with what came of them."""
    until = ports.clock.now() + timedelta(seconds=FETCH_SECONDS)
    request = JobStatusRequest(job_ids=(run.job_id,))
    while True:
        told = await ask(ports, JOB_STATUS, request, call=_until(call, ports))
        record = next((one for one in told.jobs if one.job_id == run.job_id), None)
        if record is not None and record.state is not JobState.RUNNING:
            break
        if ports.clock.now() >= until:
            break
        await ports.clock.sleep(POLL_SECONDS)
    outcomes = {one.url: one for one in record.outcomes} if record is not None else {}
    pages, chosen = [], {page.url for page in run.pages}
    scope = (await scope_for(ports, call, run.scope_id, Permission.REVALIDATE)).scope
    for page in run.pages:
        one = outcomes.get(page.url)
        joined = one.joined_url if one is not None and one.outcome == "joined" else ""
        if page.outcome:
            pages.append(page)
        elif one is None or one.outcome in ("", "open"):
            pages.append(replace(page, outcome="late"))
        elif joined and not in_scope(scope, joined):
            # It leads to where nobody goes, and is named by where it was found.
            pages.append(replace(page, outcome="blocked", reason="moved_outside"))
        else:
            pages.append(
                replace(
                    page,
                    # A second name of a page of the run is none of its own.
                    url=page.url if joined in chosen else joined or page.url,
                    outcome=one.outcome,
                    reason=one.reason,
                    page_id=one.page_id,
                )
            )
    taken = await _fetched_bytes(ports, run, call)
    return replace(run, pages=tuple(pages), job_id=JobId(""), fetched_bytes=taken)


async def _fetched_bytes(ports: GatewayPorts, run: Research, call: Call) -> int:
    """Returns the bytes of every job of a run, counted anew: one that was late has gone on."""
    request = JobStatusRequest(job_ids=run.jobs)
    told = await ask(ports, JOB_STATUS, request, call=_until(call, ports))
    return sum(one.counts.fetched_bytes for one in told.jobs if one.job_id in run.jobs)


def _until(call: Call, ports: GatewayPorts) -> Call:
    return replace(call, deadline=ports.clock.now() + QUESTION)


def _step(ports: GatewayPorts, run: Research, found: AnswerResponse) -> ResearchStep:
    coverage = found.coverage
    return ResearchStep(
        number=len(run.steps) + 1,
        fetched=len(run.pages),
        fetched_bytes=run.fetched_bytes,
        coverage=total_of(coverage, answered=found.answered),
        probability=coverage.probability if coverage is not None else 0.0,
        words=coverage.words if coverage is not None else 0.0,
        missing_words=coverage.missing_words if coverage is not None else (),
        time=ports.clock.now(),
    )


def _with_use(run: Research, found: AnswerResponse) -> Research:
    """Returns a run whose pages say which of them came among the nearest passages."""
    near = {one.canonical_url for one in found.evidence}
    pages: list[ResearchPage] = [
        replace(page, useful=True) if page.url in near else page for page in run.pages
    ]
    return replace(run, pages=tuple(pages))


def _ended(
    ports: GatewayPorts, run: Research, stopped: StopReason, *, message: str = ""
) -> Research:
    failed = stopped is StopReason.FAILED
    return replace(
        run,
        state=ResearchState.FAILED if failed else ResearchState.ENDED,
        stopped=stopped,
        message=message,
        job_id=JobId(""),
        ended_time=ports.clock.now(),
    )
