"""Budgets of URL templates inside a transaction: links that may go on without end."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import bindparam, select

from scops.common.db.locks import forget_rows
from scops.common.db.upsert import insert_for
from scops.common.runtime.text_turns import in_turns
from scops.fetcher.adapters.sql.tables import job_template
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.discovery.traps import PAGES_MAX, url_template
from scops.fetcher.metrics import TRAPPED_LINKS

COUNTS = select(job_template.c.template, job_template.c.admitted_count).where(
    job_template.c.job_id == bindparam("of_job"),
    job_template.c.template.in_(bindparam("of_templates", expanding=True)),
)


async def over_budget(tx: Transaction, job_id: str, urls: Iterable[str]) -> list[str]:
    """Counts links that are new to a job, and returns those whose template has had its share.

    The job's row is locked by the caller.
    """
    shaped = [
        (url, template)
        async for url in in_turns(urls, len)
        if (template := url_template(url)) is not None
    ]
    if not shaped:
        return []
    names = sorted({template.name for _, template in shaped})
    rows = await tx.all(COUNTS, of_job=job_id, of_templates=names)
    before = {row.template: row.admitted_count for row in rows}
    counts, refused = Counter(before), []
    for url, template in shaped:
        if counts[template.name] >= PAGES_MAX[template.kind]:
            TRAPPED_LINKS.labels(kind=template.kind.value).inc()
            refused.append(url)
        else:
            counts[template.name] += 1
    grown = [name for name in names if counts[name] > before.get(name, 0)]
    values = [
        {"job_id": job_id, "template": name, "admitted_count": counts[name]} for name in grown
    ]
    await tx.execute_many(_counting(tx.connection.dialect.name), values)
    return refused


async def forget_templates(tx: Transaction, job_id: str) -> None:
    """Drops counts of a job that has ended; what is left of very many goes with the job."""
    await forget_rows(tx.connection, job_template, job_template.c.job_id == job_id)


@cache
def _counting(dialect_name: str) -> Any:
    statement = insert_for(dialect_name, job_template)
    return statement.on_conflict_do_update(
        index_elements=[job_template.c.job_id, job_template.c.template],
        set_={"admitted_count": statement.excluded.admitted_count},
    )
