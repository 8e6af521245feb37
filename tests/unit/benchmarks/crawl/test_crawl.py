"""The web of the crawling benchmark: whole, conditional, and honest about what it sent."""

import json

from benchmarks.crawl.site import PRIVATE, links_of, page, path_of
from benchmarks.crawl.web import Web, addresses

HOST, PAGES = "127.1.0.1", 30


def test_every_page_is_reached_from_the_seed() -> None:
    """A crawler that follows every link sees all pages, and one that robots.txt forbids."""
    base = f"http://{HOST}:1"
    seen, waiting = {base + path_of(0)}, [0]
    while waiting:
        number = waiting.pop()
        for url in links_of(page(HOST, number, pages=PAGES), base + path_of(number)):
            if url not in seen and not url.endswith(PRIVATE):
                waiting.append(int(url.rpartition("/")[2].removesuffix(".html")))
            seen.add(url)

    assert {base + path_of(number) for number in range(PAGES)} | {base + PRIVATE} == seen


def test_only_what_was_edited_is_sent_again() -> None:
    """A request with the tag of a page is answered 304 until the page changes."""
    web = Web([HOST], PAGES, 0.0)
    bodies = [web.answer(HOST, _request(number)) for number in range(PAGES)]
    tags = [body.split(b"ETag: ")[1].split(b"\r\n")[0] for body in bodies]
    edited = web.edit(0.1)
    for number, tag in enumerate(tags):
        web.answer(HOST, _request(number) + b"\r\nIf-None-Match: " + tag)

    assert 3 == edited
    assert {"200": PAGES + 3, "304": PAGES - 3} == json.loads(web.sent.told())["statuses"]


def test_addresses_are_of_the_loopback_and_differ() -> None:
    """Each host is an address of its own."""
    found = addresses(600)

    assert 600 == len(set(found))
    assert all(address.startswith("127.") for address in found)


def _request(number: int) -> bytes:
    return f"GET {path_of(number)} HTTP/1.1\r\nHost: {HOST}".encode()
