"""The audit's chain with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import MetaData, delete, insert, select, update

from scops.common.db.database import Database
from scops.gateway.adapters.sql.audit import SqlAudit
from scops.gateway.adapters.sql.tables import audit, audit_head, metadata
from scops.gateway.audit.chain import verify
from scops.gateway.audit.entry import NO_HASH, AuditEntry, AuditFact, AuditFilter
from scops.gateway.identity.caller import CredentialKind

AT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Logs = tuple[SqlAudit, SqlAudit, Database]
COUNT = 6


@pytest.fixture
async def logs(open_pair: OpenPair) -> Logs:
    """The logs of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlAudit(first), SqlAudit(second), first


def entry(number: int = 0, **values: Any) -> AuditEntry:
    given = {
        "time": AT + timedelta(seconds=number),
        "organisation_id": "main",
        "principal": "user:ann",
        "credential": CredentialKind.KEY,
        "key": "0" * 16,
        "action": "CreateScope",
        "resource": f"scopes/s{number}",
        "outcome": "OK",
        "request_id": f"r{number}",
        "facts": (AuditFact("reason", "as agreed – ß"), AuditFact("rules.count", str(number))),
        **values,
    }
    return AuditEntry(**given)


async def filled(log: SqlAudit) -> list[AuditEntry]:
    return [await log.append(entry(number)) for number in range(COUNT)]


async def test_an_entry_is_read_as_it_was_written(logs: Logs) -> None:
    """By the other replica, to the microsecond."""
    first, second, _ = logs
    written = await filled(first)

    assert list(range(1, COUNT + 1)) == [one.sequence for one in written]
    found = await second.newest("main", AuditFilter(), before=0, limit=100)
    assert tuple(written) == found[::-1]


async def test_replicas_append_to_one_chain(logs: Logs) -> None:
    """At once: no number twice, none left out, and the chain holds."""
    first, second, _ = logs
    await asyncio.gather(*((first, second)[n % 2].append(entry(n)) for n in range(40)))
    found = await verify(second, after=0, after_hash=b"")

    assert (40, 0, True) == (found.sequence, found.broken_sequence, found.complete)


async def test_an_empty_chain_holds(logs: Logs) -> None:
    """There is nothing to change yet."""
    found = await verify(logs[0], after=0, after_hash=b"")

    assert (0, NO_HASH, 0, True) == (
        found.sequence,
        found.hash,
        found.broken_sequence,
        found.complete,
    )


TAMPERED: dict[str, tuple[int, Any]] = {
    "a principal": (3, lambda: update(audit).where(_at(3)).values(principal="user:bob")),
    "a fact": (2, lambda: update(audit).where(_at(2)).values(facts=[["reason", "other"]])),
    "a credential": (4, lambda: update(audit).where(_at(4)).values(credential="x")),
    "facts of another shape": (4, lambda: update(audit).where(_at(4)).values(facts={"a": 1})),
    "no facts": (4, lambda: update(audit).where(_at(4)).values(facts=None)),
    "a time": (4, lambda: update(audit).where(_at(4)).values(time=AT)),
    "a hash": (5, lambda: update(audit).where(_at(5)).values(hash=b"x" * 32)),
    "one in the middle gone": (3, lambda: delete(audit).where(_at(3))),
    "the first gone": (1, lambda: delete(audit).where(_at(1))),
    "the last gone": (COUNT, lambda: delete(audit).where(_at(COUNT))),
    "the head moved": (
        COUNT + 1,
        lambda: update(audit_head).values(sequence=COUNT - 1),
    ),
}


def _at(sequence: int) -> Any:
    return audit.c.sequence == sequence


@pytest.mark.parametrize("name", TAMPERED)
async def test_what_was_changed_is_found_where_it_was(logs: Logs, name: str) -> None:
    """A row changed, taken out or put in breaks the chain there; up to there it holds."""
    log, _, database = logs
    await filled(log)
    place, statement = TAMPERED[name]
    async with database.transaction() as connection:
        await connection.execute(statement())
    found = await verify(log, after=0, after_hash=b"")

    assert (place, place - 1) == (found.broken_sequence, found.sequence)
    assert found.broken_reason
    await log.newest("main", AuditFilter(), before=0, limit=100)


async def test_rows_that_change_places_are_found(logs: Logs) -> None:
    """Also two whose contents are whole."""
    log, _, database = logs
    await filled(log)
    async with database.transaction() as connection:
        rows = (await connection.execute(select(audit).where(audit.c.sequence.in_((2, 3))))).all()
        await connection.execute(delete(audit).where(audit.c.sequence.in_((2, 3))))
        swapped = {2: 3, 3: 2}
        values = [{**row._mapping, "sequence": swapped[row.sequence]} for row in rows]
        await connection.execute(insert(audit), values)

    assert 2 == (await verify(log, after=0, after_hash=b"")).broken_sequence


async def test_a_chain_that_was_written_anew_lacks_the_anchor(logs: Logs) -> None:
    """Who changes everything behind an entry cannot keep its hash, which stands elsewhere."""
    log, _, database = logs
    anchor = (await filled(log))[3]
    async with database.transaction() as connection:
        await connection.execute(delete(audit))
        await connection.execute(delete(audit_head))
    for number in range(COUNT):
        await log.append(entry(number, principal="user:bob"))

    assert 0 == (await verify(log, after=0, after_hash=b"")).broken_sequence
    since = await verify(log, after=anchor.sequence, after_hash=anchor.hash)
    assert anchor.sequence + 1 == since.broken_sequence


async def test_filters_and_pages(logs: Logs) -> None:
    """Newest first; of the organisation alone; from an instant on and before another."""
    log = logs[0]
    await filled(log)
    await log.append(entry(9, organisation_id="other"))
    await log.append(entry(10, principal="user:bob", action="DeleteScope"))

    async def numbers(before: int = 0, limit: int = 100, **values: Any) -> list[int]:
        wanted = AuditFilter(**values)
        found = await log.newest("main", wanted, before=before, limit=limit)
        return [one.sequence for one in found]

    assert [8, 6, 5, 4, 3, 2, 1] == await numbers()
    assert [6, 5] == await numbers(before=8, limit=2)
    assert [8] == await numbers(principal="user:bob")
    assert [8] == await numbers(action="DeleteScope")
    assert [3] == await numbers(resource="scopes/s2")
    assert [4, 3] == await numbers(start=AT + timedelta(seconds=2), end=AT + timedelta(seconds=4))


async def test_a_chain_that_grows_meanwhile_holds(logs: Logs) -> None:
    """Whoever verifies sees entries and head of one instant."""
    first, second, _ = logs

    async def grow() -> None:
        for number in range(60):
            await first.append(entry(number))
            await asyncio.sleep(0)

    growing = asyncio.create_task(grow())
    while not growing.done():
        await asyncio.sleep(0)
        found = await verify(second, after=0, after_hash=b"")
        assert (0, True) == (found.broken_sequence, found.complete), found.broken_reason
    await growing
