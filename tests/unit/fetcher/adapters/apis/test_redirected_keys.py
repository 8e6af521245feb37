"""Keys stay with the origin that they are of, wherever its answers lead."""

from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from scops.fetcher.adapters.apis.guarded import GuardedTransport, sent
from tests.fakes.servers.origin import Origin, running

KEYS = {"x-api-key": "secret", "Zotero-API-Key": "secret", "Authorization": "Bearer secret"}
OPEN = {"User-Agent": "scops", "Accept": "application/json", "If-None-Match": '"a"'}


@pytest.fixture
def origin() -> Iterator[Origin]:
    with running(Origin()) as site:
        site.replace("/here", "Herons.", type="text/plain")
        yield site


@pytest.fixture
def other() -> Iterator[Origin]:
    with running(Origin()) as site:
        site.replace("/there", "Grebes.", type="text/plain")
        yield site


def _heard(origin: Origin, *named: Origin) -> httpx.Headers:
    """Returns the headers of the request that was answered in the end."""
    guard = GuardedTransport()
    for one in (origin, *named):
        guard.name(one.url)
    with closing(httpx.Client(headers={**KEYS, **OPEN}, transport=guard)) as client:
        answer = sent(client, client.build_request("GET", f"{origin.url}/to"))
        answer.close()
    assert 200 == answer.status_code
    return answer.request.headers


def test_another_origin_is_told_no_key(origin: Origin, other: Origin) -> None:
    """In whatever header; what tells no secret goes on, and so does a way back."""
    origin.redirect("/to", f"{other.url}/there", 302)
    heard = _heard(origin, other)
    other.redirect("/back", f"{origin.url}/here", 302)
    origin.redirect("/to", f"{other.url}/back", 302)
    back = _heard(origin, other)

    assert [] == [name for name in KEYS if name in heard or name in back]
    assert OPEN == {name: heard[name] for name in OPEN}


def test_the_same_origin_is_told_its_key(origin: Origin) -> None:
    """By another path of it."""
    origin.redirect("/to", "/here", 302)
    heard = _heard(origin)

    assert KEYS == {name: heard[name] for name in KEYS}
