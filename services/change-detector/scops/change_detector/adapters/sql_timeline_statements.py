"""The statements of timelines: building one costs more than running it, so each is built once."""

from typing import Any

from sqlalchemy import (
    BindParameter,
    CompoundSelect,
    Select,
    bindparam,
    func,
    insert,
    literal,
    select,
    union_all,
    update,
)

from scops.change_detector.adapters.tables import observation, page, stay, verdict, version
from scops.common.contract.ids import PageId
from scops.common.db.types import UtcDateTime

PAGE: BindParameter[str] = bindparam("of_page")
FETCH: BindParameter[str] = bindparam("of_fetch")
COMING_AT = bindparam("coming_at", type_=UtcDateTime)


def _one_of_each(**questions: Select[Any]) -> CompoundSelect[Any]:
    """Returns the first row of each question that has one; `place` names the question."""
    parts = []
    for place, question in questions.items():
        first = question.limit(1).subquery()
        parts.append(select(literal(place).label("place"), first))
    return union_all(*parts)


def _stays_with_versions() -> Select[Any]:
    """Selects a page's stays in order, a row for each version or one with nothing for none."""
    of_stay = (version.c.page_id == stay.c.page_id) & (
        version.c.observed_from == stay.c.observed_from
    )
    own = [column for column in version.c if column.name not in stay.c]
    return (
        select(stay, *own)
        .select_from(stay.outerjoin(version, of_stay))
        .where(stay.c.page_id == PAGE)
        .order_by(stay.c.first_observed, version.c.revision)
    )


def versions_with_stays(page_id: PageId | BindParameter[Any]) -> Select[Any]:
    """Selects a page's versions with the intervals of their stays, newest first."""
    joined = version.join(
        stay,
        (version.c.page_id == stay.c.page_id) & (version.c.observed_from == stay.c.observed_from),
    )
    interval = (
        stay.c.first_observed,
        stay.c.last_observed,
        stay.c.observed_to,
        stay.c.row_revision,
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
    every = versions_with_stays(PAGE).where(version.c.dropped_time.is_(None))
    earlier = every.where(stay.c.first_observed < COMING_AT)
    equal = version.c.text_digest == bindparam("of_text")
    return _one_of_each(
        preceding=earlier, earlier_equal=earlier.where(equal), equal=every.where(equal)
    )


def _stays_at_statement(count: int) -> Select[Any]:
    begins = [
        select(func.max(stay.c.first_observed))
        .where(
            stay.c.page_id == PAGE,
            stay.c.first_observed <= bindparam(f"at_{place}", type_=UtcDateTime),
        )
        .scalar_subquery()
        for place in range(count)
    ]
    return _stays_with_versions().where(stay.c.first_observed.in_(begins))


def _stays_of_answer_statement() -> Select[Any]:
    newest = select(func.max(stay.c.first_observed)).where(stay.c.page_id == PAGE)
    moved = stay.c.observed_from.in_(bindparam("moved", expanding=True, type_=UtcDateTime))
    return _stays_with_versions().where(moved | (stay.c.first_observed == newest.scalar_subquery()))


OBSERVATION = select(observation).where(observation.c.fetch_id == FETCH)
SEQUENCE_AND_VERDICT = (
    select(page.c.sequence, verdict)
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
STAYS_AT = {count: _stays_at_statement(count) for count in (1, 2)}
STAYS_OF_ANSWER = _stays_of_answer_statement()
ADVANCE = (
    update(page)
    .where(page.c.page_id == PAGE, page.c.sequence == bindparam("at_sequence"))
    .values(
        sequence=page.c.sequence + 1,
        row_revision=page.c.row_revision + bindparam("moved_count"),
    )
    .returning(page.c.row_revision)
)
SET_STAY = update(stay).where(
    stay.c.page_id == PAGE, stay.c.observed_from == bindparam("of_stay", type_=UtcDateTime)
)
ADD_OBSERVATION = insert(observation)
ADD_VERSION = insert(version)
ADD_VERDICT = insert(verdict)
