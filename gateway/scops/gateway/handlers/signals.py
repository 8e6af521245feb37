"""The use case of SignalPages: pages of which somebody says that they changed are fetched now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import SignalPagesRequest, SignalState
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import SIGNAL_PAGES
from scops.common.scope.urls import routed_url
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.spending import no_room
from scops.gateway.ports import GatewayPorts
from scops.gateway.quotas.daily import Spending
from scops.gateway.scopes.scope_check import check_inside
from scops.gateway.scopes.stored_scope import ref_of

# Of a call; a question of the bus holds them.
SIGNALLED_URIS_MAX, SIGNALLED_BYTES_MAX = 500, 256 * 1024
# Of a URL that is said again.
URI_CHARACTERS_MAX = 2000
REFUSED = "refused"
# Webhooks are sent again for a while where they did not arrive; clocks go wrong by minutes.
SAID_WITHIN = timedelta(hours=1)
INSTANT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSignal:
    """What is done with a URL: `due`, `new`, `refused` or `limited`; with why, where it is not."""

    uri: str
    state: str
    reason: str = ""
    message: str = ""


async def signal_pages(
    ports: GatewayPorts,
    call: Call,
    *,
    scope_id: ScopeId,
    uris: Sequence[str],
    sent_time: datetime | None = None,
) -> tuple[PageSignal, ...]:
    """Has pages of a scope fetched now, as soon as their hosts may be asked.

    Each URL that cannot be taken is told; the others are taken.

    Args:
        sent_time: when it was said, so that who has heard a signed call cannot repeat it for
            ever; needed where the call is signed.

    Raises:
        InvalidInput: there are none, or too many, or it was not said just now.
        NotFound: there is no such scope, or it is hidden.
        NotPermitted: the caller may not have its pages fetched.
        ResourceExhausted: the caller may not have so much fetched today.
    """
    scope = (await scope_for(ports, call, scope_id, Permission.REVALIDATE)).scope
    _check_sent(ports, call, sent_time)
    _check_size(uris)
    pages: dict[str, PageSignal] = {}
    urls: dict[str, str] = {}
    for uri in uris:
        try:
            urls[uri] = _usable(ports, scope, uri)
        except InvalidInput as error:
            pages[uri] = _refused(uri, error.reason, error.message)
    wanted = tuple(dict.fromkeys(urls.values()))
    if wanted:
        await _charge(ports, call, len(wanted))
        request = SignalPagesRequest(scope=ref_of(scope), urls=wanted)
        answer = await ask(ports, SIGNAL_PAGES, request, call=call)
        states = {page.url: page.state for page in answer.pages}
        pages |= {uri: _told(uri, states[url]) for uri, url in urls.items()}
    return tuple(pages[uri] for uri in uris)


def _check_sent(ports: GatewayPorts, call: Call, sent: datetime | None) -> None:
    if sent is None and not (call.key is not None and call.key.signing):
        return
    now = ports.clock.now()
    if sent is None or abs(now - sent) > SAID_WITHIN:
        stated = "does not say when it was sent" if sent is None else f"is of {sent:{INSTANT}}"
        raise InvalidInput(
            f"The call {stated}, and it is {now.astimezone(UTC):{INSTANT}} here. Put the present "
            "time into send_time of the body, as RFC 3339 writes it, and sign the body anew: what "
            "is signed counts for an hour.",
            reason="SEND_TIME_INVALID",
            field="send_time",
        )


def _usable(ports: GatewayPorts, scope: Scope, uri: str) -> str:
    url = routed_url(uri)
    check_inside(scope, url, field="uris")
    ports.hosts.check(url, field="uris")
    return url


async def _charge(ports: GatewayPorts, call: Call, pages: int) -> None:
    now = ports.clock.now()
    charge = ports.daily_quotas.charge(call.principal, Spending.FETCHES, pages, now=now)
    if charge is not None and not await ports.usage.spend(charge):
        raise await no_room(ports, charge, now=now)


def _told(uri: str, state: SignalState) -> PageSignal:
    if state is SignalState.OUTSIDE:
        message = "The page lives outside the rules of the scope now. Add a rule for it."
        return _refused(uri, "URL_OUTSIDE_SCOPE", message)
    if state is SignalState.LIMITED:
        return PageSignal(
            uri=uri,
            state=state.value,
            reason="TOO_MANY_SIGNALS",
            message="The scope was told of as many pages as it may be within an hour. "
            "Tell of this one again later, or crawl the scope.",
        )
    return PageSignal(uri=uri, state=state.value)


def _refused(uri: str, reason: str, message: str) -> PageSignal:
    return PageSignal(uri=uri[:URI_CHARACTERS_MAX], state=REFUSED, reason=reason, message=message)


def _check_size(uris: Sequence[str]) -> None:
    size = sum(len(uri.encode()) for uri in uris)
    if 0 < len(uris) <= SIGNALLED_URIS_MAX and size <= SIGNALLED_BYTES_MAX:
        return
    raise InvalidInput(
        f"The call names {len(uris)} URLs of {size} bytes; 1 to {SIGNALLED_URIS_MAX} of "
        f"{SIGNALLED_BYTES_MAX} bytes are taken. Split it, or crawl the scope.",
        reason="TOO_MANY_URLS" if uris else "FIELD_MISSING",
        field="uris",
    )
