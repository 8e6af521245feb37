"""Computes the chain of an exported audit, where nobody has to be believed who can write to it."""

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from google.protobuf import json_format

from scops.api.v1alpha1 import audit_service_pb2 as pb
from scops.api.v1alpha1 import identity_service_pb2 as identity_pb
from scops.standalone.terminal.exits import CommandError, Exit

if TYPE_CHECKING:
    from scops.gateway.audit.entry import AuditEntry

KIND_PREFIX = "CREDENTIAL_KIND_"


def verified_export(
    file: Path, *, organisation_id: str, anchor: tuple[int, bytes]
) -> pb.VerifyAuditResponse:
    """Follows the chain of an export from its first entry to its last.

    Args:
        anchor: number and hash of an entry that must be there; 0 for none.

    Returns:
        How far it holds, in the gateway's own form.

    Raises:
        CommandError: the file is no export.
    """
    # Imported here: the help must not wait for it.
    from scops.gateway.audit.entry import NO_HASH, hash_of, said_by

    sequence, before = 0, NO_HASH
    held = {}
    for entry in _entries(file):
        if entry.sequence != sequence + 1:
            return _broken(sequence, before, "the entry is missing; export all, without filters")
        if entry.hash != hash_of(before, said_by(_entry(entry, organisation_id))):
            return _broken(sequence, before, "the entry, or the one before, was changed")
        sequence, before = entry.sequence, entry.hash
        held[sequence] = before
    number, wanted = anchor
    if number and held.get(number) != wanted:
        return _broken(number - 1, held.get(number - 1, NO_HASH), "it is not that of the anchor")
    return pb.VerifyAuditResponse(sequence=sequence, hash=before, complete=True)


def _entries(file: Path) -> list[pb.AuditEntry]:
    """Returns the entries of an export, from the first on."""
    try:
        read = json_format.Parse(file.read_text(), pb.ListAuditEntriesResponse())
    except (OSError, ValueError, json_format.ParseError) as error:
        raise _no_export(file, str(error)) from error
    if not read.entries:
        raise _no_export(file, "it has no entries")
    return sorted(read.entries, key=lambda entry: entry.sequence)


def _no_export(file: Path, why: str) -> CommandError:
    return CommandError(
        f"{file} is no export of the audit ({why[:200]}): make one by "
        "`scops --output json audit list --limit 0`.",
        code=Exit.INVALID_INPUT,
        reason="AUDIT_EXPORT_INVALID",
    )


def _entry(entry: pb.AuditEntry, organisation_id: str) -> "AuditEntry":
    from scops.gateway.audit.entry import AuditEntry, AuditFact
    from scops.gateway.identity.caller import CredentialKind

    kind = identity_pb.CredentialKind.Name(entry.credential).removeprefix(KIND_PREFIX)
    return AuditEntry(
        sequence=entry.sequence,
        time=entry.time.ToDatetime(UTC),
        organisation_id=organisation_id,
        principal=entry.principal,
        credential=CredentialKind(kind.lower()),
        key=entry.key,
        action=entry.action,
        resource=entry.resource,
        outcome=entry.outcome,
        facts=tuple(AuditFact(fact.name, fact.value) for fact in entry.facts),
        request_id=entry.request_id,
    )


def _broken(sequence: int, last: bytes, reason: str) -> pb.VerifyAuditResponse:
    return pb.VerifyAuditResponse(
        sequence=sequence,
        hash=last,
        broken_sequence=sequence + 1,
        broken_reason=reason,
        complete=True,
    )
