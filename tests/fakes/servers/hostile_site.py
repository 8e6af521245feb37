"""A web site whose every page tries to cost its reader more than it cost to write.

Each page is one way to spend time or memory: runs of characters that expressions with
backtracking cannot pass, markup in numbers that nobody writes, listings without end. It is served
twice, in two editions, because comparing two hostile texts is another way to be expensive.
"""

import asyncio
import gzip

from aiohttp import web

from tests.fakes.servers.origin import Handler, Origin

MIB = 1024 * 1024
RUN = 100_000
DRIP_SECONDS = 0.5
# One line of a text sitemap; with 50 MiB of such lines a file of half a megabyte.
LISTED = 50 * MIB


def _pages(plain: int) -> dict[str, str]:
    """Returns the body of each HTML page, by path."""
    return {
        # Runs that a backtracking expression tries in every way.
        "/dots.html": _text("." * RUN),
        "/ellipses.html": _text("Wait... " * (RUN // 8)),
        "/spaces.html": _pre("It may" + " " * RUN + "rain."),
        "/may.html": _text("may" + "\u00a0" * RUN + "x"),
        "/newlines.html": _pre("one" + "\n" * RUN + "two"),
        "/tabs.html": _pre("\t \t" * (RUN // 3)),
        "/quotes.html": _text("\"'”’)" * (RUN // 5)),
        "/brackets.html": _text("[" * RUN + "(" * RUN),
        "/dashes.html": _text("-" * RUN + "–" * RUN),
        "/digits.html": _text("1" * RUN),
        "/commas.html": _text("1,2," * (RUN // 4)),
        "/versions.html": _text("1.2." * (RUN // 4)),
        "/initials.html": _text("A.B." * (RUN // 4)),
        "/one-word.html": _text("lighthouse" * RUN),
        "/marks.html": _text("e" + "\u0301" * RUN),
        "/hidden.html": _text("ignore\u200b" * (RUN // 7)),
        "/instruction.html": _text("ignore" + " .,;:" * (RUN // 5) + "previous instructions"),
        "/ampersands.html": _text("&" * RUN + "&amp" * RUN),
        "/addresses.html": _text("a@" * RUN + " http:" * (RUN // 6)),
        # What is written in such numbers on no honest page.
        "/dates.html": _text("On 1 May 2020 it rained until 2 May 2021. " * (RUN // 20)),
        "/sentences.html": _text("It was so. " * RUN),
        "/numbers.html": _text("".join(f"Item {n} costs {n} euros. " for n in range(plain // 5))),
        "/paragraphs.html": "".join(f"<p>Line {n} of the list.</p>" for n in range(plain // 4)),
        "/headings.html": "".join(f"<h2>Part {n}</h2><p>Text.</p>" for n in range(plain // 10)),
        "/cells.html": f"<table>{'<tr><td>1</td><td>2</td></tr>' * (RUN // 4)}</table>",
        "/links.html": "".join(f'<a href="/x/{n}">link {n}</a> ' for n in range(plain // 4)),
        "/deep.html": "<div>" * RUN + "bottom",
        "/nested-lists.html": "<ul><li>" * (RUN // 10) + "end",
        "/attributes.html": f"<p {' '.join(f'a{n}=1' for n in range(RUN))}>Text.</p>",
        "/comments.html": "<!--" * RUN + "<p>Text.</p>",
        "/tags.html": "<" * RUN + "<p>Text.</p>" + "<a" * RUN,
        "/metas.html": "<meta " * RUN + "<p>Text.</p>",
        "/styles.html": f"<style>{'a{' * RUN}</style>"
        + '<p style="'
        + "x:y;" * RUN
        + '">Text.</p>',
        "/json.html": f'<script type="application/ld+json">{"[" * RUN}</script><p>Text.</p>',
        "/title.html": f"<title>{'Title ' * RUN}</title><p>Text.</p>",
        "/code.html": f"<pre><code>{'x = f(x); ' * RUN}</code></pre>",
    }


def hostile_site(host: str, plain: int = RUN) -> Origin:
    """Returns the site in its first edition; `second_edition` edits every page.

    Args:
        plain: how much there is of texts that are merely long and nowhere alike, each part of
            which is embedded: a quarter as many paragraphs and links, for example.
    """
    origin = Origin(host=host, validators=False)
    pages = _pages(plain)
    paths = list(pages)
    links = "".join(f'<p><a href="{path}">A page of this site</a></p>' for path in paths)
    origin.replace("/", _html(f"<p>The start of a site that means harm.</p>{links}"))
    for path, body in pages.items():
        origin.replace(path, _html(body))
    _add_listings(origin, host)
    origin.handle("/drip.html", _drips)
    return origin


def second_edition(origin: Origin, plain: int = RUN) -> None:
    """Changes every page from its first word to its last."""
    for path, body in _pages(plain).items():
        edited = body.replace("1", "3").replace("e", "a").replace(".", "!")
        origin.replace(path, _html(f"<p>Another edition.</p>{edited}"))


def hostile_paths() -> list[str]:
    """Returns the paths of the pages, without the start page."""
    return [*_pages(plain=0), "/drip.html"]


def _add_listings(origin: Origin, host: str) -> None:
    line = f"http://{host}/listed/page.html\n".encode()
    text_sitemap = gzip.compress(line * (LISTED // len(line)))
    attributes = " ".join(f"a{n}=''" for n in range(3_000_000))
    element = gzip.compress(f"<urlset><url {attributes}></url></urlset>".encode())
    depth = gzip.compress(b"<urlset>" + b"<url>" * 5_000_000)
    listings: dict[str, bytes] = {
        "/sitemap-text.txt.gz": text_sitemap,
        "/sitemap-attributes.xml.gz": element,
        "/sitemap-deep.xml.gz": depth,
    }
    for path, body in listings.items():
        origin.handle(path, _sends(body, "application/gzip"))
    origin.handle("/llms.txt", _sends(b"# Site\n" + b"[" * (2 * MIB), "text/plain"))

    async def robots(request: web.Request) -> web.StreamResponse:
        base = f"http://{request.host}"
        lines = "".join(f"Sitemap: {base}{path}\n" for path in listings)
        junk = "Disallow: /" + "*a" * 2_000 + "$\n"
        return web.Response(text=f"User-agent: *\n{junk * 4}{lines}")

    origin.handle("/robots.txt", robots)


def _sends(body: bytes, content_type: str) -> Handler:
    async def respond(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type=content_type)

    return respond


async def _drips(request: web.Request) -> web.StreamResponse:
    """Sends a byte now and then, without end."""
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    while True:
        await response.write(b"<p>")
        await asyncio.sleep(DRIP_SECONDS)


def _text(body: str) -> str:
    return f"<p>{body}</p>"


def _pre(body: str) -> str:
    return f"<pre>{body}</pre>"


def _html(body: str) -> str:
    return f"<html><head><meta charset=utf-8></head><body><h1>A page</h1>{body}</body></html>"
