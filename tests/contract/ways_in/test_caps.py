"""What a page may take, by each way: bytes, time, requests."""

import asyncio
from dataclasses import replace

from aiohttp import web

from scops.fetcher.fetch.rendered_page import PARTS_MAX
from tests.contract.ways_in.conftest import OpenWay
from tests.contract.ways_in.ways import LIMITS, SETTINGS, SIZE_MAX, Way


async def test_a_page_that_is_too_large_is_refused(way: Way) -> None:
    """Also where the server sends little and scripts make much of it."""
    url = way.put("/a", "x" * (SIZE_MAX + 1))
    well = way.put("/b", "Herons eat fish.")

    assert {url: "dead(body_too_large)", well: "indexed"} == await way.look(url, well, job_id="job")


async def test_a_page_that_never_comes_is_given_up(open_way: OpenWay, name: str) -> None:
    """After as many tries as a setting says; the server answers others meanwhile."""
    way = await open_way(name, limits=replace(LIMITS, read_seconds=1.0, headers_seconds=1.0))
    url = way.put("/a", "Herons eat fish.")
    ended = asyncio.Event()

    async def silent(_: web.Request) -> web.StreamResponse:
        await ended.wait()
        return web.Response()

    way.origin.handle(way.text_path("/a"), silent)
    outcomes = await way.look(url, job_id="job")
    ended.set()

    assert {url: "dead(timeout)"} == outcomes


async def test_a_page_has_so_many_redirects(way: Way) -> None:
    """One that always leads on is left where it stands."""

    async def onward(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": f"{request.path}1"})

    way.origin.handle_below("/on/", onward)
    url = way.url("/on/1")

    assert {url: "dead(too_many_redirects)"} == await way.look(url, job_id="job")
    assert LIMITS.redirects_max + 1 == len(way.origin.paths()) - way.origin.count(
        path="/robots.txt"
    )


async def test_a_page_has_so_many_parts(shown: Way) -> None:
    """It is read without the others."""
    url = shown.put_app(
        "/a",
        f"""Promise.allSettled(Array.from({{length: {PARTS_MAX + 20}}}, (_, n) => fetch('/p/' + n)))
        .then(all => {{ root.textContent = all.filter(one => one.value?.ok).length + ' came' }})""",
    )

    async def part(_: web.Request) -> web.StreamResponse:
        return web.Response(text="part")

    shown.origin.handle_below("/p/", part)
    (text,) = await shown.fetched(url)

    assert f"{PARTS_MAX} came" in text
    assert PARTS_MAX == len([path for path in shown.origin.paths() if path.startswith("/p/")])


async def test_a_failure_that_passes_costs_a_try(way: Way) -> None:
    """A page, or what it is made of, that fails for now is asked for again."""
    url = way.put("/a", "Herons eat fish.")
    path = way.text_path("/a")

    body, answers = way.origin.body(path), iter((503,))

    async def once(_: web.Request) -> web.StreamResponse:
        return web.Response(status=next(answers, 200), body=body, content_type="text/html")

    way.origin.handle(path, once)
    outcomes = await way.look(url, job_id="job")

    assert {url: "indexed"} == outcomes
    assert SETTINGS.attempts_max == way.origin.count(path=path)
