"""Answers one question: decode, answer within the deadline, encode; errors of ours pass through."""

from datetime import datetime

from scops.common.contract import wire
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import monotonic_seconds
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import ANSWER_SECONDS, ANSWERED
from scops.common.observe.tracing import exemplar, span
from scops.common.query import codec
from scops.common.query.deadline import (
    TimeLimit,
    answering_until,
    deadline_exceeded,
    seconds_left,
)
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import QueryBinding

log = get_logger(__name__)


async def answer(
    binding: QueryBinding, data: bytes, deadline: datetime, *, clock: Clock, limit: TimeLimit
) -> bytes:
    """Returns the encoded answer.

    Raises:
        ScopsError: what the binding raised, or that the deadline passed; nothing else.
    """
    subject = binding.method.subject
    started, leads_to = monotonic_seconds(), None
    outcome = "ok"
    name = f"answer {binding.method.role}.{binding.method.name}"
    try:
        with span(name, "server", {"rpc.method": subject}):
            leads_to = exemplar()
            return await _within(binding, data, deadline, clock=clock, limit=limit)
    except ScopsError as error:
        outcome = type(error).__name__
        raise
    finally:
        ANSWERED.labels(subject, outcome).inc()
        ANSWER_SECONDS.labels(subject).observe(monotonic_seconds() - started, leads_to)


async def _within(
    binding: QueryBinding, data: bytes, deadline: datetime, *, clock: Clock, limit: TimeLimit
) -> bytes:
    subject = binding.method.subject
    left = seconds_left(deadline, clock, asked=subject)
    token = answering_until.set(deadline)
    try:
        async with limit(left):
            request = wire.decode(binding.method.request, data)
            reply = wire.encode(await binding.answer(request))
    except ScopsError:
        raise
    except TimeoutError as error:
        raise deadline_exceeded(subject) from error
    except Exception as error:
        # A bug ends this question alone: whoever asked is told, and the role goes on answering.
        log.exception("question_failed", method=subject, error=repr(error))
        raise codec.unexpected(error, asked=subject) from error
    finally:
        answering_until.reset(token)
    codec.check_reply_size(reply, asked=subject)
    return reply
