"""Pages that were seen again, in SQL: what is plain about many of them, in a few statements."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, func, insert, select, update

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters.tables import observation, page, run, verdict, version
from scops.change_detector.timeline.runs import (
    GivenVerdict,
    Observation,
    Run,
    VerdictKind,
    Version,
)
from scops.change_detector.timeline.verified import SeenContext, standing_version
from scops.common.contract.messages.change import VerifiedVersion
from scops.common.contract.messages.crawl import ConfirmedPage
from scops.common.db.batches import rows_of
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime

_OF_PAGES: BindParameter[Any] = bindparam("of_pages", expanding=True)
_OF_FETCHES: BindParameter[Any] = bindparam("of_fetches", expanding=True)
# A page is locked by its row: nothing else of it changes meanwhile.
_PAGES = (
    select(page.c.page_id, page.c.purged_before)
    .where(page.c.page_id.in_(_OF_PAGES))
    .order_by(page.c.page_id)
    .with_for_update()
)
_OBSERVATIONS = select(observation).where(observation.c.fetch_id.in_(_OF_FETCHES))
_VERDICTS = select(verdict).where(verdict.c.fetch_id.in_(_OF_FETCHES))
_newest = (
    select(run.c.page_id, func.max(run.c.first_observed).label("first_observed"))
    .where(run.c.page_id.in_(_OF_PAGES))
    .group_by(run.c.page_id)
    .subquery()
)
_NEWEST_RUNS = (
    select(run, *(column for column in version.c if column.name not in run.c))
    .select_from(
        run.join(
            _newest,
            (run.c.page_id == _newest.c.page_id)
            & (run.c.first_observed == _newest.c.first_observed),
        ).outerjoin(
            version,
            (version.c.page_id == run.c.page_id) & (version.c.observed_from == run.c.observed_from),
        )
    )
    .order_by(run.c.page_id, version.c.revision)
)
_ADVANCE = update(page).where(page.c.page_id.in_(_OF_PAGES)).values(sequence=page.c.sequence + 1)
_SET_RUN = update(run).where(
    run.c.page_id == bindparam("of_page"),
    run.c.observed_from == bindparam("of_run", type_=UtcDateTime),
)
_ADD_OBSERVATION = insert(observation)
_ADD_VERDICT = insert(verdict)
PLAIN = GivenVerdict(kind=VerdictKind.UNCHANGED)


class SqlSeenPages:
    """Implements the `SeenPages` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, pages: Sequence[ConfirmedPage]) -> Sequence[VerifiedVersion]:
        alone = list({seen.page_id: seen for seen in pages}.values())
        async with self._database.transaction() as connection:
            contexts = await _contexts(connection, alone)
            found = [
                (seen, contexts[seen.page_id], version)
                for seen in alone
                if seen.page_id in contexts
                and (version := standing_version(seen, contexts[seen.page_id])) is not None
            ]
            await _write(connection, [each for each in found if each[1].known is None])
        return tuple(_verified(*each) for each in found)


async def _contexts(
    connection: Connection, pages: Sequence[ConfirmedPage]
) -> dict[str, SeenContext]:
    """Returns what is known of each page that has a row; these are locked."""
    of_pages = sorted(seen.page_id for seen in pages)
    own = [seen.fetch_id for seen in pages]
    locked = await rows_of(connection, _PAGES, {"of_pages": of_pages})
    purged: dict[str, datetime | None] = {row.page_id: row.purged_before for row in locked}
    named = sorted({*own, *(seen.confirmed_fetch_id for seen in pages)})
    observed = {
        row.fetch_id: (row.page_id, rows.observation_of(row))
        for row in await rows_of(connection, _OBSERVATIONS, {"of_fetches": named})
    }
    given = await rows_of(connection, _VERDICTS, {"of_fetches": own})
    verdicts = {(row.fetch_id, row.pipeline_version): rows.verdict_given(row) for row in given}
    newest = _runs(await rows_of(connection, _NEWEST_RUNS, {"of_pages": of_pages}))

    def of_page(fetch_id: str, page_id: str) -> Observation | None:
        owner, found = observed.get(fetch_id, ("", None))
        return found if owner == page_id else None

    contexts: dict[str, SeenContext] = {}
    for seen in pages:
        if seen.page_id not in purged:
            continue
        known = of_page(seen.fetch_id, seen.page_id)
        key = (seen.fetch_id, known.pipeline_version if known else "")
        contexts[seen.page_id] = SeenContext(
            purged_before=purged[seen.page_id],
            confirmed=of_page(seen.confirmed_fetch_id, seen.page_id),
            newest=newest.get(seen.page_id),
            known=known,
            given=verdicts.get(key),
        )
    return contexts


def _runs(found: Iterable[Row[Any]]) -> dict[str, Run]:
    runs = {}
    for page_id, group in groupby(found, key=lambda row: row.page_id):
        members = list(group)
        versions = tuple(rows.version_of(row) for row in members if row.version_id is not None)
        runs[page_id] = rows.run_of(members[0], versions)
    return runs


_Found = tuple[ConfirmedPage, SeenContext, Version]


async def _write(connection: Connection, found: Sequence[_Found]) -> None:
    """Adds an observation and a verdict for each, and moves the last proof of its run."""
    if not found:
        return
    observations, verdicts, proofs = [], [], []
    for seen, context, _ in found:
        assert context.confirmed is not None
        assert context.newest is not None
        again = replace(
            context.confirmed,
            fetch_id=seen.fetch_id,
            observed_time=seen.observed_time,
            unmodified=True,
        )
        observations.append(rows.observation_values(seen.page_id, again))
        verdicts.append(rows.given_values(seen.page_id, again, PLAIN))
        proofs.append(
            {
                "of_page": seen.page_id,
                "of_run": context.newest.observed_from,
                "last_observed": seen.observed_time,
            }
        )
    await connection.execute(_ADVANCE, {"of_pages": [seen.page_id for seen, _, _ in found]})
    await connection.execute(_ADD_OBSERVATION, observations)
    await connection.execute(_SET_RUN, proofs)
    await connection.execute(_ADD_VERDICT, verdicts)


def _verified(seen: ConfirmedPage, context: SeenContext, version: Version) -> VerifiedVersion:
    assert context.newest is not None
    proved = seen.observed_time if context.known is None else context.newest.last_observed
    return VerifiedVersion(
        page_id=seen.page_id,
        fetch_id=seen.fetch_id,
        version_id=version.version_id,
        order_key=context.newest.order_key,
        verified_time=proved,
        canonical_url=seen.canonical_url,
    )
