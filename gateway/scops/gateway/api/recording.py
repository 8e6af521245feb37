"""Writes the audit of a call that changes anything: an entry before it begins, one when it ended.

The first one stands before anything is done, so nothing is done without one; an entry without its
second one is of a call whose end nobody saw.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from google.protobuf.message import Message

from scops.api.v1alpha1 import search_service_pb2 as searches
from scops.common.contract.errors import ScopsError
from scops.common.observe.log import get_logger
from scops.gateway.audit.entry import BEGUN, AuditEntry, AuditFact
from scops.gateway.audit.facts import QUERY, facts_of, resource_of
from scops.gateway.calls import INTERNAL, OK, Call, failure_of
from scops.gateway.ports import GatewayPorts

REASON = "reason"
FETCHING = (
    searches.AnswerRequest.REVALIDATE_IF_RISKY,
    searches.AnswerRequest.REVALIDATE_ALWAYS,
)
_log = get_logger("gateway")


def is_recorded(ports: GatewayPorts, request: Message, *, read_only: bool) -> bool:
    """Returns whether a call is in the audit.

    Those are that change anything, which what is only tried does not; questions that have pages
    fetched; and every question where an operator wants them.
    """
    if not read_only:
        return not getattr(request, "dry_run", False)
    fetches = getattr(request, "revalidate", 0) in FETCHING
    return fetches or (ports.audits_queries and QUERY in request.DESCRIPTOR.fields_by_name)


@asynccontextmanager
async def recording(
    ports: GatewayPorts, call: Call, action: str, request: Message
) -> AsyncIterator[Callable[[Message], None]]:
    """Has the work of a call done between its entries; what it is given is told of its response.

    Raises:
        StoreRefusal: the audit cannot be written; nothing was done.
        ScopsError: as the work raised it.
    """
    begun = AuditEntry(
        time=ports.clock.now(),
        organisation_id=call.principal.organisation_id,
        principal=call.principal.principal_id,
        credential=call.kind,
        key=call.key.key_id if call.key is not None else "",
        action=action,
        resource=resource_of(request),
        outcome=BEGUN,
        facts=facts_of(request, queries=ports.audits_queries),
        request_id=call.request_id,
    )
    await ports.audit.append(begun)
    named = [begun.resource]
    try:
        yield lambda response: named.append(named[-1] or resource_of(response))
    except ScopsError as error:
        code = failure_of(error).code
        await _end(ports, begun, code, (AuditFact(REASON, error.reason),))
        raise
    except Exception:
        await _end(ports, begun, INTERNAL, ())
        raise
    await _end(ports, replace(begun, resource=named[-1]), OK, ())


async def _end(
    ports: GatewayPorts, begun: AuditEntry, outcome: str, facts: tuple[AuditFact, ...]
) -> None:
    ended = replace(begun, time=ports.clock.now(), outcome=outcome, facts=facts)
    try:
        placed = await ports.audit.append(ended)
    except ScopsError as error:
        # It was done, and its beginning says so.
        _log.warning("audit_end_missing", action=begun.action, error=error.message)
        return
    # Outside of the database too, where whoever changes that does not reach.
    _log.info(
        "audited",
        action=begun.action,
        outcome=outcome,
        audit_sequence=placed.sequence,
        audit_hash=placed.hash.hex(),
    )
