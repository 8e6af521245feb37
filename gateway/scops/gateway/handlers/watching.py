"""Use cases of streams that last: each looks once, and says what is new since the look before.

Whoever carries the stream looks again and again, each time as a call of its own: who calls and
what they may do is known anew, so that what is taken back ends a stream.
"""

from dataclasses import dataclass
from typing import Any

from scops.common.contract.ids import JobId
from scops.gateway.calls import Call
from scops.gateway.handlers.jobs import JobWithOutcomes, get_job, visible_job
from scops.gateway.jobs.job import OPEN_STATES, Job
from scops.gateway.ports import GatewayPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a look saw.

    Attributes:
        parts: of the stream, in order.
        told: what the next look is told of this one.
        is_over: whether there is nothing more to see.
    """

    parts: tuple[Any, ...]
    told: Any
    is_over: bool = False


async def watch_job(ports: GatewayPorts, call: Call, told: Job | None, *, job_id: JobId) -> Look:
    """Looks at a job; one that has ended comes with the outcome of each page, and is the last.

    Args:
        told: the job as the caller knows it.

    Raises:
        NotFound: there is no such job, or it is hidden.
    """
    job = await visible_job(ports, call, job_id)
    if job.state not in OPEN_STATES:
        ended = await get_job(ports, call, job_id)
        return Look(parts=(ended,), told=job, is_over=True)
    is_news = told is None or _shown(told) != _shown(job)
    return Look(parts=(JobWithOutcomes(job=job),) if is_news else (), told=job)


def _shown(job: Job) -> tuple[object, ...]:
    return job.state, job.counts, job.cancel_reason
