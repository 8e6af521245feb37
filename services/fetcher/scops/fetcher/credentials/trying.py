"""Asks for a page with a credential, so that its owner sees whether it is taken."""

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.contract.messages.crawl import TestCredentialRequest, TestCredentialResponse
from scops.common.contract.messages.types import ScopeRef
from scops.common.scope.urls import canonical_url, origin_of
from scops.fetcher.credentials.doors import asks_password
from scops.fetcher.fetch.asking import UNUSABLE, fetch_known
from scops.fetcher.fetch.borrowing import borrowed
from scops.fetcher.fetch.signing_in import SignInFailed
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.outcomes import ROBOTS
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    Redirected,
)

# For a host that somebody else asks just now: three seconds in all.
LOOKS_MAX = 15


async def try_credential(
    request: TestCredentialRequest, ports: FetcherPorts
) -> TestCredentialResponse:
    """Fetches a page under the clock and robots.txt of its host; nothing of it is kept.

    One that is not kept, has expired or opens by no key has failed, and nobody is asked. A
    session is begun anew.

    Raises:
        InvalidInput: the page is of another origin.
        TransientError: its host is being asked by somebody else.
    """
    url, context = canonical_url(request.url), request.access_context
    try:
        opened = await ports.credentials.opened(context, now=ports.clock.now())
    except UNUSABLE as error:
        return _told(_failed(error))
    if origin_of(url) != opened.origin:
        raise InvalidInput(
            f"The credential is for {opened.origin} and is sent nowhere else. Name a page of it.",
            reason="CREDENTIAL_OTHER_ORIGIN",
            field="uri",
        )
    ports.sessions.drop(context)
    async with borrowed(url, ports, looks_max=LOOKS_MAX) as lent:
        lent.visit.scopes = (ScopeRef(scope_id=request.scope_id),)
        lent.answer = await _answer(url, lent.visit, context)
    return _told(lent.answer)


async def _answer(url: str, visit: Visit, context: str) -> FetchResult:
    policy = await visit.policy(url)
    if isinstance(policy, Failed):
        return policy
    if not await visit.allows(policy, url):
        return Failed(
            reason=ROBOTS.upper(),
            detail="The host's robots.txt does not let us fetch this page, or cannot be read.",
            retryable=False,
        )
    try:
        return await fetch_known(FetchRequest(url=url), visit, access_context=context)
    except SignInFailed as error:
        return error.failure
    except UNUSABLE as error:
        return _failed(error)


def _failed(error: PermanentError) -> Failed:
    return Failed(reason=error.reason, detail=error.message, retryable=False)


def _told(answer: FetchResult) -> TestCredentialResponse:
    if isinstance(answer, Fetched):
        return TestCredentialResponse(
            outcome="fetched",
            final_url=answer.final_url,
            media_type=answer.media_type,
            size=len(answer.body),
            asks_password=asks_password(answer.body),
        )
    if isinstance(answer, Gone):
        return TestCredentialResponse(
            outcome="gone",
            reason=f"HTTP_{answer.status}",
            detail="There is no such page, or the server hides it from whom it does not know.",
            final_url=answer.final_url,
        )
    if isinstance(answer, Redirected):
        return TestCredentialResponse(
            outcome="redirected",
            reason="REDIRECTED",
            detail=f"The page redirects to {answer.target_url}, where the credential is not sent.",
            final_url=answer.target_url,
        )
    if isinstance(answer, Failed):
        return TestCredentialResponse(
            outcome="failed",
            reason=answer.reason,
            detail=answer.detail,
            final_url=answer.final_url,
        )
    raise AssertionError("only a conditional request is answered 304")
