"""What a browser shows of pages that scripts fill."""

import re

import pytest

from scops.fetcher.adapters.browser.chromium import Chromium
from scops.fetcher.ports.browser import PagePart, Rendering
from scops.fetcher.ports.page_source import Failed
from tests.connected.fetcher_browser.conftest import Parts, Show, document

APP = (
    "<!doctype html><html lang=en><head><title>Plans</title>"
    '<script type=\'application/ld+json\'>{"@type": "Article"}</script>'
    "<script type=module src=/app.js></script><link rel=stylesheet href=/app.css></head>"
    "<body><noscript>Please enable JavaScript.</noscript><div id=root>Loading…</div></body></html>"
)


def text_of(shown: Rendering | Failed) -> str:
    """The words of a rendered page."""
    assert isinstance(shown, Rendering), shown
    return " ".join(re.sub("<[^>]+>", " ", shown.html).split())


async def test_an_app_is_shown_with_what_its_scripts_fetch(show: Show, parts: Parts) -> None:
    """Scripts, modules that they import, style sheets and data; nothing of what makes it."""
    parts.script("/app.js", "import {put} from '/lib.js'; put(await (await fetch('/plan')).json())")
    parts.script("/lib.js", "export const put = (d) => { root.innerHTML = `<p>${d.plan}</p>` }")
    parts.data("/plan", '{"plan": "The Heron plan costs 14 euros."}')
    shown = await show(html=APP)

    assert isinstance(shown, Rendering)
    assert "<p>The Heron plan costs 14 euros.</p>" in shown.html
    assert "<title>Plans</title>" in shown.html
    assert '{"@type": "Article"}' in shown.html
    for gone in ("Loading", "enable JavaScript", "app.js", "import"):
        assert gone not in shown.html
    assert {"/app.js", "/lib.js", "/plan", "/app.css"} == {
        url.removeprefix("https://app.example.org") for url in parts.asked
    }


async def test_links_keep_their_addresses(show: Show) -> None:
    """They lead from where the document came from."""
    shown = await show("root.innerHTML = '<a href=\"/more?a=1&amp;b=2\">More</a>'")

    assert isinstance(shown, Rendering)
    assert '<a href="/more?a=1&amp;b=2">More</a>' in shown.html


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_shadow_trees_stand_in_their_places(show: Show, mode: str) -> None:
    """With what fills their slots."""
    shown = await show(
        f"root.innerHTML = '<b>slotted</b>';"
        f"root.attachShadow({{mode: '{mode}'}}).innerHTML = "
        "'<p>before</p><slot></slot><p>after</p>'"
    )

    assert "before slotted after" == text_of(shown)


async def test_text_that_comes_by_scrolling_is_read(show: Show) -> None:
    """Down to a bound."""
    shown = await show(
        "const add = (n) => { const p = document.createElement('p'); p.style.height = '1500px';"
        " p.textContent = 'part ' + n; document.body.append(p) };"
        "add(1); add(2); let n = 2;"
        "addEventListener('scroll', () => { if (n < 100) add(++n) })"
    )
    text = text_of(shown)

    assert "part 8" in text
    assert "part 40" not in text


async def test_what_is_not_shown_is_marked(show: Show, parts: Parts) -> None:
    """By its style sheet too; what only was not shown at first is."""
    parts.held["https://app.example.org/a.css"] = ("text/css", ".menu {display: none}")
    shown = await show(
        html="<html><head><link rel=stylesheet href=/a.css></head><body>"
        "<div class=menu>Menu</div><p hidden style='display: block'>Shown</p></body></html>"
    )

    assert isinstance(shown, Rendering)
    assert '<div class="menu" hidden>Menu</div>' in shown.html
    assert "<p style" in shown.html


async def test_a_page_is_read_in_its_own_charset(chromium: Chromium, parts: Parts) -> None:
    """As the server declared it."""
    latin = document("<html><body><p>Größe</p></body></html>", charset="iso-8859-1")

    assert "Größe" == text_of(await chromium.render(latin, parts.load, parts_max=0))


async def test_the_same_part_is_asked_for_once(show: Show, parts: Parts) -> None:
    """However often a page wants it."""
    parts.data("/tick", '"x"')
    shown = await show("setInterval(() => fetch('/tick'), 50); root.textContent = 'Polling'")

    assert "Polling" == text_of(shown)
    assert ["https://app.example.org/tick"] == parts.asked


async def test_after_the_last_part_a_page_does_without(show: Show, parts: Parts) -> None:
    """One that asks for ever something new is read all the same."""
    shown = await show(
        "let n = 0; setInterval(() => fetch('/tick?' + n++).catch(() => 0), 20);"
        "root.textContent = 'Polling'",
        parts_max=5,
    )

    assert "Polling" == text_of(shown)
    assert 5 == len(parts.asked)


async def test_a_page_that_never_rests_is_read_as_it_stands(show: Show) -> None:
    """A clock, for example."""
    shown = await show("let n = 0; setInterval(() => { root.textContent = 'Tick ' + n++ }, 30)")

    assert text_of(shown).startswith("Tick ")


async def test_what_loading_raises_comes_through(chromium: Chromium) -> None:
    """Such as a lease that was lost."""

    class Lost(Exception):
        pass

    async def load(url: str) -> PagePart | None:
        raise Lost

    app = document("<html><body><script src=/app.js></script></body></html>")
    with pytest.raises(Lost):
        await chromium.render(app, load, parts_max=5)


async def test_a_part_that_comes_late_is_waited_for(chromium: Chromium) -> None:
    """Hosts are asked with pauses, longer than a page takes to look as if it rested."""
    import asyncio

    async def load(url: str) -> PagePart | None:
        await asyncio.sleep(2)
        return PagePart(status=200, content_type="text/plain", body=b"late")

    app = document(
        "<html><body><p id=p>first</p><script>fetch('/a').then(a => a.text())"
        ".then(t => { p.textContent = t })</script></body></html>"
    )

    assert "late" == text_of(await chromium.render(app, load, parts_max=5))


async def test_a_missing_part_is_told(chromium: Chromium) -> None:
    """As the server did."""

    async def load(url: str) -> PagePart | None:
        return PagePart(status=404, content_type="text/plain", body=b"")

    app = document(
        "<html><body><p id=p>first</p><script>fetch('/a')"
        ".then(a => { p.textContent = 'status ' + a.status })</script></body></html>"
    )

    assert "status 404" == text_of(await chromium.render(app, load, parts_max=5))


async def test_pages_see_nothing_of_each_other(chromium: Chromium, parts: Parts) -> None:
    """Each has a context of its own."""
    keeps = "localStorage.count = 1 + (+localStorage.count || 0); document.cookie = 'a=1';"
    page = document(
        f"<html><body><p id=p></p><script>const c = document.cookie; {keeps}"
        "p.textContent = localStorage.count + c</script></body></html>"
    )
    first = await chromium.render(page, parts.load, parts_max=5)
    second = await chromium.render(page, parts.load, parts_max=5)

    assert ["1", "1"] == [text_of(first), text_of(second)]
