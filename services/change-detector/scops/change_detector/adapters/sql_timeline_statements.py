"""The statements of timelines: building one costs more than running it, so each is built once."""

from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Select,
    Subquery,
    bindparam,
    func,
    insert,
    literal,
    select,
    union,
    union_all,
    update,
)

from scops.change_detector.adapters.tables import observation, page, run, verdict, version
from scops.common.contract.ids import PageId
from scops.common.db.types import UtcDateTime

PAGE: BindParameter[str] = bindparam("of_page")
PAGES: BindParameter[Any] = bindparam("of_pages", expanding=True)
FETCH: BindParameter[str] = bindparam("of_fetch")
COMING_AT = bindparam("coming_at", type_=UtcDateTime)


def _one_of_each(**questions: Select[Any]) -> CompoundSelect[Any]:
    """Returns the first row of each question that has one; `place` names the question."""
    parts = []
    for place, question in questions.items():
        first = question.limit(1).subquery()
        parts.append(select(literal(place).label("place"), first))
    return union_all(*parts)


def _runs_with_versions(
    keys: Subquery | None = None, on: ColumnElement[bool] | None = None
) -> Select[Any]:
    """Selects runs in order, a row for each version or one with nothing for none.

    Args:
        keys: joined with the runs, where not all are wanted.
    """
    runs = run if keys is None else keys.join(run, on)
    of_run = (version.c.page_id == run.c.page_id) & (version.c.observed_from == run.c.observed_from)
    own = [column for column in version.c if column.name not in run.c]
    return (
        select(run, *own)
        .select_from(runs.outerjoin(version, of_run))
        .order_by(run.c.page_id, run.c.first_observed, version.c.revision)
    )


def versions_with_runs(page_id: PageId | BindParameter[Any]) -> Select[Any]:
    """Selects a page's versions with the intervals of their runs, newest first."""
    joined = version.join(
        run,
        (version.c.page_id == run.c.page_id) & (version.c.observed_from == run.c.observed_from),
    )
    interval = (
        run.c.first_observed,
        run.c.last_observed,
        run.c.observed_to,
        run.c.row_revision,
    )
    return (
        select(version, *interval)
        .select_from(joined)
        .where(version.c.page_id == page_id)
        .order_by(version.c.observed_from.desc(), version.c.revision.desc())
    )


def _observations_near_statement() -> CompoundSelect[Any]:
    by_time = observation.c.observed_time
    this = observation.c.fetch_id == FETCH
    at = func.coalesce(select(by_time).where(this).scalar_subquery(), COMING_AT)
    of_page = select(observation).where(observation.c.page_id == PAGE)
    return _one_of_each(
        known=select(observation).where(this),
        before=of_page.where(by_time <= at).order_by(by_time.desc()),
        after=of_page.where(by_time > at).order_by(by_time),
        newest=of_page.order_by(by_time.desc()),
    )


def _versions_near_statement() -> CompoundSelect[Any]:
    every = versions_with_runs(PAGE).where(version.c.dropped_time.is_(None))
    earlier = every.where(run.c.first_observed < COMING_AT)
    equal = version.c.text_digest == bindparam("of_text")
    return _one_of_each(
        preceding=earlier, earlier_equal=earlier.where(equal), equal=every.where(equal)
    )


def _runs_at_statement(count: int) -> Select[Any]:
    begins = [
        select(func.max(run.c.first_observed))
        .where(
            run.c.page_id == PAGE,
            run.c.first_observed <= bindparam(f"at_{place}", type_=UtcDateTime),
        )
        .scalar_subquery()
        for place in range(count)
    ]
    return _runs_with_versions().where(run.c.page_id == PAGE, run.c.first_observed.in_(begins))


def _runs_of_answers_statement() -> Select[Any]:
    """Selects the newest run of each page, and those that some instants name; each by an index."""
    moved = bindparam("moved", expanding=True, type_=UtcDateTime)
    named = select(run.c.page_id, run.c.observed_from).where(
        run.c.page_id.in_(PAGES), run.c.observed_from.in_(moved)
    )
    of_page = run.alias()
    newest_at = (
        select(func.max(of_page.c.first_observed))
        .where(of_page.c.page_id == page.c.page_id)
        .correlate(page)
        .scalar_subquery()
    )
    newest = (
        select(run.c.page_id, run.c.observed_from)
        .select_from(
            page.join(run, (run.c.page_id == page.c.page_id) & (run.c.first_observed == newest_at))
        )
        .where(page.c.page_id.in_(PAGES))
    )
    wanted = union(named, newest).subquery()
    is_wanted = (run.c.page_id == wanted.c.page_id) & (
        run.c.observed_from == wanted.c.observed_from
    )
    return _runs_with_versions(wanted, is_wanted)


OBSERVATION = select(observation).where(observation.c.fetch_id == FETCH)
SEQUENCE_AND_VERDICT = (
    select(page.c.sequence, page.c.purged_before, verdict)
    .select_from(
        page.outerjoin(
            verdict,
            (verdict.c.fetch_id == FETCH)
            & (verdict.c.pipeline_version == bindparam("of_pipeline")),
        )
    )
    .where(page.c.page_id == PAGE)
)
OBSERVATIONS_NEAR = _observations_near_statement()
VERSIONS_NEAR = _versions_near_statement()
RUNS_AT = {count: _runs_at_statement(count) for count in (1, 2)}
RUNS_OF_ANSWERS = _runs_of_answers_statement()
# A page without a row has nothing: no observation, no verdict, no mark of a purge.
KNOWN_PAGES = select(page.c.page_id).where(page.c.page_id.in_(PAGES))
LOCKED_PAGES = (
    select(page.c.page_id, page.c.sequence, page.c.row_revision)
    .where(page.c.page_id.in_(PAGES))
    .order_by(page.c.page_id)
    .with_for_update()
)
ADVANCE_LOCKED = (
    update(page)
    .where(page.c.page_id == PAGE)
    .values(
        sequence=page.c.sequence + 1,
        row_revision=page.c.row_revision + bindparam("moved_count"),
    )
)
ADVANCE = ADVANCE_LOCKED.where(page.c.sequence == bindparam("at_sequence")).returning(
    page.c.row_revision
)
SET_RUN = update(run).where(
    run.c.page_id == PAGE, run.c.observed_from == bindparam("of_run", type_=UtcDateTime)
)
ADD_OBSERVATION = insert(observation)
ADD_VERSION = insert(version)
ADD_VERDICT = insert(verdict)
