"""Pages, their histories and differences, and what changed."""

from collections.abc import Iterable
from datetime import date, datetime
from functools import partial

from scops.client.calls import Call, Listing, Plan, Streaming
from scops.client.codec import read
from scops.client.methods.names import AnyPage, AnyScope, scope_name
from scops.client.values.pages import (
    Changes,
    LocatedPage,
    NewChanges,
    Page,
    PageCapture,
    PageChanges,
    PageDiff,
    PageHistory,
    PageText,
    Pin,
    SignalledPage,
)

SERVICE = "PageService"


def list_pages(scope: AnyScope, *, prefix: str = "", page_size: int = 100) -> Listing[Page]:
    """Lists the known pages of a scope, by URI.

    Args:
        prefix: only pages below it, such as `docs.example.org/guide` or `file://handbook`.
    """
    fields = {"scope": scope_name(scope), "prefix": prefix, "page_size": page_size}
    return Listing(Call(SERVICE, "ListPages", fields), "pages", Page)


def get_page(page: AnyPage) -> Plan[Page]:
    """Reads a page, by its URL or its name (`pages/{page}`)."""
    return read(Page, (yield Call(SERVICE, "GetPage", _named(page))).page)


def locate_page(uri: str) -> Plan[LocatedPage]:
    """Says whether a URL is a known page, and which scopes let it in or keep it out."""
    return read(LocatedPage, (yield Call(SERVICE, "LocatePage", {"uri": uri})))


def capture_page(
    scope: AnyScope,
    uri: str,
    content: bytes,
    *,
    captured: date | datetime | None = None,
    charset: str = "",
    media_type: str = "",
    last_modified: date | datetime | None = None,
    gone: bool = False,
) -> Plan[PageCapture]:
    """Takes a page in as you saw it, or a file as it stands, for one scope and nobody else.

    Args:
        uri: of the page; of a file `file://{collection}/{path}`.
        captured: when it was seen; a bare date means its end in UTC; None is now.
        charset: encoding of a text; empty reads what it says of itself.
        media_type: such as `text/markdown`; empty for HTML or a PDF.
        last_modified: when the file was changed last.
        gone: it is not there any more, and `content` is empty.
    """
    fields = {
        "scope": scope_name(scope),
        "uri": uri,
        "content": content,
        "capture_time": captured,
        "charset": charset,
        "media_type": media_type,
        "last_modified_time": last_modified,
        "gone": gone,
    }
    # Twice the same is once; without an instant of its own each is another one.
    call = Call(SERVICE, "PutPageCapture", fields, is_harmless=captured is not None)
    return read(PageCapture, (yield call))


def signal_pages(
    scope: AnyScope, uris: Iterable[str], *, send_time: datetime | None = None
) -> Plan[tuple[SignalledPage, ...]]:
    """Has pages of a scope fetched now of which you say that they changed.

    Each URL that is not taken says why; robots.txt and the pauses of hosts hold as ever.

    Args:
        uris: at most 500.
        send_time: when it was said; what was said more than an hour ago is refused. None does not
            say it.
    """
    fields = {"scope": scope_name(scope), "uris": tuple(uris), "send_time": send_time}
    answer = yield Call(SERVICE, "SignalPages", fields)
    return tuple(read(SignalledPage, page) for page in answer.pages)


def read_page(
    page: AnyPage,
    *,
    version: str = "",
    as_of: date | datetime | None = None,
    section: Iterable[str] = (),
    start: int = 0,
    characters: int = 0,
) -> Plan[PageText]:
    """Reads what a page says, or said.

    Args:
        version: an id, `latest` or `previous`; empty is `latest`, or the one that stood `as_of`.
        as_of: a bare date means its end in UTC.
        section: a heading, or several from the outer to the inner one: only its section.
        start: code point of the clean text at which to go on.
        characters: at most, 80,000 at most; 0 is 20,000.
    """
    fields = {
        **_named(page),
        "version": version,
        "as_of_time": as_of,
        "section": section,
        "start": start,
        "character_limit": characters,
    }
    return read(PageText, (yield Call(SERVICE, "ReadPage", fields)))


def page_history(
    page: AnyPage, *, limit: int = 100, scope: AnyScope | None = None
) -> Plan[PageHistory]:
    """Reads the versions of a page, newest first.

    Args:
        limit: of versions.
        scope: whose rule says which changes count; without one, the default rule.
    """
    fields = {
        "name": (yield from _name(page)),
        "page_size": limit,
        "scope": scope_name(scope) if scope is not None else "",
    }
    return read(PageHistory, (yield Call(SERVICE, "ListPageVersions", fields)))


def diff_page(
    page: AnyPage, *, from_version: str = "previous", to_version: str = "latest"
) -> Plan[PageDiff]:
    """Compares two versions of a page, word by word.

    Args:
        from_version: an id, or `previous`.
        to_version: an id, or `latest`.
    """
    fields = {
        "name": (yield from _name(page)),
        "from_version": from_version,
        "to_version": to_version,
    }
    return read(PageDiff, (yield Call(SERVICE, "DiffPageVersions", fields)))


def what_changed(
    scope: AnyScope,
    since: date | datetime,
    *,
    counted_reasons: Iterable[str] = (),
    ignored_reasons: Iterable[str] = (),
    with_noise: bool = False,
    limit: int = 0,
) -> Plan[Changes]:
    """Tells what changed on the pages of a scope since an instant, by falling weight.

    Args:
        since: a bare date means its end in UTC.
        counted_reasons: only changes for one of these count; empty counts every reason.
        ignored_reasons: changes for nothing but these are noise.
        with_noise: whether changes that are not semantic count too.
        limit: of pages; 0 is the gateway's.
    """
    fields = {
        "scope": scope_name(scope),
        "since": since,
        "counted_reasons": counted_reasons,
        "ignored_reasons": ignored_reasons,
        "with_noise": with_noise,
        "page_size": limit,
    }
    return read(Changes, (yield Call(SERVICE, "WhatChanged", fields)))


def page_changes(
    page: AnyPage,
    since: date | datetime | None = None,
    *,
    counted_reasons: Iterable[str] = (),
    ignored_reasons: Iterable[str] = (),
    with_noise: bool = False,
) -> Plan[PageChanges]:
    """Tells what changed on a page as it was recorded, each time against the version before.

    Args:
        since: a bare date means its end in UTC; None is thirty days ago, as far as there are any.
        counted_reasons: only changes for one of these count; empty counts every reason.
        ignored_reasons: changes for nothing but these are noise.
        with_noise: whether changes that are not semantic count too.
    """
    fields = {
        "name": (yield from _name(page)),
        "since": since,
        "counted_reasons": counted_reasons,
        "ignored_reasons": ignored_reasons,
        "with_noise": with_noise,
    }
    return read(PageChanges, (yield Call(SERVICE, "ListPageChanges", fields)))


def watch_changes(
    scope: AnyScope,
    since: date | datetime | None = None,
    *,
    cursor: str = "",
    counted_reasons: Iterable[str] = (),
    ignored_reasons: Iterable[str] = (),
    with_noise: bool = False,
) -> Streaming[NewChanges]:
    """Tells what changes on the pages of a scope as it is recorded; it has no end of its own.

    A stream that breaks off is opened again from where it was.

    Args:
        since: what was recorded after it is told first; a bare date means its end in UTC; None is
            now.
        cursor: of what was told last, by an earlier stream; in place of `since`.
        counted_reasons: only changes for one of these count; empty counts every reason.
        ignored_reasons: changes for nothing but these are noise.
        with_noise: whether changes that are not semantic count too.
    """
    fields = {
        "scope": scope_name(scope),
        "since": since,
        "cursor": cursor,
        "counted_reasons": tuple(counted_reasons),
        "ignored_reasons": tuple(ignored_reasons),
        "with_noise": with_noise,
    }
    call = Call(SERVICE, "WatchChanges", fields, is_harmless=True)
    return Streaming(
        call,
        partial(read, NewChanges),
        lasts=True,
        cursor="cursor",
        is_told=lambda news: bool(news.changes),
    )


def pin_version(
    page: AnyPage, *, version: str = "latest", days: int = 0, note: str = "", unpin: bool = False
) -> Plan[Pin]:
    """Keeps a version of a page whatever its age, or lets go of it.

    Args:
        version: an id, `latest` or `previous`.
        days: from now; 0 is the default.
        note: why; shown in histories.
    """
    fields = {
        "name": (yield from _name(page)),
        "version": version,
        "days": days,
        "note": note,
        "unpin": unpin,
    }
    return read(Pin, (yield Call(SERVICE, "PinPageVersion", fields, is_harmless=True)))


def _named(page: AnyPage) -> dict[str, str]:
    """Returns a page as requests name it that take either."""
    named = page if isinstance(page, str) else page.name
    return {"uri": named} if "://" in named else {"name": named}


def _name(page: AnyPage) -> Plan[str]:
    """Returns `pages/{page}`, which a URL is looked up for."""
    if isinstance(page, str) and "://" in page:
        found: Page = yield from get_page(page)
        return found.name
    return page if isinstance(page, str) else page.name
