"""No way leads to an address that is not public: not by a page, a redirect, or a part of a page."""

import json
from collections.abc import Sequence

import pytest
from aiohttp import web

from scops.common.scope.urls import canonical_url, origin_of
from tests.contract.ways_in.addresses import HOSTS, NAMED, Ear
from tests.contract.ways_in.ways import Way

# Each way of asking says what came of it; a page is read once all have.
ASKED = """
const ways = {
  fetch: (url) => fetch(url),
  xhr: (url) => new Promise((came, left) => {
    const one = new XMLHttpRequest();
    one.onload = came; one.onerror = left; one.open('GET', url); one.send() }),
  script: (url) => element('script', {src: url}),
  module: (url) => import(url),
  style: (url) => element('link', {rel: 'stylesheet', href: url}),
  worker: (url) => new Promise((came, left) => {
    const code = `fetch(${JSON.stringify(url)}).then(() => postMessage(1), () => postMessage(0))`;
    const one = new Worker(URL.createObjectURL(new Blob([code])));
    one.onmessage = (told) => told.data ? came() : left(); one.onerror = left })
};
const element = (name, values) => new Promise((came, left) => {
  const one = Object.assign(document.createElement(name), values);
  one.onload = came; one.onerror = left; document.head.append(one) });
Promise.allSettled(URLS.map(ways[WAY])).then(all => {
  root.textContent = all.filter(one => one.status === 'rejected').length + ' left out' })
"""
# What is asked for without anybody's hearing what came of it.
SENT = """
for (const url of URLS) {
  const socket = url.replace('http', 'ws');
  for (const [name, values] of [['img', {src: url}], ['iframe', {src: url}], ['video', {src: url}],
      ['audio', {src: url}], ['object', {data: url}], ['embed', {src: url}],
      ['link', {rel: 'prefetch', href: url}], ['link', {rel: 'preconnect', href: url}],
      ['link', {rel: 'icon', href: url}]])
    document.body.append(Object.assign(document.createElement(name), values));
  const attempts = [() => new WebSocket(socket), () => new EventSource(url),
    () => navigator.sendBeacon(url, 'x'), () => open(url),
    () => fetch(url, {method: 'POST', body: 'x'}).catch(() => 0),
    () => { const form = document.createElement('form'); form.action = url; form.method = 'post';
      document.body.append(form); form.submit() },
    () => new RTCPeerConnection({iceServers: [{urls: url.replace('http://', 'stun:')
      .replace('/a', '')}]}).createDataChannel('a')];
  for (const attempt of attempts) { try { attempt() } catch (error) { } }
}
root.textContent = 'all sent'
"""
WAYS_OF_ASKING = ("fetch", "xhr", "script", "module", "style", "worker")


def inside(ear: Ear) -> list[str]:
    """A URL at each refused address, where an ear listens."""
    return [f"http://{host}:{ear.port}/a" for host in HOSTS]


def script(source: str, urls: Sequence[str], way: str = "") -> str:
    """A page's script over some URLs."""
    return source.replace("URLS", json.dumps(urls)).replace("WAY", json.dumps(way))


async def test_a_page_at_a_private_address_is_refused(way: Way, ear: Ear) -> None:
    """In whatever way it is written, and by whatever name."""
    urls = {canonical_url(url) for url in inside(ear)}
    way.hold(*(origin_of(url).removeprefix("http://") for url in urls))
    outcomes = await way.look(*urls, job_id="job")

    assert dict.fromkeys(urls, "blocked(address_denied)") == outcomes
    assert [] == ear.heard


async def test_a_redirect_to_a_private_address_is_refused(way: Way, ear: Ear) -> None:
    """Whether the scope holds it or not."""
    way.hold(*(f"{host}:{ear.port}" for host in NAMED))
    for number, target in enumerate(inside(ear)):
        way.origin.redirect(f"/to/{number}", target, 302)
    urls = [way.url(f"/to/{number}") for number in range(len(HOSTS))]
    outcomes = await way.look(*urls, job_id="job")

    assert set(urls) <= set(outcomes)
    assert "indexed" not in outcomes.values()
    assert [] == ear.heard


@pytest.mark.parametrize("asking", WAYS_OF_ASKING)
async def test_a_part_at_a_private_address_is_left_out(shown: Way, ear: Ear, asking: str) -> None:
    """The page is read without it, also where the address is one of its own domain's names."""
    url = shown.put_app("/a", script(ASKED, inside(ear), asking))
    (text,) = await shown.fetched(url)

    assert f"{len(HOSTS)} left out" in text
    assert [] == ear.heard


@pytest.mark.parametrize("asking", WAYS_OF_ASKING)
async def test_a_part_that_redirects_to_a_private_address_is_left_out(
    shown: Way, ear: Ear, asking: str
) -> None:
    """Its first address is as good as any."""
    targets = inside(ear)

    async def leads(request: web.Request) -> web.StreamResponse:
        number = int(request.path.rpartition("/")[2])
        return web.Response(status=302, headers={"Location": targets[number]})

    shown.origin.handle_below("/to/", leads)
    urls = [shown.url(f"/to/{number}") for number in range(len(HOSTS))]
    (text,) = await shown.fetched(shown.put_app("/a", script(ASKED, urls, asking)))

    assert f"{len(HOSTS)} left out" in text
    assert len(HOSTS) == len([path for path in shown.origin.paths() if path.startswith("/to/")])
    assert [] == ear.heard


async def test_nothing_else_of_a_page_reaches_a_private_address(shown: Way, ear: Ear) -> None:
    """Sockets, pictures, frames, beacons, forms, windows, prefetches, peers."""
    (text,) = await shown.fetched(shown.put_app("/a", script(SENT, inside(ear))))

    assert "all sent" in text
    assert [] == ear.heard
