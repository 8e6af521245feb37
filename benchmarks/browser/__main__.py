"""What the browser costs a page, and whether it reads what apps show.

    python -m benchmarks.browser [--data DIR] [--pages 60] --json

Pages of a folder become those of an app: an empty shell, a module that imports another, and data
that fill the page. Everything is handed over from memory, so that no network is measured.

Keys:
    pages_per_second: of two pages at once in one Chromium, the median of three rounds;
        `pages_per_second_vs_playwright` ÷ Playwright by its book, in the same rounds: a page of its
        own context, `goto` until the network is idle, and `content()`.
    cpu_ms_per_page, cpu_per_page_vs_playwright: CPU time of all processes, likewise.
    peak_memory_mb: of Chromium and its driver while pages are shown, what its processes share
        counted once; over `pages_shown` pages, so that growth would be seen;
        `memory_growth` is the last fifth's mean ÷ that of the second.
    text_f1: words of what is read ÷ those that Chromium shows (`innerText`), as bags, the mean of
        the pages; `text_f1_playwright` for the text of `content()` without scripts.
    main_text_f1: the main text that the extractor finds in what is read, against that which it
        finds where the server fills the page itself; `main_text_f1_shell` for the shell as sent.
    failed: pages that did not come.

Megabytes are 10^6 bytes.
"""

import argparse
import asyncio
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import psutil
from lxml import html as lxml_html

from benchmarks.browser.app_pages import AppPage, app_page
from benchmarks.embed import DEFAULT_DATA
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.figures import f1_of
from benchmarks.shared.system.html_pages import read_pages
from benchmarks.shared.system.process_tree import cpu_seconds, memory_mb
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.extractor.extraction import extract
from scops.fetcher.adapters.browser.chromium import ARGUMENTS, Chromium
from scops.fetcher.adapters.browser.rendering import RenderLimits
from scops.fetcher.ports.browser import Rendering

PAGES = 60
ROUNDS = 3
AT_ONCE = 2
PARTS_MAX = 64
SAMPLE_SECONDS = 0.25
Show = Callable[[AppPage], Awaitable[str | None]]


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    parser.add_argument("--pages", type=int, default=PAGES, help="shown in each round")
    args = parser.parse_args()
    print_result(asyncio.run(measure(args)), args)


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    from playwright.async_api import async_playwright

    executable = shutil.which("chromium")
    if not executable:
        raise SystemExit("benchmarks.browser: chromium is missing: run make setup-system")
    read = read_pages(options.data, limit=options.pages)
    pages = [app_page(path, body) for path, body in read.items()]
    ours, theirs = _Side(), _Side()
    chromium = Chromium(executable, pages_at_once=AT_ONCE, limits=RenderLimits())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable, args=[*ARGUMENTS, "--no-sandbox"]
        )
        book = _Book(browser)
        # Neither pays for the start of its browser.
        await chromium.render(pages[0].document, pages[0].load, parts_max=PARTS_MAX)
        await book.content(pages[0])
        for number in range(ROUNDS):
            await _round(pages, _ours(chromium), ours)
            await _round(pages, book.content, theirs)
            progress(f"round {number + 1}: {ours.seconds[-1]:.1f} s, {theirs.seconds[-1]:.1f} s")
        shown = {page.url: await book.text(page) for page in pages}
        await browser.close()
    await chromium.close()
    return {**_costs(ours, theirs, len(pages)), **_texts(pages, ours, theirs, shown)}


@dataclass(slots=True)
class _Side:
    """What one way took and gave: seconds and CPU by round, memory by sample, HTML by URL."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    html: dict[str, str | None] = field(default_factory=dict)


async def _round(pages: Sequence[AppPage], show: Show, side: _Side) -> None:
    """Shows every page, two at once."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(page: AppPage) -> None:
        async with turn:
            side.html[page.url] = await show(page)

    me = psutil.Process()
    began, used = time.monotonic(), cpu_seconds(me)
    async with _Sampling(side.memory):
        await asyncio.gather(*(one(page) for page in pages))
    side.seconds.append(time.monotonic() - began)
    side.cpu.append(cpu_seconds(me) - used)


class _Sampling:
    """Samples the memory of what this process has started."""

    def __init__(self, samples: list[float]) -> None:
        self._samples = samples

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._sample())

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _sample(self) -> None:
        me = psutil.Process()
        while True:
            await asyncio.sleep(SAMPLE_SECONDS)
            children = await asyncio.to_thread(
                lambda: sum(memory_mb(child) for child in me.children())
            )
            self._samples.append(children)


def _ours(chromium: Chromium) -> Show:
    async def show(page: AppPage) -> str | None:
        shown = await chromium.render(page.document, page.load, parts_max=PARTS_MAX)
        return shown.html if isinstance(shown, Rendering) else None

    return show


class _Book:
    """Playwright as its documentation shows it, with the same answers from memory."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    async def content(self, page: AppPage) -> str | None:
        """Returns the document once the network is idle."""
        return await self._opened(page, lambda tab: tab.content())

    async def text(self, page: AppPage) -> str:
        """Returns what the page shows."""
        read = "document.body.innerText"
        return str(await self._opened(page, lambda tab: tab.evaluate(read)))

    async def _opened(self, page: AppPage, read: Callable[[Any], Awaitable[str]]) -> str:
        context = await self._browser.new_context()

        async def answer(route: Any) -> None:
            part = await page.load(route.request.url)
            if route.request.is_navigation_request():
                await route.fulfill(content_type="text/html", body=page.document.body)
            elif part is not None:
                await route.fulfill(content_type=part.content_type, body=part.body)
            else:
                await route.abort()

        await context.route("**/*", answer)
        tab = await context.new_page()
        await tab.goto(page.url, wait_until="networkidle")
        found = await read(tab)
        await context.close()
        return found


def _costs(ours: _Side, theirs: _Side, count: int) -> dict[str, float]:
    speed, others = (count / statistics.median(side.seconds) for side in (ours, theirs))
    cpu, others_cpu = (statistics.median(side.cpu) / count * 1000 for side in (ours, theirs))
    fifth = max(len(ours.memory) // 5, 1)
    early = statistics.mean(ours.memory[fifth : 2 * fifth] or ours.memory)
    return {
        "pages_per_second": round(speed, 2),
        "pages_per_second_vs_playwright": round(speed / others, 3),
        "cpu_ms_per_page": round(cpu, 1),
        "cpu_per_page_vs_playwright": round(cpu / others_cpu, 3),
        "peak_memory_mb": round(max(ours.memory), 1),
        "memory_growth": round(statistics.mean(ours.memory[-fifth:]) / early, 3),
        "pages_shown": count * ROUNDS,
    }


def _texts(
    pages: Sequence[AppPage], ours: _Side, theirs: _Side, shown: dict[str, str]
) -> dict[str, float]:
    came = [page for page in pages if ours.html[page.url] is not None]
    pairs = [(_words(str(ours.html[page.url])), shown[page.url].split()) for page in came]
    books = [(_words(str(theirs.html[page.url])), shown[page.url].split()) for page in came]
    static = {page.url: _main(page, page.html) for page in came}
    mains = [(_main(page, str(ours.html[page.url])), static[page.url]) for page in came]
    shells = [(_main(page, page.document.body.decode()), static[page.url]) for page in came]
    return {
        "text_f1": _mean_f1(pairs),
        "text_f1_playwright": _mean_f1(books),
        "main_text_f1": _mean_f1(mains),
        "main_text_f1_shell": _mean_f1(shells),
        "failed": len(pages) - len(came),
    }


def _words(html: str) -> list[str]:
    """Returns the words of a document but what it marks as hidden and what is no text."""
    tree: Any = lxml_html.document_fromstring(html)
    for gone in tree.xpath("//script|//style|//noscript|//head|//*[@hidden]"):
        gone.drop_tree()
    return " ".join(tree.itertext()).split()


def _main(page: AppPage, html: str) -> list[str]:
    """Returns the words of the main text that the extractor finds."""
    fetched = PageFetched(
        url=page.url,
        canonical_url=page.url,
        observed_time=datetime.now(UTC),
        body=BodyRef(media_type="text/html", charset="utf-8"),
    )
    return extract(html.encode(), fetched).text.split()


def _mean_f1(pairs: Sequence[tuple[list[str], list[str]]]) -> float:
    return round(statistics.mean(_f1(found, wanted) for found, wanted in pairs), 4)


def _f1(found: list[str], wanted: list[str]) -> float:
    """Returns F1 of two bags of words."""
    if not found or not wanted:
        return float(found == wanted)
    common = sum((Counter(found) & Counter(wanted)).values())
    return f1_of(common / len(found), common / len(wanted))


if __name__ == "__main__":
    main()
