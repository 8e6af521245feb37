"""Pages are ranged over by the normal form of their URL; those spelled otherwise are brought to it.

The form as it is on the day of this revision: `scops.common.scope.normal_form` says what it is.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

PAGE = sa.table(
    "page",
    sa.column("page_id", sa.String),
    sa.column("canonical_url", sa.String),
    sa.column("schemeless_url", sa.String),
    sa.column("netloc", sa.String),
)
# An escape, slashes in a row behind those of the scheme, a dot at the end of the host.
UNUSUAL = sa.or_(
    *(
        PAGE.c.canonical_url.like(pattern, escape="!")
        for pattern in ("%!%%", "%://%//%", "%://%./%", "%://%.:%")
    )
)
ROWS_AT_ONCE = 1000


def upgrade() -> None:
    """Writes the two columns anew."""
    connection = op.get_bind()
    named = PAGE.c.page_id == sa.bindparam("of_page")
    values = {"schemeless_url": sa.bindparam("schemeless"), "netloc": sa.bindparam("host")}
    for batch in _batches(connection):
        connection.execute(sa.update(PAGE).where(named).values(values), batch)


def downgrade() -> None:
    """Changes nothing: the columns can be read in either form."""


def _batches(connection: sa.Connection) -> Iterator[list[dict[str, str]]]:
    after = ""
    while True:
        rows = connection.execute(
            sa.select(PAGE.c.page_id, PAGE.c.canonical_url)
            .where(PAGE.c.page_id > after, UNUSUAL)
            .order_by(PAGE.c.page_id)
            .limit(ROWS_AT_ONCE)
        ).all()
        if not rows:
            return
        after = rows[-1].page_id
        yield [{"of_page": row.page_id} | _address(row.canonical_url) for row in rows]


def _address(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    host = re.sub(r"(?<!\.)\.++(?=$|:)", "", parts.netloc)
    path = re.sub(r"//+", "/", _unescaped(parts.path))
    query = f"?{_unescaped(parts.query)}" if parts.query else ""
    return {"schemeless": f"{host}{path}{query}", "host": host}


def _unescaped(text: str) -> str:
    return re.sub(r"%([0-9A-Fa-f]{2})", _normal, text)


def _normal(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if re.match(r"[A-Za-z0-9._~-]", char) else found[0].upper()
