"""Pages by prefixes of their URLs in SQL: ranges of an index, each read as far as its limit.

The hosts below a domain are a range of hosts written from the right (`org.example.docs`).
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, false, select, tuple_, union_all, update

from scops.common.contract.errors import InvalidInput
from scops.common.db.batches import batches
from scops.common.db.connection import Connection
from scops.common.scope.urls import without_route
from scops.fetcher.adapters.sql.tables import page

# The characters after these in code point order end the ranges of a path, a query and a domain.
AFTER_SLASH = "0"
AFTER_QUESTION_MARK = "@"
AFTER_DOT = "/"
TOKEN_SEPARATOR = " "
# Each is a few terms of one expression, whose depth SQLite bounds.
PREFIXES_AT_ONCE = 100
# A page by its URL without scheme and its id, which lists are ordered by.
PageKey = tuple[str, str]

_mine = page.c.organisation_id == bindparam("of_organisation")


def _first_host(condition: Any) -> Any:
    """Returns the first host below a domain that meets a condition; one entry of an index."""
    below = page.c.reversed_host < bindparam("domain_end")
    first = select(page.c.reversed_host).where(_mine, condition, below)
    return first.order_by(page.c.reversed_host).limit(1)


_beginning = _first_host(page.c.reversed_host >= bindparam("domain")).scalar_subquery()
_walk = select(_beginning.label("host")).cte("walk", recursive=True)
_next = _first_host(page.c.reversed_host > _walk.c.host).correlate(_walk).scalar_subquery()
_walk = _walk.union_all(select(_next).select_from(_walk).where(_walk.c.host.is_not(None)))
# From one host to the next: however many pages each has.
HOSTS_BELOW = select(_walk.c.host).where(_walk.c.host.is_not(None))
# Pages of an earlier release.
UNREVERSED = (
    select(page.c.page_id, page.c.netloc)
    .where(_mine, page.c.reversed_host.is_(None))
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
REVERSE = (
    update(page)
    .where(page.c.page_id == bindparam("of_page"))
    .values(reversed_host=bindparam("reversed"))
)


def reversed_host(netloc: str) -> str:
    """Returns a host with its labels from the right: `docs.example.org` is `org.example.docs`."""
    return ".".join(reversed(netloc.split(".")))


async def reverse_hosts(connection: Connection, organisation_id: str, *, limit: int) -> bool:
    """Writes the reversed host of some pages that lack it; returns whether more may lack it."""
    of = {"of_organisation": organisation_id, "at_most": limit}
    found = await connection.execute(UNREVERSED, of)
    rows = [{"of_page": row.page_id, "reversed": reversed_host(row.netloc)} for row in found.all()]
    if rows:
        await connection.execute(REVERSE, rows)
    return len(rows) == limit


async def first_pages(
    connection: Connection,
    organisation_id: str,
    prefixes: Sequence[str],
    after: PageKey | None,
    limit: int,
) -> list[PageKey]:
    """Returns the first pages under some prefixes, by URL and id.

    Prefixes are asked for in their order and some at a time, until no later one can begin before
    the last page that was found; those that end before `after` are not asked for.

    Args:
        prefixes: tokens of `urls.url_prefixes`; every page where there are none.
        after: the page after which they come; None for the first.
    """
    if not prefixes:
        statement = _of_ranges(organisation_id, [_from("", after)], limit)
        return [_key(row) for row in await connection.execute(statement)]
    keys: set[PageKey] = set()
    tokens = await _without_domains(connection, organisation_id, prefixes)
    ahead = sorted(token for token in tokens if not _ends_before(token, after))
    for some in batches(ahead, PREFIXES_AT_ONCE):
        if len(keys) >= limit and some[0] > sorted(keys)[limit - 1][0]:
            break
        statement = pages_of(organisation_id, some, after, limit)
        keys |= {_key(row) for row in await connection.execute(statement)}
    return sorted(keys)[:limit]


def pages_of(organisation_id: str, tokens: Sequence[str], after: PageKey | None, limit: int) -> Any:
    """Returns the statement for the first pages under each of some tokens without domains.

    Each range of URLs is a query of its own, which reads as far as its limit and no further.
    """
    ranges = [under for token in tokens for under in _under(token, after)]
    return _of_ranges(organisation_id, ranges, limit)


def read_token(token: str) -> PageKey:
    """Returns the page after which a list goes on.

    Raises:
        InvalidInput: it is none of ours.
    """
    url, separator, page_id = token.rpartition(TOKEN_SEPARATOR)
    if not separator:
        raise InvalidInput(
            "The page token is none that this list gave; start again without one.",
            reason="INVALID_PAGE_TOKEN",
        )
    return url, page_id


async def _without_domains(
    connection: Connection, organisation_id: str, prefixes: Sequence[str]
) -> set[str]:
    """Returns where prefixes begin, with the known hosts below a domain instead of the domain."""
    tokens: set[str] = set()
    for prefix in set(prefixes):
        # Routes of an app lie together, with the page that their server is asked for.
        prefix = without_route(prefix)
        if prefix.startswith("*."):
            domain = prefix.removeprefix("*.")
            tokens |= await _hosts_below(connection, organisation_id, domain)
        else:
            tokens.add(prefix if "?" in prefix else prefix.rstrip("/"))
    return tokens


async def _hosts_below(connection: Connection, organisation_id: str, domain: str) -> set[str]:
    beginning = reversed_host(domain)
    of = {"of_organisation": organisation_id}
    within = {"domain": f"{beginning}.", "domain_end": f"{beginning}{AFTER_DOT}"}
    hosts = (await connection.execute(HOSTS_BELOW, of | within)).scalars()
    others = (await connection.execute(_unreversed_below(domain), of)).scalars()
    return {reversed_host(host) for host in hosts} | set(others)


def _unreversed_below(domain: str) -> Any:
    """Returns the statement for the hosts of pages that `reverse_hosts` has not come to."""
    below = page.c.netloc.endswith(f".{domain}", autoescape=True)
    return select(page.c.netloc).distinct().where(_mine, page.c.reversed_host.is_(None), below)


def _ends_before(token: str, after: PageKey | None) -> bool:
    """Returns whether every page of a token comes before a page."""
    if after is None:
        return False
    return token < after[0] if "?" in token else f"{token}{AFTER_QUESTION_MARK}" <= after[0]


def _of_ranges(organisation_id: str, ranges: Sequence[Any], limit: int) -> Any:
    """Returns the statement for the first pages of each of some ranges."""
    mine = select(page.c.schemeless_url, page.c.page_id).where(
        page.c.organisation_id == organisation_id
    )
    ordered = mine.order_by(page.c.schemeless_url, page.c.page_id).limit(limit)
    parts = [ordered.where(under) for under in ranges or [false()]]
    return union_all(*(select(part.subquery()) for part in parts))


def _key(row: Any) -> PageKey:
    return row.schemeless_url, row.page_id


def _under(token: str, after: PageKey | None) -> Sequence[Any]:
    """Returns the ranges of URLs of a token of `urls.url_prefixes`."""
    if "?" in token:
        return _at(token, after)
    return [
        *_at(token, after),
        (page.c.schemeless_url < f"{token}{AFTER_SLASH}") & _from(f"{token}/", after),
        (page.c.schemeless_url < f"{token}{AFTER_QUESTION_MARK}") & _from(f"{token}?", after),
    ]


def _at(url: str, after: PageKey | None) -> Sequence[Any]:
    """Returns the condition of pages of a URL that come after another page, if any may."""
    mine = page.c.schemeless_url == url
    if after is None or after[0] < url:
        return [mine]
    return [mine & (page.c.page_id > after[1])] if after[0] == url else []


def _from(url: str, after: PageKey | None) -> Any:
    """Returns the condition of pages from a URL on that come after another page."""
    if after is not None and after[0] >= url:
        return tuple_(page.c.schemeless_url, page.c.page_id) > after
    return page.c.schemeless_url >= url
