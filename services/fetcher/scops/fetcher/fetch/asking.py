"""Asks for a page as whom its scope is known, and knows the door of a login from a page."""

import re
from dataclasses import replace

from scops.common.observe.log import get_logger
from scops.common.scope.contexts import is_credential_context
from scops.fetcher.credentials.sealing import CredentialUnreadable
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import PageLease
from scops.fetcher.frontier.outcomes import LOGIN_WALL, Ending, Outcome
from scops.fetcher.ports.credentials import CredentialUnusable
from scops.fetcher.ports.page_source import Fetched, FetchRequest, FetchResult

log = get_logger("fetcher.asking")
# Looked for in the bytes as they came, as the extractor does in the markup.
_PASSWORD = re.compile(rb"""<input\b[^<>]{0,2000}\btype\s*=\s*["']?password""", re.IGNORECASE)


async def identify(lease: PageLease, visit: Visit) -> Ending | None:
    """Gives a visit the credential of its page's context; says why it must not be asked for.

    Pages of other contexts are asked for as anybody.
    """
    if not is_credential_context(lease.access_context):
        return None
    ports = visit.ports
    try:
        visit.credential = await ports.credentials.credential(
            lease.access_context, now=ports.clock.now()
        )
    except (CredentialUnusable, CredentialUnreadable) as error:
        log.info("credential_unusable", reason=error.reason, host_key=lease.host.host_key)
        return Ending(outcome=Outcome.BLOCKED, reason=error.reason.lower())
    return None


async def ask(request: FetchRequest, visit: Visit) -> FetchResult | Ending:
    """Returns what the web answers to a request with the credential of its visit, if it has one.

    Who is logged in is not asked for a password: a page that does asks somebody whom the server
    did not know, however much it says besides, and wherever a redirect says that the page lives.
    """
    answer = await visit.ports.source.fetch(replace(request, credential=visit.credential), visit)
    if visit.credential is not None and isinstance(answer, Fetched) and asks_password(answer.body):
        log.info("login_wall_met", host_key=visit.host.host_key)
        return Ending(outcome=Outcome.BLOCKED, reason=LOGIN_WALL)
    return answer


def asks_password(body: bytes) -> bool:
    """Returns whether a page has a field for a password, as the door of a login has."""
    return _PASSWORD.search(body) is not None
