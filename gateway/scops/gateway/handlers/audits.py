"""Use cases of the audit: it is read, and nothing else."""

from scops.common.contract.errors import InvalidInput
from scops.gateway.audit.chain import VerifiedChain, verify
from scops.gateway.audit.entry import HASH_BYTES, AuditEntry, AuditFilter
from scops.gateway.calls import Call
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size


async def list_entries(
    ports: GatewayPorts, call: Call, *, wanted: AuditFilter, page_size: int, page_token: str
) -> tuple[tuple[AuditEntry, ...], str]:
    """Returns entries of the caller's organisation, newest first, and the next token."""
    organisation_id = call.principal.organisation_id
    size = checked_page_size(page_size)
    bound_to = ("Audit", organisation_id, call.principal.principal_id, repr(wanted))
    before = await ports.tokens.open(page_token, bound_to=bound_to)
    found = await ports.audit.newest(
        organisation_id, wanted, before=int(before or 0), limit=size + 1
    )
    cursor = str(found[size - 1].sequence) if len(found) > size else ""
    return found[:size], await ports.tokens.seal(cursor, bound_to=bound_to)


async def verify_chain(
    ports: GatewayPorts, call: Call, *, after_sequence: int, after_hash: bytes
) -> VerifiedChain:
    """Computes the chain anew after an entry.

    Raises:
        InvalidInput: the entry is none.
    """
    if after_sequence < 0 or (after_sequence and len(after_hash) != HASH_BYTES):
        raise InvalidInput(
            f"after_sequence is an entry's, with its hash of {HASH_BYTES} bytes in after_hash; "
            "or leave both out.",
            reason="AUDIT_START_INVALID",
            field="after_sequence" if after_sequence < 0 else "after_hash",
        )
    return await verify(ports.audit, after=after_sequence, after_hash=after_hash)
