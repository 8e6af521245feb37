"""What is named may be asked wherever it lies; nothing that is answered leads within."""

import gzip
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from scops.fetcher.adapters.apis.asking import TRIES_MAX, PoliteApi, Unbounded
from scops.fetcher.adapters.apis.guarded import REDIRECTS_MAX
from scops.standalone.commands.warc.web_files import WebFiles
from tests.contract.ways_in.addresses import LITERALS
from tests.fakes.servers.origin import Origin, running


@pytest.fixture
def origin() -> Iterator[Origin]:
    with running(Origin()) as site:
        site.replace("/here", "Herons eat fish.", type="text/plain")
        yield site


@pytest.fixture
def ear() -> Iterator[Origin]:
    """A server on every address of this machine, which nobody may ask."""
    with running(Origin(host="0.0.0.0")) as site:
        yield site


@contextmanager
def asking(url: str, pauses: list[float] | None = None) -> Iterator[PoliteApi]:
    taken = pauses if pauses is not None else []
    with closing(PoliteApi(url, pause_seconds=0, sleep=taken.append)) as api:
        yield api


@pytest.mark.parametrize("host", LITERALS)
def test_a_redirect_leads_to_no_address_within(origin: Origin, ear: Origin, host: str) -> None:
    """In whatever way it is written."""
    port, refused = ear.url.rpartition(":")[2], "leads to|Invalid URL in location"
    origin.redirect("/to", f"http://{host}:{port}/", 302)
    with asking(origin.url) as api, pytest.raises(OSError, match=refused):
        api.get(f"{origin.url}/to")
    with closing(WebFiles(sleep=lambda _: None)) as web, pytest.raises(OSError, match=refused):
        web.part(f"{origin.url}/to", 0, 1)

    assert 0 == ear.count()


def test_an_address_that_was_refused_is_not_tried_again(origin: Origin) -> None:
    """It would be refused again."""
    origin.redirect("/to", "http://10.0.0.1/", 302)
    pauses: list[float] = []
    with asking(origin.url, pauses) as api, pytest.raises(OSError, match="is not public"):
        api.get(f"{origin.url}/to")

    assert [] == pauses
    assert 1 == len(origin.requests)


def test_a_redirect_leads_to_no_other_port_of_what_was_named(origin: Origin, ear: Origin) -> None:
    """What was named is a host with its port."""
    port = ear.url.rpartition(":")[2]
    origin.redirect("/to", f"http://127.0.0.1:{port}/", 302)
    with asking(origin.url) as api, pytest.raises(OSError, match=r"127\.0\.0\.1 is not public"):
        api.get(f"{origin.url}/to")

    assert 0 == ear.count()


def test_a_redirect_is_followed_on_what_was_named(origin: Origin) -> None:
    """With what the last answer says."""
    origin.redirect("/to", "/here", 302)
    with asking(origin.url) as api:
        answer = api.get(f"{origin.url}/to")

    assert (200, "Herons eat fish.", f"{origin.url}/here") == (
        answer.status_code,
        answer.text,
        str(answer.url),
    )


def test_redirects_end(origin: Origin) -> None:
    """Where they lead on and on."""
    origin.redirect("/to", "/to?again", 302)
    with asking(origin.url) as api, pytest.raises(OSError, match=f"{REDIRECTS_MAX} redirects"):
        api.get(f"{origin.url}/to")

    assert REDIRECTS_MAX + 1 == len(origin.requests)


def test_a_name_is_connected_to_at_the_address_that_was_looked_at(origin: Origin) -> None:
    """`localhost` is none that is public, whatever it is called."""
    port = origin.url.rpartition(":")[2]
    origin.redirect("/to", f"http://localhost:{port}/here", 302)
    with asking(origin.url) as api, pytest.raises(OSError, match="leads to localhost"):
        api.get(f"{origin.url}/to")


@pytest.mark.parametrize("scheme", ["http", "all"])
def test_a_proxy_is_asked_for_names_and_not_for_addresses_within(
    origin: Origin, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    """As the environment names it; it looks names up."""
    monkeypatch.setenv(f"{scheme}_proxy", origin.url)
    with asking("http://feeds.example.org/") as api:
        named = api.get("http://feeds.example.org/here")
        origin.redirect("/to", "http://10.0.0.1/here", 302)
        with pytest.raises(OSError, match=r"10\.0\.0\.1 is not public"):
            api.get("http://feeds.example.org/to")

    assert "Herons eat fish." == named.text
    assert 2 == len(origin.requests)


def test_an_answer_that_unpacks_without_end_is_not_unpacked(origin: Origin) -> None:
    """As of a fetch: more than a hundred times its size."""
    origin.answer_first(gzip.compress(bytes(15_000_000)), Content_Encoding="gzip")
    with asking(origin.url) as api, pytest.raises(Unbounded, match="decompression bomb"):
        api.get(origin.url)


def test_a_packed_answer_is_unpacked(origin: Origin) -> None:
    """With its headers, but for those of the packing."""
    origin.answer_first(gzip.compress(b"Herons."), Content_Encoding="gzip", ETag='"a"')
    with asking(origin.url) as api:
        answer = api.get(origin.url)

    assert ("Herons.", '"a"') == (answer.text, answer.headers["etag"])
    assert "content-encoding" not in answer.headers


def test_a_part_is_not_longer_than_was_asked_for(origin: Origin) -> None:
    """Whatever its server sends."""
    origin.answer_first(b"x" * 9, status=206, Content_Range="bytes 0-3/9")
    with closing(WebFiles(sleep=lambda _: None)) as web, pytest.raises(OSError, match="more came"):
        web.part(f"{origin.url}/a", 0, 4)


def test_who_does_not_answer_is_asked_again(origin: Origin) -> None:
    """As often as a bound says; the last word is an error."""
    pauses: list[float] = []
    with (
        asking("http://127.0.0.1:9/", pauses) as api,
        pytest.raises(OSError, match="does not answer"),
    ):
        api.get("http://127.0.0.1:9/")

    assert [1.0, 2.0, 4.0, 8.0] == pauses
    assert TRIES_MAX == len(pauses) + 1
