"""The use case of PutPageCapture: a page as the caller saw it, for one scope and nobody else.

A file of a collection comes in the same way, for nobody can fetch it (ADR 63).
"""

from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from scops.common.access.permissions import Permission
from scops.common.contract.errors import Conflict, InvalidInput, NotFound
from scops.common.contract.ids import ScopeId, uuid7
from scops.common.contract.messages.crawl import (
    CapturePageRequest,
    CapturePageResponse,
    ImportState,
)
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.query.ports import CAPTURE_PAGE
from scops.common.scope.contexts import capture_context, is_capture_context
from scops.common.scope.rules import excluding_rule, matching_rule
from scops.common.scope.urls import is_file, page_url
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import change_scope, check_permission, scope_for
from scops.gateway.handlers.spending import no_room
from scops.gateway.handlers.transfers.values import CapturedPage
from scops.gateway.ports import GatewayPorts
from scops.gateway.quotas.daily import Spending
from scops.gateway.requests.limits import CAPTURE_BYTES_MAX, about_field
from scops.gateway.requests.names import page_name
from scops.gateway.scopes.scope_check import checked_scope
from scops.gateway.scopes.stored_scope import own_rules, with_fields

ENTROPY_BYTES = 10
PDF_MAGIC = b"%PDF-"
HTML, PDF = "text/html", "application/pdf"
# What the extractor reads.
MEDIA_TYPES = (
    HTML,
    PDF,
    "application/xhtml+xml",
    "text/markdown",
    "text/plain",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.text",
    "application/epub+zip",
    "application/jats+xml",
    "application/xml",
    "text/xml",
)
CHARSET_CHARACTERS_MAX = 40


async def put_page_capture(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    uri: str,
    content: bytes,
    captured_time: datetime | None,
    charset: str,
    media_type: str,
    last_modified_time: datetime | None,
    gone: bool,
) -> CapturedPage:
    """Has a page taken in as the caller saw it; it belongs to the scope alone.

    The scope holds captures of its own, in an access context that no other scope has. Where no
    rule of it holds the page, the page is added to it, or the collection of the file is.

    Args:
        media_type: of the content; empty where its first bytes say it.
        gone: the page is not there any more, and closes.

    Raises:
        InvalidInput: it is of no media type that can be read, too long, of the future, or the URL
            is none, or a rule of the scope keeps it out.
        NotFound: there is no such scope, or it is hidden; or what is gone was never captured.
        NotPermitted: the caller may not capture pages for it, or not add them.
        ResourceExhausted: the caller may take in no more today.
        Conflict: something else of the page is on its way.
    """
    principal, now = call.principal, ports.clock.now()
    scope = (await scope_for(ports, call, scope_id, Permission.CAPTURE)).scope
    with about_field("uri"):
        url = page_url(uri)
        if not is_file(url):
            ports.hosts.check(url, field="uri")
    seen_time = captured_time or now
    if seen_time > now:
        raise _unusable("lies in the future", "capture_time")
    if gone:
        return await _closed(ports, call, scope, url, seen_time, content)
    kind = _media_type(content, charset, media_type)

    def change(scope: Scope) -> Scope:
        return _with_captures(_holding(scope, call, url), ports, now)

    # Before anything is changed or stored for it.
    await _charge(ports, call, len(content), now)
    stored = await change_scope(
        ports,
        call,
        scope_id=scope_id,
        etag="",
        permission=Permission.CAPTURE,
        change=change,
        reason="a page of it was captured",
    )
    request = CapturePageRequest(
        canonical_url=url,
        access_context=_context(stored.scope),
        observed_time=seen_time,
        body=await ports.archive.put(content, media_type=kind, charset=charset),
        captured_by=principal.principal_id,
        last_modified_time=last_modified_time,
    )
    return _taken(await ask(ports, CAPTURE_PAGE, request, call=call))


async def _closed(
    ports: GatewayPorts, call: Call, scope: Scope, url: str, seen_time: datetime, content: bytes
) -> CapturedPage:
    """Has a captured page closed that is not there any more."""
    if content:
        raise _unusable("is gone and has content", "content")
    request = CapturePageRequest(
        canonical_url=url,
        access_context=_context(scope),
        observed_time=seen_time,
        captured_by=call.principal.principal_id,
    )
    if not request.access_context:
        raise NotFound(
            f"Nothing was captured for scope {scope.scope_id} yet, so that nothing of it can be "
            "gone. List the pages of the scope to see what there is.",
            reason="PAGE_NOT_FOUND",
            field="uri",
        )
    return _taken(await ask(ports, CAPTURE_PAGE, request, call=call))


def _context(scope: Scope) -> str:
    """Returns the access context of what was captured for a scope; empty where nothing was."""
    return next(filter(is_capture_context, scope.access_contexts), "")


def _taken(answer: CapturePageResponse) -> CapturedPage:
    if answer.state is ImportState.BUSY:
        name = page_name(answer.page_id)
        raise Conflict(
            f"Another capture of {name} is on its way. Send this one again in a moment.",
            reason="CAPTURE_BUSY",
            resource=name,
        )
    return CapturedPage(page_id=answer.page_id, known=answer.state is ImportState.KNOWN)


def _media_type(content: bytes, charset: str, stated: str) -> str:
    """Returns what a capture is; what a browser shows else, such as an image, has no text."""
    if not content or len(content) > CAPTURE_BYTES_MAX:
        raise _unusable(f"has {len(content)} bytes; 1 to {CAPTURE_BYTES_MAX} are taken", "content")
    if len(charset) > CHARSET_CHARACTERS_MAX:
        raise _unusable("names a charset that is none", "charset")
    if stated:
        if stated not in MEDIA_TYPES:
            raise _unusable(f"is none of {', '.join(MEDIA_TYPES)}", "media_type")
        return stated
    if content.startswith(PDF_MAGIC):
        return PDF
    if b"<" not in content:
        raise _unusable("is neither HTML nor a PDF", "content")
    return HTML


def _holding(scope: Scope, call: Call, url: str) -> Scope:
    """Returns a scope that holds a page, with a rule for it where it has none."""
    if matching_rule(scope.rules, url) is not None:
        return scope
    keeping_out = excluding_rule(scope.rules, url)
    if keeping_out is not None:
        raise _unusable(f"is of a page that the rule {keeping_out.pattern} keeps out", "uri")
    check_permission(call.principal, Permission.ADD_PAGES, scope)
    wanted = replace(scope, rules=(*own_rules(scope), _rule_for(url)))
    changed = checked_scope(with_fields(scope, wanted, ("rules",)))
    if matching_rule(changed.rules, url) is None:
        raise _unusable("has a path that servers read in several ways; rename it", "uri")
    return changed


def _rule_for(url: str) -> ScopeRule:
    """Returns the rule by which a scope holds a page; of a file all of its collection."""
    if is_file(url):
        return ScopeRule(kind=RuleKind.PREFIX, pattern=f"file://{urlsplit(url).netloc}")
    return ScopeRule(kind=RuleKind.PAGE, pattern=url)


def _with_captures(scope: Scope, ports: GatewayPorts, now: datetime) -> Scope:
    """Returns a scope that holds captures.

    Their context is drawn: another scope of the same id, later, must not have them.
    """
    if any(map(is_capture_context, scope.access_contexts)):
        return scope
    drawn = capture_context(uuid7(now, ports.random.randbytes(ENTROPY_BYTES)))
    return replace(scope, access_contexts=(*scope.access_contexts, drawn))


async def _charge(ports: GatewayPorts, call: Call, size: int, now: datetime) -> None:
    """Spends a page and its bytes, as a fetch would.

    Raises:
        ResourceExhausted: today has no room for them.
    """
    for kind, amount in ((Spending.FETCHES, 1), (Spending.BYTES, size)):
        charge = ports.daily_quotas.charge(call.principal, kind, amount, now=now)
        if charge is not None and not await ports.usage.spend(charge):
            raise await no_room(ports, charge, now=now)


def _unusable(why: str, field: str) -> InvalidInput:
    return InvalidInput(
        f"The capture {why}. Send the HTML of a page as it is shown, or a PDF, with its URL; "
        "or a file with its media type.",
        reason="CAPTURE_MALFORMED",
        field=field,
    )
