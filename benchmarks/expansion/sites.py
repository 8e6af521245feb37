"""Linked sites of documentation: where their HTML is, what is served of it, and who asked for what.

A site is a folder of HTML files that is served at the root of a port of the loopback, with all
other files of the folder, such as scripts and the index of its search, and without a sitemap.
Pages that are taken off are answered with 404; links to them stay, as on the web.
"""

import mimetypes
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self
from urllib.parse import unquote

from aiohttp import web

from benchmarks.expansion.links import LinkGraph, page_path, targets_of
from benchmarks.shared.command import progress
from benchmarks.shared.system.html_pages import SUFFIXES
from benchmarks.shared.system.serving import serving
from scops.libraries.embedder.weights import default_cache_dir

SHARE_OF_DOCUMENTATION = "usr/share/doc"
PACKAGES = {"postgresql-doc-15": "postgresql-doc-15/html", "python3.11-doc": "python3.11/html"}
"""Debian's packages that are asked about by default, and where each has its HTML."""

DOWNLOAD_SECONDS = 600.0
INDEX = "/index.html"


@dataclass(frozen=True)
class Site:
    """The HTML files of a folder.

    Attributes:
        name: what results call it.
        folder: its root.
        pages: the bodies of all pages by their paths.
    """

    name: str
    folder: Path
    pages: dict[str, bytes]

    @cached_property
    def graph(self) -> LinkGraph:
        """The links of all pages."""
        return LinkGraph({path: targets_of(body, path) for path, body in self.pages.items()})

    @cached_property
    def start(self) -> str:
        """The path of the page where every walk begins.

        It is index.html or, where the root has none, the page that most pages are reached from.
        """
        if INDEX in self.pages:
            return INDEX
        return max(sorted(self.pages), key=lambda path: len(self.graph.steps_from(path)))


def read_site(folder: Path, *, name: str = "") -> Site:
    """Returns the site of a folder.

    Raises:
        SystemExit: the folder holds no HTML files.
    """
    files = sorted(one for one in folder.rglob("*") if one.suffix.lower() in SUFFIXES)
    pages = {page_path(one.relative_to(folder).as_posix()): one.read_bytes() for one in files}
    if not pages:
        raise SystemExit(
            f"benchmarks.expansion: no HTML files in {folder}; "
            "name the root folder of a site's HTML with --data"
        )
    return Site(name or folder.resolve().name, folder, pages)


def debian_site(package: str) -> Site:
    """Returns the site of a Debian package of `PACKAGES`.

    It is read where it is installed or, where it is not, unpacked into the cache, downloaded first
    where it is not there either.

    Raises:
        SystemExit: it cannot be downloaded.
    """
    unpacked = default_cache_dir() / package
    inside = Path(SHARE_OF_DOCUMENTATION, PACKAGES[package])
    roots = (Path("/"), unpacked)
    if not any((root / inside / "index.html").is_file() for root in roots):
        _unpack(package, unpacked)
    found = next(root / inside for root in roots if (root / inside / "index.html").is_file())
    return read_site(found, name=package)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        path: of the URL, percent-encoded.
        status: answered.
        seconds: when it came, since the site was served or the log was emptied.
    """

    path: str
    status: int
    seconds: float


class ServedSite:
    """A site on a free port of the loopback.

    Args:
        gone: paths of pages that are answered with 404.
    """

    def __init__(self, site: Site, *, gone: Set[str] = frozenset()) -> None:
        self.site = site
        self.gone = gone
        self._by_name = {unquote(path): path for path in site.pages}
        self._folder = site.folder.resolve()
        self._lock = threading.Lock()
        self._asked: list[Asked] = []
        self._since = time.monotonic()
        self._port = 0

    @property
    def url(self) -> str:
        """`http://host:port`, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def start_url(self) -> str:
        """The URL of the page where every walk begins."""
        return self.url + self.site.start

    @property
    def asked(self) -> list[Asked]:
        """What was asked for, in order; robots.txt and what is missing as well."""
        with self._lock:
            return list(self._asked)

    def empty_log(self) -> None:
        """Forgets what was asked for, and counts seconds from now."""
        with self._lock:
            self._asked.clear()
            self._since = time.monotonic()

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Serves while inside."""
        with serving(self._answer) as self._port:
            self.empty_log()
            yield self

    async def _answer(self, request: web.Request) -> web.Response:
        name = request.path + "index.html" if request.path.endswith("/") else request.path
        response = self._page(self._by_name[name]) if name in self._by_name else self._file(name)
        with self._lock:
            seconds = time.monotonic() - self._since
            self._asked.append(Asked(request.rel_url.raw_path, response.status, seconds))
        return response

    def _page(self, path: str) -> web.Response:
        if path in self.gone:
            return _missing()
        # No charset: a page may be in any, and says so itself.
        return web.Response(body=self.site.pages[path], headers={"Content-Type": "text/html"})

    def _file(self, name: str) -> web.Response:
        """Returns a file of the folder that is no page; links out of the folder lead nowhere."""
        file = (self._folder / name.lstrip("/")).resolve()
        if not file.is_relative_to(self._folder) or not file.is_file():
            return _missing()
        media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return web.Response(body=file.read_bytes(), headers={"Content-Type": media_type})


def _missing() -> web.Response:
    return web.Response(status=404, text="Not here.")


def _unpack(package: str, folder: Path) -> None:
    progress(f"downloading the Debian package {package} into {folder}")
    with tempfile.TemporaryDirectory() as scratch:
        download = ["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", package]
        done = subprocess.run(
            download, cwd=scratch, timeout=DOWNLOAD_SECONDS, capture_output=True, text=True
        )
        archives = list(Path(scratch).glob("*.deb"))
        if done.returncode or not archives:
            raise SystemExit(
                f"benchmarks.expansion: {package} cannot be downloaded ({done.stderr.strip()}); "
                f"run `apt-get update`, or name a folder of HTML with --data"
            )
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg-deb", "-x", archives[0], folder], check=True)
