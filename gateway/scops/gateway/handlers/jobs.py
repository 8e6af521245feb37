"""Use cases of the JobService."""

from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.access.permissions import Permission
from scops.common.access.visibility import visible_scopes
from scops.common.contract.errors import InvalidInput, NotFound, TransientError
from scops.common.contract.ids import JobId, ScopeId, uuid7
from scops.common.contract.messages.crawl import JobStatusRequest, PageOutcome
from scops.common.contract.messages.types import RuleKind, Scope
from scops.common.query.ports import JOB_STATUS
from scops.common.scope.hosts import HostLists
from scops.common.scope.rules import unusable_rules
from scops.common.scope.urls import routed_url
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.spending import charged_job, no_room
from scops.gateway.jobs.job import Job, cancel_command, start_command
from scops.gateway.jobs.ledger import absorb
from scops.gateway.ports import GatewayPorts, JobFilter
from scops.gateway.requests.limits import about_field, checked_page_size
from scops.gateway.requests.names import job_name, scope_name
from scops.gateway.requests.request_keys import request_key
from scops.gateway.scopes.scope_check import PAGE_LIMIT_MAX, check_inside, check_range
from scops.gateway.scopes.stored_scope import ref_of

ENTROPY_BYTES = 10
# Of a job that names its pages; together they fit an event, which stays under 64 KiB.
URLS_MAX = 100
URLS_BYTES_MAX = 48 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWithOutcomes:
    """A job with the outcome of each page, or the reason why the outcomes are missing."""

    job: Job
    outcomes: tuple[PageOutcome, ...] = ()
    missing_reason: str = ""


async def create_job(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    urls: Sequence[str],
    page_limit: int,
    request_id: str,
) -> Job:
    """Accepts a crawl of a scope, or a fetch of the pages named by `urls`.

    Raises:
        InvalidInput: a URL or limit cannot be used, or the scope has nothing to start from.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not crawl it, or not have its pages fetched.
        ResourceExhausted: the caller may not have so much fetched today.
    """
    needed = Permission.REVALIDATE if urls else Permission.CRAWL
    scope = (await scope_for(ports, call, scope_id, needed)).scope
    _check_readable(scope)
    principal = call.principal
    arguments = ("CreateJob", scope_id, repr(tuple(urls)), str(page_limit))
    key = request_key(principal, request_id, *arguments)
    now = ports.clock.now()
    job = Job(
        job_id=JobId(uuid7(now, ports.random.randbytes(ENTROPY_BYTES))),
        organisation_id=principal.organisation_id,
        owner=principal.principal_id,
        scope=ref_of(scope),
        urls=_checked_urls(scope, urls, ports.hosts),
        page_limit=_checked_page_limit(page_limit, urls),
        created_time=now,
        sent_time=now,
    )
    if not job.urls:
        _check_start(scope)
    job, charge = await charged_job(ports, principal, job, scope)
    accepted = await ports.jobs.accept(job, start_command(job), key=key, charge=charge)
    if accepted is None:
        assert charge is not None, "what costs nothing has room"
        raise await no_room(ports, charge, now=now)
    ports.outbox_wakeup.notify()
    return accepted


async def get_job(ports: GatewayPorts, call: Call, job_id: JobId) -> JobWithOutcomes:
    """Returns a job as its ledger holds it now, or as last heard of.

    Raises:
        NotFound: there is no such job, or it is hidden.
    """
    job = await visible_job(ports, call, job_id)
    asked_time = ports.clock.now()
    try:
        response = await ask(ports, JOB_STATUS, JobStatusRequest(job_ids=(job_id,)), call=call)
    except TransientError as error:
        return JobWithOutcomes(job=job, missing_reason=error.message)
    record = next((item for item in response.jobs if item.job_id == job_id), None)
    if record is None:
        return JobWithOutcomes(job=job, missing_reason="The fetcher has not taken the job up yet.")
    await absorb(ports, record, asked_time=asked_time)
    outcomes = tuple(sorted(record.outcomes, key=lambda outcome: outcome.url))
    return JobWithOutcomes(job=await ports.jobs.get(job_id) or job, outcomes=outcomes)


async def list_jobs(
    ports: GatewayPorts, call: Call, *, scope_id: ScopeId | None, page_size: int, page_token: str
) -> tuple[tuple[Job, ...], str]:
    """Returns some of the jobs that the caller may see, newest first, and the next token.

    Raises:
        NotFound: `scope_id` names no scope, or a hidden one.
    """
    if scope_id is not None:
        await scope_for(ports, call, scope_id, Permission.ASK)
    size = checked_page_size(page_size)
    principal = call.principal
    bound_to = ("ListJobs", principal.organisation_id, principal.principal_id, scope_id or "")
    before = JobId(await ports.tokens.open(page_token, bound_to=bound_to))
    visible = await _job_filter(ports, call, scope_id)
    jobs = await ports.jobs.newest(visible, before=before, limit=size + 1)
    cursor = jobs[size - 1].job_id if len(jobs) > size else ""
    return jobs[:size], await ports.tokens.seal(cursor, bound_to=bound_to)


async def cancel_job(ports: GatewayPorts, call: Call, job_id: JobId) -> Job:
    """Cancels a job; one that has ended stays as it is.

    Raises:
        NotFound: there is no such job, or it is hidden.
        NotPermitted: somebody else asked for it, and the caller may not crawl its scope.
    """
    job = await visible_job(ports, call, job_id)
    if job.owner != call.principal.principal_id:
        await scope_for(ports, call, job.scope.scope_id, Permission.CRAWL)
    await ports.jobs.request_cancel(job_id, cancel_command(job), now=ports.clock.now())
    ports.outbox_wakeup.notify()
    return await ports.jobs.get(job_id) or job


async def visible_job(ports: GatewayPorts, call: Call, job_id: JobId) -> Job:
    """Returns a job that the caller may see, as it was last heard of.

    Raises:
        NotFound: there is no such job, or it is hidden.
    """
    job = await ports.jobs.get(job_id)
    if job is None or not _is_visible(job, await _filter_of(ports, call, job)):
        raise NotFound(
            f"{job_name(job_id)} was not found, or you may not see it. "
            "List the jobs to see which there are.",
            reason="JOB_NOT_FOUND",
            field="name",
            resource=job_name(job_id),
        )
    return job


async def _filter_of(ports: GatewayPorts, call: Call, job: Job) -> JobFilter:
    """Returns what a caller may see of the jobs of one job's scope."""
    of_scope = (job.scope.scope_id,)
    stored = await ports.scopes.some(call.principal.organisation_id, of_scope)
    return _filter(call, [item.scope for item in stored])


async def _job_filter(ports: GatewayPorts, call: Call, scope_id: ScopeId | None) -> JobFilter:
    stored = await ports.scopes.all(call.principal.organisation_id)
    return _filter(call, [item.scope for item in stored], scope_id)


def _filter(call: Call, scopes: Sequence[Scope], scope_id: ScopeId | None = None) -> JobFilter:
    visible = {scope.scope_id for scope in visible_scopes(call.principal, scopes)}
    return JobFilter(
        organisation_id=call.principal.organisation_id,
        owner=call.principal.principal_id,
        scope_ids=tuple(sorted(visible)),
        hidden_ids=frozenset(scope.scope_id for scope in scopes) - visible,
        only_scope=scope_id,
    )


def _is_visible(job: Job, visible: JobFilter) -> bool:
    return job.organisation_id == visible.organisation_id and visible.lets_see(job)


def _checked_urls(scope: Scope, urls: Sequence[str], hosts: HostLists) -> tuple[str, ...]:
    size = sum(len(url.encode()) for url in urls)
    if len(urls) > URLS_MAX or size > URLS_BYTES_MAX:
        raise InvalidInput(
            f"The job names {len(urls)} URLs of {size} bytes; at most {URLS_MAX} "
            f"of {URLS_BYTES_MAX} bytes are fetched at once. "
            "Split it, or crawl the scope.",
            reason="TOO_MANY_URLS",
            field="job.urls",
        )
    checked = []
    for index, url in enumerate(urls):
        field = f"job.urls[{index}]"
        with about_field(field):
            checked.append(routed_url(url))
        check_inside(scope, checked[-1], field=field)
        hosts.check(checked[-1], field=field)
    return tuple(dict.fromkeys(checked))


def _checked_page_limit(page_limit: int, urls: Sequence[str]) -> int:
    check_range("job.page_limit", page_limit, PAGE_LIMIT_MAX)
    if urls and page_limit:
        raise InvalidInput(
            "A job with urls fetches exactly these; leave page_limit out.",
            reason="PAGE_LIMIT_WITH_URLS",
            field="job.page_limit",
        )
    return page_limit


def _check_readable(scope: Scope) -> None:
    errors = unusable_rules(scope.rules)
    if errors:
        name = scope_name(scope.scope_id)
        raise InvalidInput(
            f"{name} has a rule that is not read any more. {errors[0].message} Update its rules.",
            reason="SCOPE_RULES_UNUSABLE",
            field="job.scope",
            resource=name,
        )


def _check_start(scope: Scope) -> None:
    picked = any(rule.kind is RuleKind.PAGE and not rule.exclude for rule in scope.rules)
    if not (scope.seeds or scope.sitemaps or picked):
        name = scope_name(scope.scope_id)
        raise InvalidInput(
            f"{name} has nothing to start a crawl from. Update it with a seed inside its rules, "
            "a sitemap, or a rule of kind page.",
            reason="SCOPE_WITHOUT_SEEDS",
            field="job.scope",
            resource=name,
        )
