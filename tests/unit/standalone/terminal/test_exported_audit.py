"""An exported audit is verified without the gateway: what was changed or left out is found."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from scops.common.access.principal import InstallationRole
from scops.gateway.audit.entry import AuditEntry, AuditFact
from scops.gateway.identity.caller import CredentialKind
from scops.standalone.terminal.exits import CommandError
from scops.standalone.terminal.exported_audit import verified_export
from tests.fakes.worlds.gateway import gateway_world
from tests.fakes.worlds.methods import person, served

COUNT = 5
AT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
OPERATOR = person("ops", roles=frozenset({InstallationRole.OPERATOR}))
NO_ANCHOR = (0, b"")
Entries = list[dict[str, Any]]


@pytest.fixture
async def export(tmp_path: Path) -> Path:
    """What `scops --output json audit list --limit 0` prints, by every kind of credential."""
    async with gateway_world() as world:
        for number, kind in zip(range(COUNT), CredentialKind, strict=True):
            await world.ports.audit.append(
                AuditEntry(
                    time=AT + timedelta(seconds=number),
                    organisation_id="main",
                    principal="user:ann",
                    credential=kind,
                    action="CreateScope",
                    resource=f"scopes/s{number}",
                    outcome="OK",
                    request_id=f"r{number}",
                    facts=(AuditFact("reason", "as agreed – ß"),),
                )
            )
        listed = await served(world, OPERATOR, "ListAuditEntries", {"page_size": 100})
    file = tmp_path / "audit.json"
    file.write_text(json_format.MessageToJson(listed, preserving_proto_field_name=True))
    return file


def changed(file: Path, change: Callable[[Entries], object]) -> Path:
    """Writes what somebody made of an export."""
    read = json.loads(file.read_text())
    change(read["entries"])
    other = file.with_name("other.json")
    other.write_text(json.dumps(read))
    return other


def test_an_export_holds_and_names_its_anchor(export: Path) -> None:
    """That of the gateway; an anchor that was kept must be in it."""
    held = verified_export(export, organisation_id="main", anchor=NO_ANCHOR)
    newest = json.loads(export.read_text())["entries"][0]
    again = verified_export(export, organisation_id="main", anchor=(COUNT, held.hash))
    other = verified_export(export, organisation_id="main", anchor=(3, bytes(32)))

    assert (COUNT, 0, True) == (held.sequence, held.broken_sequence, held.complete)
    assert newest["sequence"] == str(held.sequence)
    assert 0 == again.broken_sequence
    assert (3, "it is not that of the anchor") == (other.broken_sequence, other.broken_reason)


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda entries: entries[1].update(principal="user:bob"), 4),
        (lambda entries: entries[4]["facts"][0].update(value="other"), 1),
        (lambda entries: entries[3].update(credential="CREDENTIAL_KIND_KEY"), 2),
        (lambda entries: entries.pop(2), 3),
        (lambda entries: entries.pop(4), 1),
    ],
)
def test_what_was_changed_or_left_out_is_found(
    export: Path, change: Callable[[Entries], object], broken: int
) -> None:
    """By the number of the entry."""
    found = verified_export(changed(export, change), organisation_id="main", anchor=NO_ANCHOR)

    assert (broken, broken - 1) == (found.broken_sequence, found.sequence)


def test_entries_that_were_cut_off_at_the_end_are_missed_by_the_anchor(export: Path) -> None:
    """A chain alone does not know where it ended."""
    anchor = (COUNT, verified_export(export, organisation_id="main", anchor=NO_ANCHOR).hash)
    cut = changed(export, lambda entries: entries.pop(0))

    assert 0 == verified_export(cut, organisation_id="main", anchor=NO_ANCHOR).broken_sequence
    assert COUNT == verified_export(cut, organisation_id="main", anchor=anchor).broken_sequence


def test_an_export_of_another_organisation_does_not_hold(export: Path) -> None:
    """Its entries say whose they are."""
    assert 1 == verified_export(export, organisation_id="acme", anchor=NO_ANCHOR).broken_sequence


@pytest.mark.parametrize("text", ["", "{", "[]", '{"entries": [{"sequence": "x"}]}'])
def test_what_is_no_export_says_how_to_make_one(tmp_path: Path, text: str) -> None:
    """Also a file that is not there."""
    file = tmp_path / "none.json"
    if text:
        file.write_text(text)

    with pytest.raises(CommandError, match="audit list --limit 0"):
        verified_export(file, organisation_id="main", anchor=NO_ANCHOR)
