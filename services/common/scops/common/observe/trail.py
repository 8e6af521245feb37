"""What an effect inherits from its cause: its trace, the request that began it, and its job.

A trail travels in the headers of messages and questions, and in a column of rows that are acted
on later. It is data beside the work: nothing decides by it, and a malformed one is dropped.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

from scops.common.observe.log import bound_ids

TRACE_PARENT = "traceparent"
REQUEST_ID = "scops-request-id"
JOB_ID = "scops-job-id"
SEPARATOR = " "
# W3C Trace Context, section 3.2: version, trace, parent, flags.
SAMPLED = 0x01
TRACE_PARENT_FORM = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
ID_FORM = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """Where some work comes from; what is unknown is empty.

    Attributes:
        trace_parent: the span that caused it, as a W3C `traceparent`.
        request_id: of the call from outside.
        job_id: the oldest job it is done for.
    """

    trace_parent: str = ""
    request_id: str = ""
    job_id: str = ""

    @property
    def trace_id(self) -> str:
        """The trace that it belongs to."""
        return self.trace_parent.partition("-")[2].partition("-")[0]

    @property
    def is_sampled(self) -> bool:
        """Whether its trace is recorded; other flags, such as that its id is random, may be set."""
        return bool(int(self.trace_parent[-2:] or "0", 16) & SAMPLED)


NOWHERE = Trail()
NAMES = tuple(field.name for field in fields(Trail))
_current: ContextVar[Trail] = ContextVar("trail", default=NOWHERE)


def current() -> Trail:
    """Returns the trail of the running work."""
    return _current.get()


@contextmanager
def following(trail: Trail) -> Iterator[None]:
    """Makes a trail current, and binds its ids to every event logged inside."""
    token = _current.set(trail)
    try:
        with bound_ids(request_id=trail.request_id, job_id=trail.job_id, trace_id=trail.trace_id):
            yield
    finally:
        _current.reset(token)


def headers_of(trail: Trail) -> dict[str, str]:
    """Returns the headers that carry a trail; what is unknown has none."""
    headers = {
        TRACE_PARENT: trail.trace_parent,
        REQUEST_ID: trail.request_id,
        JOB_ID: trail.job_id,
    }
    return {name: value for name, value in headers.items() if value}


def trail_of(headers: Mapping[str, str]) -> Trail:
    """Reads the trail from headers."""
    return trail(
        trace_parent=headers.get(TRACE_PARENT, ""),
        request_id=headers.get(REQUEST_ID, ""),
        job_id=headers.get(JOB_ID, ""),
    )


def trail(*, trace_parent: str = "", request_id: str = "", job_id: str = "") -> Trail:
    """Returns a trail of what others sent: a malformed part is as good as none."""
    return Trail(
        trace_parent=trace_parent if TRACE_PARENT_FORM.fullmatch(trace_parent) else "",
        request_id=request_id if ID_FORM.fullmatch(request_id) else "",
        job_id=job_id if ID_FORM.fullmatch(job_id) else "",
    )


def to_text(trail: Trail) -> str:
    """Returns a trail as one column holds it."""
    return SEPARATOR.join((trail.trace_parent, trail.request_id, trail.job_id)).rstrip()


def from_text(text: str) -> Trail:
    """Reads what `to_text` wrote; anything else is as good as nothing."""
    parts = text.split(SEPARATOR)
    if len(parts) > len(NAMES):
        return NOWHERE
    return trail(**dict(zip(NAMES, parts, strict=False)))
