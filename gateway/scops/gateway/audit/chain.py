"""Computes the chain anew, to find what was changed, left out or put in."""

from dataclasses import dataclass

from scops.gateway.audit.entry import NO_HASH, AuditLog, ChainLink, hash_of

READ_AT_ONCE = 500
# In one call, so that it ends within its deadline.
VERIFIED_MAX = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedChain:
    """How far the chain holds.

    Attributes:
        sequence, hash: of the last entry that holds.
        broken_sequence: where it does not; 0 where it holds.
        complete: whether all entries have been looked at.
    """

    sequence: int
    hash: bytes
    broken_sequence: int = 0
    broken_reason: str = ""
    complete: bool = False


async def verify(log: AuditLog, *, after: int, after_hash: bytes) -> VerifiedChain:
    """Follows the chain from an entry that is known to hold; 0 begins."""
    sequence, before = after, after_hash if after else NO_HASH
    while sequence < after + VERIFIED_MAX:
        links, head = await log.chain(after=sequence, limit=READ_AT_ONCE)
        if not links:
            return _ended(head, sequence, before)
        for link in links:
            if link.sequence != sequence + 1:
                return _broken(sequence, before, "the entry is missing")
            if link.hash != hash_of(before, link.said):
                return _broken(sequence, before, "the entry, or the one before, was changed")
            sequence, before = link.sequence, link.hash
    return VerifiedChain(sequence=sequence, hash=before)


def _ended(head: ChainLink, sequence: int, last: bytes) -> VerifiedChain:
    if head.sequence > sequence:
        return _broken(sequence, last, f"entries up to {head.sequence} are missing")
    if (head.sequence, head.hash) != (sequence, last):
        return _broken(sequence, last, "what the next entry would follow was changed")
    return VerifiedChain(sequence=sequence, hash=last, complete=True)


def _broken(sequence: int, last: bytes, reason: str) -> VerifiedChain:
    return VerifiedChain(
        sequence=sequence,
        hash=last,
        broken_sequence=sequence + 1,
        broken_reason=reason,
        complete=True,
    )
