"""Purges, proven by searching everything that the system has written for words of its pages."""

import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.separate_roles import SeparateRoles, Servers
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

SCOPE = "lake"
# Made up, so that nothing else can hold them: each stands on one page alone.
SECRETS = {
    "/private/heron": "quillfeather",
    "/private/otter": "brookwhisker",
    "/private/draft": "inkvellichor",
}
KEPT = {"/boat": "oarsmanship", "/depth": "fathomstone"}
DONE_SECONDS = 90.0
HOLDER = "Mallowbright"


def page(token: str) -> str:
    """Returns a page whose title, text, link and markup hold its word."""
    return (
        f'<!doctype html><html lang="en"><head><title>All about {token}</title></head><body>'
        f'<nav><a href="/">{HOLDER} home</a></nav><main><h1>About {token}</h1>'
        f"<p>The {token} of the lake was measured at 41 metres in the spring of 2024.</p>"
        f"<p>Whoever asks for {token} is sent to the keeper of the lake, who has a list.</p>"
        f'<p>See the <a href="/boat">boat that {token} names</a>.</p>'
        f"<!-- {token} in a comment --></main></body></html>"
    )


@pytest.fixture
def lake() -> Iterator[Origin]:
    """A site of five pages, all linked from its first one."""
    with running(Origin()) as origin:
        links = "".join(f'<li><a href="{path}">page {n}</a></li>' for n, path in enumerate(PATHS))
        origin.replace("/", f"<title>Lake</title><h1>Lake</h1><ul>{links}</ul>")
        for path, token in (SECRETS | KEPT).items():
            origin.replace(path, page(token))
        yield origin


PATHS = tuple(SECRETS | KEPT)


def test_nothing_of_a_purged_page_is_left_anywhere(
    new_system: Callable[..., System], lake: Origin
) -> None:
    """No file of the data folder, no log and no answer holds a word of what was purged."""
    with new_system(SCOPS_LOG_LEVEL="debug") as system:
        prove(system, lake, holders)


def test_roles_apart_leave_nothing_either(tmp_path: Path, servers: Servers, lake: Origin) -> None:
    """On a bus with a user a role, PostgreSQL and Weaviate: no row and no object holds a word."""
    apart = SeparateRoles(tmp_path / "apart", servers, SCOPS_LOG_LEVEL="debug")
    with apart as system:
        prove(system, lake, lambda one, word: holders(one, word) + apart.index.holders(word))


def prove(system: System, lake: Origin, held: Callable[[System, str], list[str]]) -> None:
    """Crawls the lake, purges a part of it, and looks for the words of both parts everywhere."""
    host = lake.url.removeprefix("http://")
    system.create_scope(SCOPE, seeds=[f"{lake.url}/"])
    system.crawl(SCOPE)
    # An older version of a page goes as well as the newest one.
    lake.replace("/private/draft", page(SECRETS["/private/draft"] + " and its second edition"))
    system.crawl(SCOPE)
    cited = system.ask(f"What was measured of the {SECRETS['/private/heron']}?", SCOPE)
    assert [f"{lake.url}/private/heron"] == [one.uri for one in cited.citations][:1]
    for token in (SECRETS | KEPT).values():
        assert held(system, token), f"{token} was never stored: the search finds nothing"

    looked = system.run("purge", "--prefix", f"{host}/private", "--dry-run").json
    assert {"pages": "3", "versions": "4"}.items() <= counts_of(looked["counts"]).items()
    assert all("/private/" in uri for uri in looked["example_uris"])
    purged = system.run("purge", "--prefix", f"{host}/private", "--yes", "--reason", "test")
    assert 0 == purged.code, purged.err
    name = purged.json["name"]

    # The mark counts at once, before any owner has dropped its part.
    for token in SECRETS.values():
        assert token not in answers(system, token)
    wait_done(system, name)

    for path, token in SECRETS.items():
        assert [] == held(system, token), f"{path} left {token}"
        assert token not in answers(system, token)
    for path, token in KEPT.items():
        assert held(system, token), f"{path} must be left"
        assert token in answers(system, token)
    history = system.history(f"{lake.url}/private/draft")
    assert ["purged", "purged"] == [version.dropped_reason for version in history.versions]
    assert (True, "purged") == (history.closed, history.closed_reason)

    # A later crawl may fetch the pages again: what is observed after the mark is kept.
    system.crawl(SCOPE)
    assert SECRETS["/private/otter"] in answers(system, SECRETS["/private/otter"])


def wait_done(system: System, name: str) -> None:
    """Waits until every owner has reported a purge."""
    limit = time.monotonic() + DONE_SECONDS
    while (found := system.run("purge", "show", name).json)["state"] != "STATE_DONE":
        assert time.monotonic() < limit, f"not done: {found}"
        time.sleep(0.5)


def counts_of(counts: list[dict[str, str]]) -> dict[str, str]:
    """Returns how many of each kind."""
    return {one["kind"]: one["count"] for one in counts}


def answers(system: System, token: str) -> str:
    """Returns everything that a search and an answer say for a word."""
    asked = f"What was measured of the {token}?"
    answer = system.ask(asked, SCOPE)
    found = system.search(asked, SCOPE)
    texts = [passage.text for passage in found.passages]
    texts += [passage.text for passage in answer.passages]
    return " ".join([*texts, *(citation.quote for citation in answer.citations)])


def holders(system: System, token: str) -> list[str]:
    """Returns every file of a system that holds a word: data, bus and log."""
    wanted = token.encode()
    folder = system.log.parent
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file()
        if any(wanted in form.lower() for form in forms(path))
    ]


def forms(path: Path) -> Iterator[bytes]:
    """Yields the bytes of a file as they lie on the disk, and as they say what they mean."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        # A journal that was folded in while we looked.
        return
    yield data
    for packed in (zlib.MAX_WBITS, zlib.MAX_WBITS | 16):
        try:
            yield zlib.decompress(data, packed)
        except zlib.error:
            continue
