"""Use cases of the PageService."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import (
    DiffRequest,
    DiffResponse,
    HistoryRequest,
    HistoryResponse,
    ReadVersionRequest,
    ReadVersionResponse,
)
from scops.common.contract.messages.crawl import KnownPage, PagePlanRequest, PagePlanResponse
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.query.ports import DIFF, HISTORY, PAGE_PLAN, READ_VERSION
from scops.common.scope.contexts import PUBLIC, access_contexts, holding_rule
from scops.common.scope.rules import check_rule, excluding_rule, matching_rule
from scops.common.scope.urls import page_url
from scops.gateway.access.known_pages import holding_scopes, rule_prefixes
from scops.gateway.calls import Call
from scops.gateway.handlers.purges import check_unpurged
from scops.gateway.handlers.questions import ask, known_batches
from scops.gateway.handlers.scope_access import all_visible, scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import about_field, checked_as_of, checked_page_size
from scops.gateway.scopes.stored_scope import ref_of

VERSION_CHARACTERS_MAX = 64
SECTION_DEPTH_MAX = 20
NO_PAGE = PageId("")
# What is looked for where there is no page.
UNKNOWN = KnownPage(page_id=NO_PAGE, canonical_url="https://unknown.invalid/page")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePage:
    """A known page with those of its scopes that the caller may see."""

    page: KnownPage
    scopes: tuple[Scope, ...]
    plan: PagePlanResponse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleMatch:
    """A scope that speaks of a URL, by the rule that lets it in or keeps it out."""

    scope_id: ScopeId
    rule: ScopeRule


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedPage:
    """Where a URL stands: its page where the caller may see one, and who speaks of it."""

    page: VisiblePage | None
    matches: tuple[RuleMatch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVersions:
    """The newest versions of a page, and whether there are older ones."""

    history: HistoryResponse
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A page and a part of what a version of it says."""

    page: VisiblePage
    read: ReadVersionResponse


@dataclass(frozen=True, slots=True)
class ListingCursor:
    """Where a listing of pages goes on: in the batch of `token`, behind the page `after`."""

    token: str = ""
    after: PageId = NO_PAGE


async def list_pages(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    page_size: int,
    page_token: str,
    prefix: str = "",
) -> tuple[tuple[VisiblePage, ...], str]:
    """Returns some known pages of a scope, by URL, and the next token.

    There may be fewer than asked for, even none, with a token: one call reads at most
    `KNOWN_PAGES_MAX` pages.

    Args:
        prefix: only pages below it, as the pattern of a prefix rule; empty for all.

    Raises:
        InvalidInput: the prefix is none.
        NotFound: there is no such scope, or it is hidden.
    """
    below = ScopeRule(kind=RuleKind.PREFIX, pattern=prefix)
    if prefix:
        with about_field("prefix"):
            check_rule(below)
    scope = (await scope_for(ports, call, scope_id, Permission.ASK)).scope
    size = checked_page_size(page_size)
    principal = call.principal
    bound_to = ("ListPages", principal.organisation_id, principal.principal_id, scope_id, prefix)
    cursor = _opened(await ports.tokens.open(page_token, bound_to=bound_to))
    rules = (below,) if prefix else scope.rules
    pages, behind = await _collect(ports, call, scope, rules, size=size, cursor=cursor)
    visible = await all_visible(ports, call)
    seen = tuple(VisiblePage(page=page, scopes=holding_scopes(page, visible)) for page in pages)
    return seen, await ports.tokens.seal(_closed(behind), bound_to=bound_to)


async def get_page(
    ports: GatewayPorts, call: Call, *, page_id: PageId | None = None, uri: str = ""
) -> VisiblePage:
    """Returns a page by id, or by any URL it is known by.

    Raises:
        InvalidInput: neither or both are given, or the URI is none.
        NotFound: there is no such page, or no scope that the caller may see holds it.
    """
    if bool(page_id) == bool(uri):
        raise InvalidInput(
            "A page is named by name (pages/{page}) or by uri; give one of them.",
            reason="PAGE_NOT_NAMED",
            field="name",
        )
    with about_field("uri"):
        url = page_url(uri) if uri else ""
    visible = await all_visible(ports, call)
    contexts = sorted({PUBLIC, *(one for scope in visible for one in access_contexts(scope))})
    request = PagePlanRequest(
        page_id=page_id or NO_PAGE, url=url, access_contexts=tuple(contexts) if url else ()
    )
    plan = await _plan(ports, call, request)
    # Looked for in scopes also where nobody knows it: who asks must not learn by time that a page
    # is there which they may not see.
    page = plan.page or UNKNOWN
    scopes = holding_scopes(page, visible)
    if page is UNKNOWN or not scopes:
        raise _page_not_found(uri or request.page_id)
    return VisiblePage(page=page, scopes=scopes, plan=plan)


async def _plan(ports: GatewayPorts, call: Call, request: PagePlanRequest) -> PagePlanResponse:
    """Returns what the fetcher knows of a page; nothing where it knows none."""
    try:
        return await ask(ports, PAGE_PLAN, request, call=call)
    except NotFound:
        return PagePlanResponse()


async def locate_page(ports: GatewayPorts, call: Call, *, uri: str) -> LocatedPage:
    """Returns where a URL stands, in the scopes that the caller may ask.

    Raises:
        InvalidInput: it is no URL of a page.
    """
    with about_field("uri"):
        url = page_url(uri)
    try:
        page = await get_page(ports, call, uri=url)
    except NotFound:
        page = None
    visible = await all_visible(ports, call)
    found = (
        (scope, holding_rule(scope, url, PUBLIC) or excluding_rule(scope.rules, url))
        for scope in visible
    )
    matches = (RuleMatch(scope_id=scope.scope_id, rule=rule) for scope, rule in found if rule)
    return LocatedPage(page=page, matches=tuple(matches))


async def list_versions(
    ports: GatewayPorts,
    call: Call,
    *,
    page_id: PageId,
    page_size: int,
    scope_id: ScopeId | None = None,
) -> ListedVersions:
    """Returns the newest versions of a page, and whether there are older ones.

    Args:
        scope_id: the scope by whose rule changes count; None for the default rule.

    Raises:
        NotFound: there is no such page, or no scope that the caller may see holds it.
    """
    size = checked_page_size(page_size)
    await get_page(ports, call, page_id=page_id)
    ref = None
    if scope_id:
        ref = ref_of((await scope_for(ports, call, scope_id, Permission.ASK)).scope)
    request = HistoryRequest(page_id=page_id, limit=size + 1, scope=ref)
    history = await ask(ports, HISTORY, request, call=call)
    shown = replace(history, versions=history.versions[:size])
    return ListedVersions(history=shown, truncated=len(history.versions) > size)


async def read_page(
    ports: GatewayPorts,
    call: Call,
    *,
    page_id: PageId | None,
    uri: str,
    version: str,
    as_of: datetime | None,
    section: Sequence[str],
    start: int,
    character_limit: int,
) -> ReadPage:
    """Returns the clean text of a version of a page, or of a section of it.

    Raises:
        InvalidInput: the page or the version is named twice, or a number cannot be used.
        NotFound: there is no such page, version or section, or no visible scope holds the page.
    """
    _check_version("version", version)
    if start < 0 or character_limit < 0 or len(section) > SECTION_DEPTH_MAX:
        raise InvalidInput(
            f"start and character_limit are 0 or more, and a section is at most "
            f"{SECTION_DEPTH_MAX} headings.",
            reason="READING_MALFORMED",
            field="section" if len(section) > SECTION_DEPTH_MAX else "start",
        )
    page = await get_page(ports, call, page_id=page_id, uri=uri)
    await check_unpurged(ports, page.page)
    request = ReadVersionRequest(
        page_id=page.page.page_id,
        version=version,
        as_of_time=checked_as_of(as_of, ports.clock.now()),
        section=tuple(section),
        start=start,
        character_limit=character_limit,
    )
    read = await ask(ports, READ_VERSION, request, call=call)
    # A purge may have begun while it was read.
    await check_unpurged(ports, page.page)
    return ReadPage(page=page, read=read)


async def diff_versions(
    ports: GatewayPorts, call: Call, *, page_id: PageId, from_version: str, to_version: str
) -> DiffResponse:
    """Returns what differs between two versions of a page, by default the last two.

    Raises:
        InvalidInput: a version has no id's form.
        NotFound: there is no such page or version, or no visible scope holds the page.
    """
    for field, version in (("from_version", from_version), ("to_version", to_version)):
        _check_version(field, version)
    await check_unpurged(ports, (await get_page(ports, call, page_id=page_id)).page)
    request = DiffRequest(
        page_id=page_id,
        from_version=from_version or "previous",
        to_version=to_version or "latest",
    )
    return await ask(ports, DIFF, request, call=call)


async def _collect(
    ports: GatewayPorts,
    call: Call,
    scope: Scope,
    rules: Sequence[ScopeRule],
    *,
    size: int,
    cursor: ListingCursor,
) -> tuple[Sequence[KnownPage], ListingCursor]:
    found: list[KnownPage] = []
    after, token = cursor.after, cursor.token
    prefixes = rule_prefixes(rules)
    async for batch in known_batches(ports, call, prefixes=prefixes, token=token):
        for page in _behind(batch.pages, after):
            if holding_scopes(page, [scope]) and matching_rule(rules, page.canonical_url):
                found.append(page)
            if len(found) == size:
                return found, ListingCursor(batch.token, page.page_id)
        after, token = NO_PAGE, batch.next_token
    return found, ListingCursor(token)


def _behind(pages: Sequence[KnownPage], after: PageId) -> Sequence[KnownPage]:
    """Returns the pages of a batch that were not given out; all when `after` is not in it."""
    ids = [page.page_id for page in pages]
    return pages[ids.index(after) + 1 :] if after in ids else pages


def _opened(cursor: str) -> ListingCursor:
    return ListingCursor(*json.loads(cursor)) if cursor else ListingCursor()


def _closed(cursor: ListingCursor) -> str:
    return json.dumps([cursor.token, cursor.after]) if cursor != ListingCursor() else ""


def _check_version(field: str, version: str) -> None:
    if len(version) > VERSION_CHARACTERS_MAX:
        raise InvalidInput(
            f"{field} is no version: give a version's id, previous or latest.",
            reason="VERSION_MALFORMED",
            field=field,
        )


def _page_not_found(named: str) -> NotFound:
    return NotFound(
        f"Page {named[:200]} was not found, or no scope that you may see holds it. "
        "List the pages of a scope to see which there are.",
        reason="PAGE_NOT_FOUND",
        field="name",
    )
