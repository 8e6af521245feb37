"""Asks for a page as whom its scope is known, and knows the door of a login from a page."""

from dataclasses import replace

from scops.common.observe.log import get_logger
from scops.common.scope.contexts import is_credential_context
from scops.fetcher.credentials.doors import asks_password
from scops.fetcher.credentials.sealing import CredentialUnreadable
from scops.fetcher.credentials.secret import begins_session, headers_of
from scops.fetcher.credentials.sessions import Session, SignInRefused
from scops.fetcher.fetch.signing_in import SignInFailed, new_session
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.outcomes import LOGIN_WALL, REDIRECTED, Ending, Outcome
from scops.fetcher.ports.credentials import CredentialUnusable, OpenedCredential
from scops.fetcher.ports.page_source import (
    Credential,
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Redirected,
)

log = get_logger("fetcher.asking")
UNUSABLE = (CredentialUnusable, CredentialUnreadable, SignInRefused)
UNKNOWN = 401


async def ask(request: FetchRequest, visit: Visit, *, access_context: str) -> FetchResult | Ending:
    """Returns what the web answers to a request for a page, as whom its context is known.

    Who is logged in is not asked for a password: a page that does asks somebody whom the server
    did not know, however much it says besides, and wherever a redirect says that the page lives.
    """
    if not is_credential_context(access_context):
        return await visit.ports.source.fetch(request, visit)
    try:
        answer = await fetch_known(request, visit, access_context=access_context)
    except SignInFailed as error:
        return error.failure
    except UNUSABLE as error:
        log.info("credential_unusable", reason=error.reason, host_key=visit.host.host_key)
        return Ending(outcome=Outcome.BLOCKED, reason=error.reason.lower())
    if isinstance(answer, Fetched) and asks_password(answer.body):
        log.info("login_wall_met", host_key=visit.host.host_key)
        return Ending(outcome=Outcome.BLOCKED, reason=LOGIN_WALL)
    return answer


async def fetch_known(request: FetchRequest, visit: Visit, *, access_context: str) -> FetchResult:
    """Fetches a page with the credential of a context; a session that ended is begun anew, once.

    Raises:
        CredentialUnusable: there is no credential, or it has expired.
        CredentialUnreadable: no key here opens it.
        SignInRefused: it begins no session, now or a short while ago.
        SignInFailed: who would begin it does not answer for now.
    """
    answer = await _fetched(request, visit, access_context)
    clock, sessions = visit.ports.clock, visit.ports.sessions
    if not _turned_away(answer, visit) or not sessions.forget(access_context, now=clock.now()):
        return answer
    visit.refused = ""
    return await _fetched(request, visit, access_context)


async def _fetched(request: FetchRequest, visit: Visit, access_context: str) -> FetchResult:
    ports = visit.ports
    opened = await ports.credentials.opened(access_context, now=ports.clock.now())
    visit.credential = Credential(origin=opened.origin, headers=await _headers(opened, visit))
    return await ports.source.fetch(replace(request, credential=visit.credential), visit)


async def _headers(opened: OpenedCredential, visit: Visit) -> tuple[tuple[str, str], ...]:
    if not begins_session(opened.secret.kind):
        return headers_of(opened.secret)
    return (await _session(opened, visit)).headers


async def _session(opened: OpenedCredential, visit: Visit) -> Session:
    """Returns the session of a credential, begun where there is none.

    Raises:
        SignInRefused: there was none to be had, now or a short while ago.
        SignInFailed: the server does not answer for now.
    """
    sessions, clock = visit.ports.sessions, visit.ports.clock
    found = sessions.held(opened, now=clock.now())
    if found is not None:
        return found
    try:
        begun = await new_session(opened.secret, visit)
    except SignInRefused as refused:
        sessions.keep(opened, refused, now=clock.now())
        raise
    sessions.keep(opened, begun, now=clock.now())
    log.info("session_begun", kind=opened.secret.kind, host_key=visit.host.host_key)
    return begun


def _turned_away(answer: FetchResult, visit: Visit) -> bool:
    """Says whether an answer is one that servers give to whom they do not know."""
    if isinstance(answer, Fetched):
        return asks_password(answer.body)
    if isinstance(answer, Failed):
        return answer.status == UNKNOWN or visit.refused == REDIRECTED
    return isinstance(answer, Redirected)
