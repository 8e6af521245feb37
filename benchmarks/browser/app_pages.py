"""Pages of a folder as an app shows them: an empty shell, a script, and data that fill it."""

import json
import re
from dataclasses import dataclass

from scops.fetcher.ports.browser import PagePart
from scops.fetcher.ports.page_source import Fetched

ORIGIN = "https://app.example.org"
SHELL = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>Loading</title>"
    "<script type=module src=/app.js></script></head><body><div id=root></div></body></html>"
)
APP = """
import {filled} from '/lib.js';
const page = await (await fetch('/api' + location.pathname)).json();
document.title = page.title;
const root = document.getElementById('root');
root.innerHTML = page.html;
"""
LIBRARY = "export const filled = true;"
_BODY = re.compile(r"<body[^>]*>(.*)</body>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class AppPage:
    """A page of the data, and what its app asks for.

    Attributes:
        html: as the folder has it, in UTF-8.
        parts: content type and body by URL.
    """

    url: str
    html: str
    parts: dict[str, tuple[str, bytes]]

    @property
    def document(self) -> Fetched:
        """The shell, as a server sends it."""
        return _answered(self.url, SHELL)

    @property
    def static(self) -> Fetched:
        """The page as a server would send it that filled it itself."""
        return _answered(self.url, self.html)

    async def load(self, url: str) -> PagePart | None:
        """Gives what the app asks for."""
        if url not in self.parts:
            return None
        content_type, body = self.parts[url]
        return PagePart(status=200, content_type=content_type, body=body)


def app_page(path: str, body: bytes) -> AppPage:
    """Returns a page of the data as an app."""
    html = body.decode("utf-8", "replace")
    found, title = _BODY.search(html), _TITLE.search(html)
    inner = _SCRIPT.sub("", found[1] if found else html)
    data = {"title": title[1].strip() if title else "", "html": inner}
    parts = {
        f"{ORIGIN}/app.js": ("text/javascript", APP.encode()),
        f"{ORIGIN}/lib.js": ("text/javascript", LIBRARY.encode()),
        f"{ORIGIN}/api{path}": ("application/json", json.dumps(data).encode()),
    }
    return AppPage(url=f"{ORIGIN}{path}", html=html, parts=parts)


def _answered(url: str, html: str) -> Fetched:
    return Fetched(
        final_url=url,
        redirects=(),
        body=html.encode(),
        media_type="text/html",
        charset="utf-8",
        etag="",
        last_modified="",
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=0.0,
    )
