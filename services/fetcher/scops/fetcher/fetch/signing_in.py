"""Begins the session of a credential: by the grant of a token, or by a login's form."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from scops.common.contract.messages.crawl import SecretKind
from scops.common.scope.urls import host_key, origin_of
from scops.fetcher.credentials.client_grant import grant_request, granted
from scops.fetcher.credentials.doors import asks_password
from scops.fetcher.credentials.secret import COOKIES_MAX, Secret
from scops.fetcher.credentials.sessions import Session, SignInRefused
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.ports.page_source import Failed
from scops.fetcher.ports.sign_in import SignInAnswer, SignInRequest

HOPS_MAX = 8
# What a browser follows by GET after a form was sent.
BY_GET = frozenset({301, 302, 303})


class SignInFailed(Exception):
    """A request of signing in got no answer: the page is tried again later.

    Attributes:
        failure: of the request.
    """

    def __init__(self, failure: Failed) -> None:
        super().__init__(failure.reason)
        self.failure = failure


async def new_session(secret: Secret, visit: Visit) -> Session:
    """Begins a session, under the clock of each host that is asked.

    robots.txt is not asked: a login's address is named by whom it lets in.

    Raises:
        SignInRefused: the server begins none.
        SignInFailed: it does not answer for now.
    """
    return await _WAYS[secret.kind](secret, visit)


async def _by_grant(secret: Secret, visit: Visit) -> Session:
    answer = await _send(grant_request(secret), visit)
    return granted(answer, now=visit.ports.clock.now())


async def _by_form(secret: Secret, visit: Visit) -> Session:
    """Opens the login's page, sends its form filled in, and follows where that leads."""
    cookies: dict[str, str] = {}
    url, shown = secret.fields["url"], secret.fields["shows"]
    page = await _followed(SignInRequest(url=url), cookies, visit)
    # Imported here: a parser of HTML is 5 MB, and few scopes sign in by a form.
    from scops.fetcher.credentials.login_form import filled_form

    form = filled_form(page.body, secret, url=page.url)
    named = (("Origin", origin_of(page.url)), ("Referer", page.url))
    sent = SignInRequest(url=form.action, form=form.fields, headers=named)
    answer = await _followed(sent, cookies, visit)
    where = f"The login at {url} ended at {answer.url} with {answer.status}"
    if answer.status >= 400 or asks_password(answer.body):
        raise SignInRefused(f"{where}, and lets nobody in. Check what is filled in.")
    if shown and shown not in answer.body.decode(errors="replace"):
        raise SignInRefused(f"{where}, which does not show what a login is known by.")
    if not cookies:
        raise SignInRefused(f"{where}, and set no cookie: there is nothing to be known by.")
    return Session(headers=_cookie_header(cookies))


async def _followed(request: SignInRequest, cookies: dict[str, str], visit: Visit) -> SignInAnswer:
    """Sends a request and follows its redirects on its origin, with the cookies of the way."""
    origin, named = origin_of(request.url), request.headers
    for _ in range(HOPS_MAX):
        answer = await _send(replace(request, headers=(*named, *_cookie_header(cookies))), visit)
        _take(cookies, answer)
        target = answer.target_url
        if not target or origin_of(target) != origin:
            return answer
        form = None if answer.status in BY_GET else request.form
        request = replace(request, url=target, form=form)
    raise SignInRefused(f"The login at {request.url} redirects without an end.")


async def _send(request: SignInRequest, visit: Visit) -> SignInAnswer:
    """Sends a request under the clock of its host, which may be another one than the page's."""
    source = visit.ports.sign_in
    if host_key(request.url) == visit.host.host_key:
        answer = await source.send(request, visit)
    else:
        answer = await visit.elsewhere(request.url, lambda other: source.send(request, other))
        if isinstance(answer, Failed):
            # Its own host has been left alone for it.
            answer = replace(answer, host_fault=False, retry_after_seconds=None)
    if not isinstance(answer, Failed):
        return answer
    if answer.retryable:
        raise SignInFailed(answer)
    raise SignInRefused(f"{request.url} cannot be asked for a session. {answer.detail}")


def _cookie_header(cookies: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    pairs = "; ".join(f"{name}={value}" for name, value in cookies.items())
    return (("Cookie", pairs),) if pairs else ()


def _take(cookies: dict[str, str], answer: SignInAnswer) -> None:
    for name, value in answer.cookies:
        cookies.pop(name, None)
        if value and len(cookies) < COOKIES_MAX:
            cookies[name] = value


_WAYS: Mapping[SecretKind, Callable[[Secret, Visit], Awaitable[Session]]] = {
    SecretKind.OAUTH_CLIENT: _by_grant,
    SecretKind.FORM: _by_form,
}
